"""Near words: one edit away, or the same pinyin. Candidates by hash, then looked at (RULES: meaning of a turn, 2)."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from zlib import crc32

from semantic_layer.index.hashes import Buffer, Gather, Hashes, raw
from semantic_layer.index.sound import sound

SHORTEST = 3
LONGEST = 32
_BOTH = 5  # from here on the first two characters and the last two are apart, an edit between them or not


class Near:
    """Words by their sound, and by what is left when one character goes."""

    def __init__(self, sections: Mapping[str, Buffer], words: Sequence[str]) -> None:
        self._words = words
        self._shorter = _hashes(sections, "near.shorter")
        self._sounds = _hashes(sections, "near.sounds")
        self._heads, self._tails = _array(sections, "near.heads"), _array(sections, "near.tails")

    @staticmethod
    def sections(words: Sequence[str]) -> dict[str, Buffer]:
        """The arrays of words."""
        shorter, sounds = Gather(), Gather()
        heads: set[int] = set()
        tails: set[int] = set()
        buckets = shorter.buckets
        for index, word in enumerate(words):
            if not SHORTEST <= len(word) <= LONGEST:
                continue
            if not word.isascii():
                sounds.add(crc32(sound(word).encode("utf-8", "surrogatepass")), index)
            elif len(word) == SHORTEST:
                continue
            heads.add(crc32(_coded(word[:2])))
            tails.add(crc32(_coded(word[-2:])))
            coded, before = _coded(word), 0
            for at in range(0, len(coded), 4):  # as in `shortened`, ten million times
                value = crc32(coded[at + 4 :], before)
                before = crc32(coded[at : at + 4], before)
                buckets[value >> 26].append(value << 32 | index)
            buckets[before >> 26].append(before << 32 | index)
        found: dict[str, Buffer] = {
            "near.heads": raw(array("I", sorted(heads))),
            "near.tails": raw(array("I", sorted(tails))),
        }
        for name, gathered in (("near.shorter", shorter), ("near.sounds", sounds)):
            hashes, ids = gathered.arrays()
            found[name], found[f"{name}.ids"] = raw(hashes), raw(ids)
        return found

    def same_sound(self, spoken: str) -> set[str]:
        """Every word that sounds like this."""
        found = (
            self._words[one]
            for one in self._sounds.get(crc32(spoken.encode("utf-8", "surrogatepass")))
        )
        return {word for word in found if sound(word) == spoken}

    def one_edit(self, piece: str) -> set[str]:
        """Every word that is a piece, or one inserted, dropped, other or exchanged character away from it."""
        if len(piece) >= _BOTH and not (
            _has(self._heads, crc32(_coded(piece[:2])))
            or _has(self._tails, crc32(_coded(piece[-2:])))
        ):
            return set()  # one edit leaves the first two characters or the last two
        from rapidfuzz.distance import OSA  # only who looks needs it, not who opens an index

        ids = {one for value in shortened(piece) for one in self._shorter.get(value)}
        found = {self._words[one] for one in ids}
        return {word for word in found if OSA.distance(word, piece, score_cutoff=1) <= 1}


def shortened(word: str) -> Iterator[int]:
    """The hashes of a word, and of the word without each of its characters."""
    coded = _coded(word)
    before = 0
    for at in range(0, len(coded), 4):
        yield crc32(coded[at + 4 :], before)
        before = crc32(coded[at : at + 4], before)
    yield before


def _coded(text: str) -> bytes:
    return text.encode("utf-32-le", "surrogatepass")


def _has(ordered: Sequence[int], value: int) -> bool:
    at = bisect_left(ordered, value)
    return at < len(ordered) and ordered[at] == value


def _array(sections: Mapping[str, Buffer], name: str) -> Sequence[int]:
    return memoryview(sections[name]).cast("B").cast("I")


def _hashes(sections: Mapping[str, Buffer], name: str) -> Hashes:
    return Hashes(_array(sections, name), _array(sections, f"{name}.ids"))
