"""How a text sounds: its pinyin without tones, quick enough for a million names.

The readings of characters and of phrases are pypinyin's (重庆 is chong qing, 重量 is zhong liang); phrases
are found from the left, the longest first.
"""

from __future__ import annotations

from functools import lru_cache


def sound(text: str) -> str:
    """A folded text as it is spoken, tones left out.

    >>> sound("章江") == sound("张江"), sound("重庆重量"), sound("a座")
    (True, 'chong qing zhong liang', 'a zuo')
    """
    readings = _readings()
    singles, longest, phrases = readings.singles, readings.longest, readings.phrases
    found: list[str] = []
    at, size = 0, len(text)
    while at < size:
        most = longest.get(text[at : at + 2])
        if most is not None:
            for length in range(min(most, size - at), 1, -1):
                spoken = phrases.get(text[at : at + length])
                if spoken is not None:
                    found.append(spoken)
                    at += length
                    break
            else:
                found.append(singles.get(text[at]) or readings.single(text[at]))
                at += 1
        else:
            found.append(singles.get(text[at]) or readings.single(text[at]))
            at += 1
    return " ".join(found)


class _Readings:
    """Readings of single characters, and of phrases that any of their characters sounds otherwise in."""

    def __init__(self) -> None:
        from pypinyin.phrases_dict import phrases_dict
        from pypinyin.pinyin_dict import pinyin_dict

        self._pinyin: dict[int, str] = pinyin_dict
        self.singles: dict[str, str] = {}
        self.phrases: dict[str, str] = {}
        self.longest: dict[str, int] = {}
        toneless: dict[str, str] = {}
        for phrase, spoken in phrases_dict.items():
            plain = []
            for one in spoken:
                known = toneless.get(one[0])
                if known is None:
                    known = toneless[one[0]] = _toneless(one[0])
                plain.append(known)
            if len(plain) != len(phrase):  # an idiom with a comma in it
                continue
            self.phrases[phrase] = " ".join(plain)
            head = phrase[:2]
            if len(phrase) > self.longest.get(head, 0):
                self.longest[head] = len(phrase)

    def single(self, char: str) -> str:
        """The first reading of a character; what has none sounds like itself."""
        spoken = self._pinyin.get(ord(char))
        self.singles[char] = found = char if spoken is None else _toneless(spoken.split(",")[0])
        return found


def _toneless(spoken: str) -> str:
    from pypinyin.contrib.tone_convert import to_normal

    return str(to_normal(spoken))


@lru_cache(maxsize=1)
def _readings() -> _Readings:
    return _Readings()
