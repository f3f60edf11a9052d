"""The catalogues of both languages say the same things."""

from __future__ import annotations

import re

from dialogue.words import catalogue


def test_the_same_keys_with_the_same_facts() -> None:
    zh, en = catalogue("zh"), catalogue("en")
    assert set(zh) == set(en)
    for key, text in zh.items():
        assert set(re.findall(r"{(\w+)}", text)) == set(re.findall(r"{(\w+)}", en[key])), key
