"""People who ask, each by a key: two tenants, two parks, those who look and those who may not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from api.identity.keys import KeyFile, Wanted

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC).timestamp()


@dataclass(frozen=True)
class People:
    """The keys of everybody, by who they are."""

    keys: Mapping[str, str]

    def __getitem__(self, who: str) -> str:
        return self.keys[who]


def at(park: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return (("park_id", (park,)),)


WANTED = {
    "ann": Wanted("ann", ("user",), tenant="acme", attributes=at("P001")),
    "ann moved": Wanted("ann moved", ("user",), "ann", "acme", at("P002")),
    "bob": Wanted("bob", ("user",), tenant="acme", attributes=at("P002")),
    "cat": Wanted("cat", ("user",), tenant="other", attributes=at("P001")),
    "ann elsewhere": Wanted("ann elsewhere", ("user",), "ann", "other", at("P001")),
    "nobody": Wanted("nobody", ("user",), tenant="acme"),
    "analyst": Wanted("analyst", ("analyst",), tenant="acme", everything=True),
    "other analyst": Wanted("other analyst", ("analyst",), tenant="acme", everything=True),
    "analyst of P001": Wanted("a1", ("analyst",), tenant="acme", attributes=at("P001")),
    "auditor": Wanted("auditor", ("auditor",), tenant="acme"),
    "auditor of all": Wanted("auditor of all", ("auditor",), tenant="acme", everything=True),
    "visitor": Wanted(
        "visitor",
        ("embed",),
        tenant="acme",
        attributes=at("P001"),
        origins=("https://portal.example",),
    ),
    "auditor elsewhere": Wanted("auditor elsewhere", ("auditor",), tenant="other", everything=True),
}


def people(home: Path) -> People:
    """Keys for everybody in the key file of a home."""
    home.mkdir(parents=True, exist_ok=True)
    file = KeyFile(home / "keys.json")
    made = {who: file.add(wanted, NOW)[1] for who, wanted in WANTED.items()}
    ends = datetime.fromtimestamp(1000, UTC)
    made["expired"] = file.add(Wanted("expired", user="ann", tenant="acme", expires=ends), 0)[1]
    gone, made["revoked"] = file.add(Wanted("revoked", user="ann", tenant="acme"), NOW)
    file.revoke(gone.id, NOW)
    made["unknown"] = made["bob"][:-4] + "AAAA"
    return People(made)
