"""Large numbers as a person would say them: 4.61 亿, 461.11 million. A display, never the value."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from dialogue.words import LANGUAGES, say
from semantic_layer.text import fold

# where a number is said in a larger unit beside its digits
FROM = {"zh": Decimal(100_000), "en": Decimal(1_000_000)}
SCALES = {
    "zh": (("yi", Decimal(100_000_000)), ("wan", Decimal(10_000))),
    "en": (("billion", Decimal(1_000_000_000)), ("million", Decimal(1_000_000))),
}


def asked_scale(text: str) -> str | None:
    """The unit a question asks a number in: 多少万, 多少亿.

    >>> asked_scale("8月实收多少万"), asked_scale("how many millions"), asked_scale("8月实收")
    ('wan', 'million', None)
    """
    plain = fold(text)
    for lang in LANGUAGES:
        for name, _ in SCALES[lang]:
            if any(word in plain for word in say(lang, f"scale.asked.{name}").split("|")):
                return name
    return None


def spoken(value: object, lang: str, asked: str | None = None) -> str:
    """A number in a larger unit, to two decimals: the one asked for, or the one a person would say it in.
    Empty where it is said in its digits alone.

    >>> spoken(Decimal("461105415.53"), "zh"), spoken(83_000, "zh"), spoken(83_000, "zh", "wan")
    ('4.61 亿', '', '8.3 万')
    """
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return ""
    exact = Decimal(str(value))
    for known in LANGUAGES:
        for name, scale in SCALES[known]:
            usual = asked is None and known == lang and abs(exact) >= max(scale, FROM[lang])
            if name == asked or usual:
                rounded = (exact / scale).quantize(Decimal("0.01"), ROUND_HALF_UP)
                text = f"{rounded:,f}"
                text = text.rstrip("0").rstrip(".")
                return f"{text} {say(known, f'scale.{name}')}"
    return ""
