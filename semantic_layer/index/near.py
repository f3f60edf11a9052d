"""Near words: one edit away, or the same pinyin. Candidates by hash, then looked at (RULES: meaning of a turn, 2)."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from zlib import crc32

from rapidfuzz.distance import OSA

from semantic_layer.index.hashes import Buffer, Gather, Hashes
from semantic_layer.index.sound import sound

SHORTEST = 3
LONGEST = 32


class Near:
    """Words by their sound, and by what is left when one character goes."""

    def __init__(self, sections: Mapping[str, Buffer], words: Sequence[str]) -> None:
        self._words = words
        self._shorter = _hashes(sections, "near.shorter")
        self._sounds = _hashes(sections, "near.sounds")

    @staticmethod
    def sections(words: Sequence[str]) -> dict[str, Buffer]:
        """The arrays of words."""
        shorter, sounds = Gather(), Gather()
        buckets = shorter.buckets
        for index, word in enumerate(words):
            if not SHORTEST <= len(word) <= LONGEST:
                continue
            if not word.isascii():
                sounds.add(crc32(sound(word).encode("utf-8", "surrogatepass")), index)
            elif len(word) == SHORTEST:
                continue
            for value in shortened(word):
                buckets[value >> 26].append(value << 32 | index)
        found: dict[str, Buffer] = {}
        for name, gathered in (("near.shorter", shorter), ("near.sounds", sounds)):
            hashes, ids = gathered.arrays()
            found[name], found[f"{name}.ids"] = hashes.tobytes(), ids.tobytes()
        return found

    def same_sound(self, piece: str) -> set[str]:
        """Every word that sounds like a piece."""
        if piece.isascii():
            return set()
        spoken = sound(piece)
        found = (
            self._words[one]
            for one in self._sounds.get(crc32(spoken.encode("utf-8", "surrogatepass")))
        )
        return {word for word in found if sound(word) == spoken}

    def one_edit(self, piece: str) -> set[str]:
        """Every word that is a piece, or one inserted, dropped, other or exchanged character away from it."""
        ids = {one for value in shortened(piece) for one in self._shorter.get(value)}
        found = {self._words[one] for one in ids}
        return {word for word in found if OSA.distance(word, piece, score_cutoff=1) <= 1}


def shortened(word: str) -> Iterator[int]:
    """The hashes of a word, and of the word without each of its characters."""
    coded = word.encode("utf-32-le", "surrogatepass")
    before = 0
    for at in range(0, len(coded), 4):
        yield crc32(coded[at + 4 :], before)
        before = crc32(coded[at : at + 4], before)
    yield before


def _hashes(sections: Mapping[str, Buffer], name: str) -> Hashes:
    arrays: list[Sequence[int]] = []
    for one in (name, f"{name}.ids"):
        values: array[int] | memoryview = memoryview(sections[one]).cast("B").cast("I")
        arrays.append(values)
    return Hashes(*arrays)
