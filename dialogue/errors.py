"""The outcomes of a turn that is not answered: it asks back, or it declines. Raised while slots are filled."""

from __future__ import annotations

from dataclasses import dataclass, field

from dialogue.state import About, Option


@dataclass(frozen=True)
class Ask(Exception):
    """One question back is needed, with options to click; `expired` is what was chosen too long ago."""

    about: About
    subject: str
    options: tuple[Option, ...] = ()
    facts: dict[str, str] = field(default_factory=dict)
    more: int = 0
    expired: str = ""


@dataclass(frozen=True)
class Refuse(Exception):
    """The turn cannot be answered; `code` keys the message, `offers` are the nearest things that can,
    each with its identifier and its label."""

    code: str
    facts: dict[str, str] = field(default_factory=dict)
    offers: tuple[tuple[str, str], ...] = ()
