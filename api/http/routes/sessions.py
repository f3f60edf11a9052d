"""Sessions: begun, listed, renamed, taken off the list. Each belongs to the user who began it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated, TypeVar

from fastapi import APIRouter, Query
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from api.http.bodies import (
    SEEN,
    Rename,
    SessionId,
    SessionIn,
    SessionOut,
    SessionsOut,
    SessionTurns,
)
from api.http.caller import AsAnyone, AsUser, AsVisitor, At
from api.http.problems import responses, unavailable
from api.http.stored import history, marks
from dialogue.compact import compact
from dialogue.directory import Listed
from dialogue.ledger import Unreachable

T = TypeVar("T")
router = APIRouter(prefix="/v1/sessions", tags=["sessions"])
Words = Annotated[str, Query(max_length=100, pattern=SEEN, description="Words of the title")]


@router.post("", status_code=201, response_model=SessionOut, responses=responses("unavailable"))
async def begin(at: At, who: AsVisitor, body: SessionIn | None = None) -> SessionOut:
    """Begin a session."""
    title = "" if body is None else body.title
    return told(await run_in_threadpool(_reached, lambda: at.open_session(who, title)))


@router.get("", response_model=SessionsOut, responses=responses("unavailable"))
async def listed(
    at: At,
    who: AsUser,
    q: Words = "",
    before: Annotated[
        str, Query(max_length=120, pattern=SEEN, description="`next` of the page before")
    ] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> SessionsOut:
    """The caller's sessions, the one used last first."""

    def looked() -> tuple[Listed, ...]:
        at.uses.write()  # what was asked here just now stands in the list
        return at.directory.of(who.user.id, q, before, limit)

    found = await run_in_threadpool(_reached, looked)
    more = found[-1].place if len(found) == limit else None
    return SessionsOut(sessions=[told(item) for item in found], next=more)


@router.get(
    "/{session_id}",
    response_class=Response,
    responses={200: {"model": SessionTurns}, **responses("not-found", "unavailable")},
)
async def one(session_id: SessionId, at: At, who: AsAnyone) -> Response:
    """A session with its turns, and the caller's marks on them; an auditor may see those of others, which is
    recorded."""
    found = await run_in_threadpool(at.session, session_id, who, to_read=True)
    turns = await run_in_threadpool(history, at, found, who)
    given = await run_in_threadpool(marks, at, found, who)
    head = {
        **told(found).model_dump(),
        "marks": {turn_id: asdict(mark) for turn_id, mark in given.items()},
    }
    return Response(
        f'{compact(head)[:-1]},"history":[{",".join(turns)}]}}', media_type="application/json"
    )


@router.patch(
    "/{session_id}", response_model=SessionOut, responses=responses("not-found", "unavailable")
)
async def rename(session_id: SessionId, body: Rename, at: At, who: AsUser) -> SessionOut:
    """Give a session a name."""

    def change() -> Listed:
        at.session(session_id, who)
        at.directory.rename(session_id, body.title)
        at.renamed(session_id)
        return at.session(session_id, who)

    return told(await run_in_threadpool(_reached, change))


@router.delete(
    "/{session_id}",
    status_code=204,
    response_class=Response,
    responses=responses("not-found", "unavailable"),
)
async def delete(session_id: SessionId, at: At, who: AsUser) -> Response:
    """Take a session off the list, with its title, and interrupt its turn. What the ledger recorded stays for
    auditors until it is erased there (`wenshu audit erase`)."""

    def gone() -> None:
        at.session(session_id, who)
        at.directory.delete(session_id)
        at.renamed(session_id)
        at.sessions.forget(session_id, who.tenant)

    await run_in_threadpool(_reached, gone)
    at.turns.forget(session_id)
    return Response(status_code=204)


def told(found: Listed) -> SessionOut:
    """A session as it is sent."""
    return SessionOut(
        session_id=found.session_id,
        title=found.title,
        created=found.created,
        updated=found.updated,
        turns=found.turns,
    )


def _reached(do: Callable[[], T]) -> T:
    try:
        return do()
    except Unreachable as error:
        raise unavailable(error) from error
