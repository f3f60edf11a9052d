"""Turns: asked, streamed, taken up again, cancelled; shown, replayed and exported later."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from typing import Annotated, Any, get_args

import anyio
from fastapi import APIRouter, Body, Header, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from sse_starlette import EventSourceResponse, ServerSentEvent

from api.commands.replay import verdict_json
from api.export import Tables, export, zipped
from api.feedback_json import mark_of as mark_from
from api.http.bodies import (
    SEEN,
    FeedbackIn,
    FeedbackOut,
    OptionOut,
    OptionsOut,
    SessionId,
    TurnId,
    TurnIn,
    TurnOut,
    VerdictOut,
)
from api.http.caller import AsAnyone, AsNamed, AsVisitor, At
from api.http.events import Name
from api.http.marks import mark_of, repeated
from api.http.problems import Problem, responses
from api.http.service import Service
from api.http.stored import entry_of, own, reached, sees, stored
from api.http.taking import Running
from api.identity import Hidden, Principal
from api.request_json import RequestError, request_of
from api.turn_json import choice_json
from api.wiring import new_id, versions
from dialogue.faults import quotable
from dialogue.feedback import give
from dialogue.ledger import UnknownTurn
from dialogue.record import record_of
from dialogue.replay import Replayer
from dialogue.reply import searched
from dialogue.session import Asked
from dialogue.turn import Turn
from nl2sql.warehouse import parquet, unparquet

router = APIRouter(prefix="/v1", tags=["turns"])
LOOK = 1.0  # seconds between two looks whether a client is still there
STREAM = "text/event-stream"
JSON = "application/json"
_EVENT = {  # of a stream, as OpenAPI 3.2 describes one
    "type": "object",
    "required": ["id", "event", "data"],
    "properties": {
        "id": {"type": "string", "pattern": "^[0-9]+$"},
        "event": {"enum": [*get_args(Name)]},
        "data": {"type": "string", "contentMediaType": JSON},
    },
}
_EVENTS: dict[str, Any] = {STREAM: {"itemSchema": _EVENT}}
_STREAMED: dict[str, Any] = {
    "description": "The turn; as a stream of events where `Accept: text/event-stream` asks for it: "
    "`reading, slots, clarify, sql, rows, text`, and at last one `turn` or `error`.",
    "model": TurnOut,
    "content": _EVENTS,
}
_EXAMPLES: dict[str, Any] = {
    "question": {"value": {"question": "张江科技园2026年8月各楼栋空置房源数"}},
    "choose": {"value": {"choose": "receivable_amount"}},
    "edit": {"value": {"edit": [{"slot": "filters", "value": {"park_id": ["P002"]}}]}},
    "undo": {"value": {"undo": True}},
    "keep": {"value": {"keep": True}},
}


@router.post(
    "/sessions/{session_id}/turns",
    response_class=Response,
    responses={
        200: _STREAMED,
        **responses(
            "not-found", "busy", "conflict", "key-reused", "interrupted", "archived", "unrecorded",
            "unavailable", "stopping",
        ),
    },
)  # fmt: skip
async def ask(
    session_id: SessionId,
    request: Request,
    at: At,
    who: AsVisitor,
    body: Annotated[TurnIn, Body(openapi_examples=_EXAMPLES)],
    key: Annotated[
        str | None,
        Header(
            alias="Idempotency-Key",
            min_length=1,
            max_length=200,
            pattern=r"^[\x21-\x7e]+$",
            description="The same key and request give the same turn, taken once",
        ),
    ] = None,
    last: Annotated[str | None, Header(alias="Last-Event-ID", max_length=20)] = None,
) -> Response:
    """Take a turn: a question, a click, edits by hand, undo, or keep."""
    asked = body.model_dump(exclude_unset=True, exclude={"web_search"})
    running = await begin(at, who, session_id, asked, key)
    if isinstance(running, str):
        return once(running) if wants_stream(request) else Response(running, media_type=JSON)
    if wants_stream(request):
        return streamed(at, running, _number(last))
    return await awaited(request, running)


async def begin(
    at: Service, who: Principal, session_id: str, body: dict[str, object], key: str | None = None
) -> Running | str:
    """Begin a turn, or give the JSON of the one that was taken for the same key. Raises `Problem`."""
    try:
        asked_for = request_of(body)
    except RequestError as error:
        raise Problem("bad-request", error.wanted, error.where) from error
    listed = at.known(session_id)
    if listed is None:
        listed = await run_in_threadpool(at.session, session_id, who)
    else:
        who.require_own(listed.owner)
    mark = mark_of(who.user.id, session_id, key, asked_for) if key is not None else None
    while mark is not None:
        before = await repeated(at, who, session_id, mark)
        if before is not None:
            return before
        if (
            at.turns.marked(mark.key) is None
        ):  # nor was it begun meanwhile: nothing is awaited from here
            break
    asked = Asked(
        asked_for,
        who.user,
        at.moment(),
        turn_id=new_id(),
        mark="" if mark is None else mark.text,
        tenant=who.tenant,
        first=listed.turns == 0,
    )
    return at.turns.start(session_id, who.user.id, asked)


async def awaited(request: Request, running: Running) -> Response:
    """The turn when it has ended; interrupted where the client goes away before."""
    return Response((await ended(request, running))[1], media_type=JSON)


async def ended(request: Request, running: Running) -> tuple[Turn, str]:
    """The turn and its JSON when it has ended; interrupted where the client goes away before."""
    while True:
        done, _ = await asyncio.wait([running.done], timeout=LOOK)
        if done:
            return await running.turn()
        if await request.is_disconnected():
            running.halt.now("cancelled")


def streamed(at: Service, running: Running, after: int) -> Response:
    """The events of a turn as they come; where its last reader goes away, it is interrupted after a while."""

    async def events() -> AsyncIterator[ServerSentEvent]:
        try:
            async with aclosing(running.stream.after(after)) as found:
                async for event in found:
                    yield _sent(event.data, event.name, event.number)
        finally:
            at.turns.left(running, at.settings.grace)

    return _stream(events(), at.settings.heartbeat, running.turn_id)


def once(text: str) -> Response:
    """A turn that was taken before, as a stream of its last event."""

    async def events() -> AsyncIterator[ServerSentEvent]:
        yield _sent(text, "turn", 1)

    return _stream(events(), 15)


def _sent(data: str, name: str, number: int) -> ServerSentEvent:
    return ServerSentEvent(data, event=name, id=str(number), sep="\n")


def _stream(
    events: AsyncIterator[ServerSentEvent], heartbeat: float, turn_id: str = ""
) -> Response:
    headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    if turn_id:
        headers["Location"] = f"/v1/turns/{turn_id}/events"
    return EventSourceResponse(
        events,
        headers=headers,
        ping=heartbeat,
        sep="\n",
        shutdown_event=anyio.Event(),  # a stream ends with its turn, also when the service stops
        shutdown_grace_period=60,
    )


@router.get(
    "/turns/{turn_id}",
    response_class=Response,
    responses={200: {"model": TurnOut}, **responses("not-found", "interrupted", "unavailable")},
)
async def shown(turn_id: TurnId, at: At, who: AsAnyone) -> Response:
    """A turn that was taken. Its rows are found again; where the data are others now, `result` is null."""
    running = kept(at, turn_id, who)
    if running is not None and running.done.done():
        return Response((await running.turn())[1], media_type=JSON)
    turn = await run_in_threadpool(stored, at, turn_id, who)
    return Response(at.turns.present(turn), media_type=JSON)


@router.get(
    "/turns/{turn_id}/events",
    response_class=Response,
    responses={
        200: {"description": "Events, and at last one `turn` or `error`.", "content": _EVENTS},
        204: {"description": "Nothing follows what was received."},
        **responses("not-found", "interrupted", "unavailable"),
    },
)
async def resumed(
    turn_id: TurnId,
    at: At,
    who: AsVisitor,
    last: Annotated[str | None, Header(alias="Last-Event-ID", max_length=20)] = None,
) -> Response:
    """The events of a turn after `Last-Event-ID`; of one that ended long ago, its last. Nothing (204, which
    an `EventSource` takes as the end) where its last was received."""
    running = kept(at, turn_id, who)
    if running is not None and running.stream.over(_number(last)):
        return Response(status_code=204)
    if running is not None:
        return streamed(at, running, _number(last))
    turn = await run_in_threadpool(stored, at, turn_id, who)
    return once(at.turns.present(turn))


@router.get(
    "/turns/{turn_id}/options",
    response_model=OptionsOut,
    responses=responses("not-found", "interrupted", "unavailable"),
)
async def options(
    turn_id: TurnId,
    at: At,
    who: AsVisitor,
    q: Annotated[str, Query(max_length=100, pattern=SEEN, description="A part of the label")] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> OptionsOut:
    """The candidates of the question that a turn asked back, those it did not list too; none of other turns."""

    def found() -> OptionsOut:
        turn = stored(at, turn_id, who)
        pending = (turn.parts or (turn,))[-1].changes.pending
        if turn.outcome != "clarify" or pending is None:
            return OptionsOut(options=[], more=False)
        some, more = searched(pending, q, limit)
        return OptionsOut(options=[OptionOut(**choice_json(item)) for item in some], more=more)

    return await run_in_threadpool(found)


@router.post(
    "/turns/{turn_id}/cancel",
    status_code=202,
    response_class=Response,
    responses=responses("not-found", "unavailable"),
)
async def cancel(turn_id: TurnId, at: At, who: AsVisitor) -> Response:
    """Interrupt a turn that is being taken; it ends as an error that says so, and is recorded."""
    running = at.turns.find(turn_id)
    if running is None or not who.owns(running.owner):
        await run_in_threadpool(own, at, turn_id, who)
    else:
        running.halt.now("cancelled")
    return Response(status_code=202)


@router.post(
    "/turns/{turn_id}/feedback",
    status_code=201,
    response_model=FeedbackOut,
    responses=responses("not-found", "interrupted", "unavailable"),
)
async def feedback(turn_id: TurnId, body: FeedbackIn, at: At, who: AsVisitor) -> FeedbackOut:
    """Mark a turn as right or wrong; the last mark of a user counts. It is recorded with the turn's session."""

    def given() -> FeedbackOut:
        entry = entry_of(at, turn_id, who, "feedback")
        try:
            mark = mark_from(body.model_dump(exclude_unset=True))
        except RequestError as error:
            raise Problem("bad-request", error.wanted, error.where) from error
        try:
            with reached():
                made = give(at.ledger, turn_id, mark, who.user.id)
        except UnknownTurn as error:
            raise Problem("interrupted", str(error)) from error
        return FeedbackOut(
            turn_id=turn_id,
            session_id=entry.intent.session_id,
            thumb=mark.thumb,
            code=mark.code,
            hash=made.hash,
        )

    return await run_in_threadpool(given)


@router.post(
    "/turns/{turn_id}/replay",
    response_class=Response,
    responses={200: {"model": VerdictOut}, **responses("not-found", "interrupted", "unavailable")},
)
async def replay(turn_id: TurnId, at: At, who: AsNamed) -> Response:
    """Take a recorded turn again: the same, or what changed and how it shows."""

    def verdict() -> dict[str, object]:
        entry = entry_of(at, turn_id, who, "replay")
        if entry.outcome is None:
            raise Problem("interrupted", "a turn that was interrupted cannot be replayed")
        with at.live.held() as world, reached():
            record = record_of(entry)
            replayer = Replayer(world, versions(), at.ledger.layer_text, unparquet, quotable)
            found = replayer.verdict(record)
            if not sees(
                world, record, who
            ):  # the differences are of rows, and of what was said of them
                blank = tuple(replace(item, differences=()) for item in found.findings)
                found = replace(found, findings=blank)
            return dict(verdict_json(found))

    found = await run_in_threadpool(verdict)
    return Response(json.dumps(found, ensure_ascii=False), media_type=JSON)


@router.get(
    "/turns/{turn_id}/export",
    response_class=Response,
    responses={
        200: {
            "description": "A zip file that stands by itself",
            "content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}},
        },
        **responses("not-found", "unavailable"),
    },
)
async def exported(turn_id: TurnId, at: At, who: AsNamed) -> Response:
    """The bundle of a turn: a page to read, its rows, the proof, and a script that checks them."""

    def bundle() -> bytes:
        entry = entry_of(at, turn_id, who, "export")
        with at.live.held() as world, reached():
            if not sees(world, record_of(entry), who):
                raise Hidden("not-owner", "its rows are not yours to see", who.user.id, who.told)
            tables = Tables(parquet, unparquet, world.warehouse)
            files = export(at.ledger, [entry], tables)
        return zipped(files, f"wenshu-{turn_id}")

    data = await run_in_threadpool(bundle)
    name = f'attachment; filename="wenshu-{turn_id}.zip"'
    return Response(data, media_type="application/zip", headers={"Content-Disposition": name})


def kept(at: Service, turn_id: str, who: Principal) -> Running | None:
    """A turn that runs, or ran a while ago, if it is the caller's and its rows may still be seen."""
    running = at.turns.find(turn_id)
    if running is None or not who.owns(running.owner) or not at.turns.shows(running, who.user):
        return None  # who may see it as it is recorded, the ledger's door decides
    return running


def wants_stream(request: Request) -> bool:
    """Whether a client asks for events."""
    return STREAM in request.headers.get("accept", "")


def _number(last: str | None) -> int:
    return int(last) if last is not None and last.isascii() and last.isdigit() else 0
