"""A clause that says who wants a number, or what for, and asks for nothing: 财务要个数, for the board meeting.

It is passed over where every word of it is known for that; with any other word, or with one that a layer has a use
for (做预算, where 预算 is a metric), it is read like all else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import resources
from typing import TypeAlias

import yaml

from nl2sql.reading.tokens import Token

_Words: TypeAlias = Mapping[str, Sequence[str]]

_CLAUSE = re.compile(r"[^\s,:;。.!?…\n—][^,:;。.!?…\n—]*")
_ASKING = r"(?=\s+(?:i|we) (?:need|want)|\s+(?:can|could|please|show|give|what|how|tell)\b)"
_LONGEST = 60
_MOST = "{0,4}"
_PER_CHARACTER = 12.0


def find(text: str, registered: Callable[[str], bool]) -> Iterator[Token]:
    """The preambles in a normalised text that says something besides. What is made or met for is no `registered`
    word, nor is who is named with no word of asking (for the board): these may be values."""
    clauses = list(_CLAUSE.finditer(text))
    for clause in clauses:
        start = clause.start()
        end = start + len(clause.group().rstrip())
        alone = len(clauses) == 1 or end - start > _LONGEST
        match = None if alone else _whole().fullmatch(text, start, end)
        match = match or _leading().match(text, start, min(end, start + _LONGEST))
        if match is None or any(registered(who) for who in match.groups() if who):
            continue
        yield Token(start, match.end(), "filler", None, (match.end() - start) * _PER_CHARACTER)


@lru_cache(maxsize=1)
def _whole() -> re.Pattern[str]:
    """A clause that is a preamble."""
    words = _words()
    return re.compile("|".join((*_chinese(words["zh"]), *_english(words["en"]))))


@lru_cache(maxsize=1)
def _leading() -> re.Pattern[str]:
    """An English one that no mark ends, but the question."""
    return re.compile(f"(?:{'|'.join(_english(_words()['en']))}){_ASKING}")


def _chinese(words: _Words) -> tuple[str, ...]:
    one = {name: _any(words[name]) for name in words if name != "surnames"}
    who = rf"(?:{one['people']}|[{words['surnames']}]{one['titles']}){one['groups']}?"
    tails, doing = one["tails"] + _MOST, one["doing"] + _MOST
    thing = rf"{one['some']}{_MOST}{one['things']}?{tails}"
    event = rf"({one['events']}){one['at']}?"
    then = rf"(?:给{who}|{one['doing']}|{one['whens']})"
    return (
        rf"{who}{one['lately']}{_MOST}{one['asks']}{thing}",
        rf"{doing}[帮替给代]{who}{one['helps']}{thing}",
        rf"{doing}{one['works']}了?{one['some']}{_MOST}({one['documents']}){one['uses']}?{tails}",
        rf"({one['documents']}){one['uses']}{tails}",
        rf"{then}{then}{_MOST}{event}{one['uses']}?{tails}",
        rf"{event}{one['uses']}{tails}",
        rf"{doing}是?给{who}{one['shown']}{one['uses']}?{tails}",
        one["fixed"],
    )


def _english(words: _Words) -> tuple[str, ...]:
    one = {name: _any(words[name]) for name in words}
    kinds = rf"(?:{one['the']} )?(?:{one['kinds']} ){_MOST}"
    event = rf"{kinds}({one['events']})"
    made = rf"{one['making']}(?: {one['needed']})?(?: for)?"
    return (
        rf"{kinds}{one['people']} {one['asks']}(?: {one['things']}){_MOST}",
        rf"{one['before']} {event}",
        rf"{one['before']} {kinds}({one['readers']})",
        rf"{one['behalf']} (?:{kinds}{one['people']}|{event})",
        rf"(?:(?:i|we)(?: am|'m| are|'re)? )?{made} {event}",
        one["fixed"],
    )


def _any(words: Sequence[str]) -> str:
    return f"(?:{'|'.join(re.escape(word) for word in sorted(words, key=len, reverse=True))})"


@lru_cache(maxsize=1)
def _words() -> Mapping[str, _Words]:
    source = resources.files("nl2sql.reading").joinpath("words", "preambles.yaml")
    found: dict[str, _Words] = yaml.load(source.read_text("utf-8"), yaml.BaseLoader)
    return found
