"""Chinese typed in Latin letters: zhangjiang ne is 张江呢, lingang de 临港的.

Of it only the particles beside a name that is spelled so are known; elsewhere `la` and `de` may be anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from nl2sql.reading.tokens import Token

_SYLLABLE = (
    "(?:[zcs]h|[bpmfdtnlgkhjqxzcsryw])?"
    "(?:i(?:ang?|ao?|e|ng?|ong|u)?|u(?:ang?|ai?|e|i|n|o)?|a(?:i|o|ng?)?|o(?:ng|u)?|e(?:i|r|ng?)?|ve?)"
)
_NAME = re.compile(rf"{_SYLLABLE}(?: ?{_SYLLABLE})+")
_AFTER = re.compile(
    r" ?((?:de )?(?:ne|ma|ba|la|lei|a|ya|le|de))(?=\s*(?:$|[^\w\s]|[\u4e00-\u9fff]))"
)
_BEFORE = re.compile(r"(?:^|(?<=[^\w\s])|(?<=[^\w\s] ))(na) $")
_PER_CHARACTER = 10.0
NOTE = "pinyin"


def find(text: str, names: Sequence[Token]) -> Iterator[Token]:
    """The particles beside the names of a normalised text."""
    for name in names:
        if name.kind not in ("value", "metric", "metric_value") or name.note:
            continue
        if not _NAME.fullmatch(text, name.start, name.end):
            continue
        after = _AFTER.match(text, name.end)
        before = _BEFORE.search(text[: name.start])
        for match in (after, before):
            if match is not None:
                start, end = match.span(1)
                yield Token(start, end, "filler", None, (end - start) * _PER_CHARACTER, NOTE)
