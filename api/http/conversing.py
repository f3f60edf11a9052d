"""A conversation that a client sends whole each time: which session it is held in, and its last message taken there.

Only what the user said counts. What comes as an assistant's, a system's or a tool's is not read: state is
structure, not history.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from fastapi.concurrency import run_in_threadpool

from api.http.problems import Problem
from api.http.routes.turns import begin
from api.http.service import Service
from api.http.stored import stored
from api.http.taking import Running
from api.identity import Principal
from dialogue.conversations import Conversations, Place, key_of
from dialogue.turn import Turn

AGAIN = 20  # messages that are taken again where no session holds a conversation: a choice lasts that long
TRIES = 5  # of a message whose turn did not come to an answer


async def converse(at: Service, who: Principal, said: Sequence[str]) -> Running | str:
    """Take the last message of a conversation: the turn as it runs, or the JSON of the one taken for it already.

    The same messages within a while (`kept_streams`) are the same request, and give the same turn. A conversation
    that goes on stays in its session. One that is known nowhere (edited, branched, begun elsewhere) has a session
    of its own, in which what was said before is taken again first. Raises `Problem`, `Unreachable`.
    """
    place = await run_in_threadpool(placed, at, who, said)
    for count in range(place.start + 1, len(said)):
        running = await _message(at, who, place.session_id, said[:count])
        if isinstance(running, Running):
            await running.turn()
    return await _message(at, who, place.session_id, said)


def placed(at: Service, who: Principal, said: Sequence[str]) -> Place:
    """Where the last message of a conversation is taken."""
    known, owner = Conversations(at.directory), who.user.id
    key, now = key_of(owner, said), at.wall.now().timestamp()
    since = now - at.settings.kept_streams
    found = known.find(key, since)
    if found is not None:
        return found
    session = known.go_on(key_of(owner, said[:-1]), key) if len(said) > 1 else None
    if session is not None:
        return known.claim(key, Place(session, len(said) - 1), now, since)
    own = Place(at.open_session(who).session_id, max(0, len(said) - 1 - AGAIN))
    taken = known.claim(key, own, now, since)
    if taken != own:  # the same request came twice at once
        at.directory.delete(own.session_id)
    return taken


async def _message(
    at: Service, who: Principal, session_id: str, said: Sequence[str]
) -> Running | str:
    """Take a message once. What was interrupted, or ended as an error, is taken again when it is asked again."""
    key = key_of(who.user.id, said)
    for tries in range(1, TRIES + 1):
        try:
            found = await begin(at, who, session_id, {"question": said[-1]}, key)
        except Problem as problem:
            if problem.code != "interrupted" or tries == TRIES:
                raise
            key = _next(key, problem.code)
            continue
        if isinstance(found, Running) or tries == TRIES:
            break
        turn = json.loads(found)
        if turn["outcome"] != "error":
            break
        key = _next(key, turn["turn_id"])
    return found


def _next(key: str, after: str) -> str:
    """The key of the next try of what a key stood for."""
    return hashlib.sha256(f"{key} {after}".encode()).hexdigest()


async def turn_of(at: Service, who: Principal, found: Running | str) -> tuple[Turn, str]:
    """A turn and its JSON, when it has ended. Raises `Problem`."""
    if isinstance(found, Running):
        return await found.turn()
    turn_id = str(json.loads(found)["turn_id"])
    running = at.turns.find(turn_id)
    if running is not None and at.turns.shows(running, who.user):
        return await running.turn()
    return await run_in_threadpool(stored, at, turn_id, who), found
