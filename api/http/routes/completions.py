"""Chat completions: the face that existing chat clients know. The answer is text, with the whole turn beside it.

The client sends the conversation whole each time; what the user said last is asked, in the session that the
conversation is held in (`api.http.conversing`), or in one that is named.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import Annotated, Any, Literal

import anyio
from fastapi import APIRouter, Header, Path, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field
from sse_starlette import EventSourceResponse, ServerSentEvent

from api.http.bodies import LONGEST_TEXT
from api.http.caller import AsUser, At
from api.http.conversing import converse, turn_of
from api.http.events import safe
from api.http.openai_errors import ErrorOut, error_of
from api.http.problems import Problem
from api.http.routes.turns import JSON, STREAM, begin, ended
from api.http.service import Service
from api.http.taking import Running
from api.identity import Principal
from api.markdown import markdown
from dialogue.turn import Turn

MODEL = "wenshu"
END = "\n"  # of a line: some clients know no other
ANY: dict[int | str, dict[str, Any]] = {
    "default": {"model": ErrorOut, "description": "What went wrong"}
}
NO_TOKENS = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}  # no model takes part
router = APIRouter(prefix="/v1", tags=["completions"])


class _In(BaseModel):
    """Clients send many more fields, which change nothing here."""

    model_config = ConfigDict(extra="ignore")


class Part(_In):
    """A part of a message."""

    type: str
    text: str | None = None


class Message(_In):
    """A message. Only a user's is read."""

    role: Literal["user", "assistant", "system", "developer", "tool", "function"]
    content: str | list[Part] | None = None


class StreamOptions(_In):
    """What a stream tells besides."""

    include_usage: bool = False


class Format(_In):
    """The form that an answer should have."""

    type: str


class CompletionIn(_In):
    """A conversation, to be answered."""

    model: str = Field(max_length=200, examples=[MODEL])
    messages: list[Message] = Field(min_length=1, max_length=2000)
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    n: int | None = None
    tool_choice: str | dict[str, Any] | None = None
    response_format: Format | None = None
    metadata: dict[str, str] | None = Field(
        None, description="`session_id`: the session that is meant, as `X-Session-Id`"
    )


class CompletionOut(BaseModel):
    """An answer. `wenshu` holds the whole turn."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[dict[str, Any]]
    usage: dict[str, int]
    wenshu: dict[str, Any]


class ModelOut(BaseModel):
    """The one model."""

    id: str = MODEL
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = MODEL


class ModelsOut(BaseModel):
    """The models: one."""

    object: Literal["list"] = "list"
    data: list[ModelOut] = [ModelOut()]


@router.get("/models", response_model=ModelsOut, responses=ANY)
async def models(_who: AsUser) -> ModelsOut:
    """The models: one."""
    return ModelsOut()


@router.get("/models/{model}", response_model=ModelOut, responses=ANY)
async def model(model: Annotated[str, Path(max_length=200)], _who: AsUser) -> ModelOut:
    """A model."""
    _is_model(model)
    return ModelOut()


@router.post(
    "/chat/completions",
    response_class=Response,
    responses={
        200: {
            "description": "The answer; as a stream of chunks where `stream` asks for it",
            "model": CompletionOut,
            "content": {STREAM: {"schema": {"type": "string"}}},
        },
        **ANY,
    },
)
async def complete(
    request: Request,
    body: CompletionIn,
    at: At,
    who: AsUser,
    session_id: Annotated[str | None, Header(alias="X-Session-Id", max_length=200)] = None,
    key: Annotated[
        str | None,
        Header(alias="Idempotency-Key", min_length=1, max_length=200, pattern=r"^[\x21-\x7e]+$"),
    ] = None,
) -> Response:
    """Answer what the user said last."""
    said = _asked(body)
    named = session_id or (body.metadata or {}).get("session_id")
    found = await (
        begin(at, who, named, {"question": said[-1]}, key) if named else converse(at, who, said)
    )
    answer = _Answer(at, who, found)
    if body.stream:
        usage = body.stream_options is not None and body.stream_options.include_usage
        return answer.streamed(usage)
    return Response(await answer.whole(request), media_type=JSON)


def _is_model(name: str) -> None:
    if name != MODEL:
        raise Problem("not-found", f"there is one model here: {MODEL}", "model")


def _asked(body: CompletionIn) -> tuple[str, ...]:
    """What the user said, in order. Raises `Problem` for what cannot be served as it is meant."""
    _is_model(body.model)
    if body.n not in (None, 1):
        raise Problem("bad-request", "one answer is given: n is 1", "n")
    if body.tool_choice not in (None, "none", "auto"):
        raise Problem(
            "bad-request", "no tool is called here: tool_choice is auto or none", "tool_choice"
        )
    if body.response_format is not None and body.response_format.type != "text":
        raise Problem(
            "bad-request",
            "the answer is text; the turn as JSON is in `wenshu`, beside the choices",
            "response_format",
        )
    mine = [index for index, message in enumerate(body.messages) if message.role == "user"]
    if not mine:
        raise Problem("bad-request", "a message of the user is needed", "messages")
    last = mine.pop()
    wrong = _wrong(body.messages[last])
    if wrong:
        raise Problem("bad-request", wrong, f"messages.{last}.content")
    # What was refused when it was sent was never asked, though clients go on sending it.
    before = (body.messages[index] for index in mine)
    return (*(_text(one) for one in before if not _wrong(one)), _text(body.messages[last]))


def _wrong(message: Message) -> str:
    """Why a message cannot be asked; empty where it can."""
    if isinstance(message.content, list):
        for part in message.content:
            if part.type != "text":
                return f"only text is read here, no {part.type[:40]}"
    text = _text(message)
    if len(text) > LONGEST_TEXT:
        return f"a message has {LONGEST_TEXT} characters at most"
    return "" if _whole(text) else "a message is Unicode text: there is half a character in it"


def _whole(text: str) -> bool:
    """Whether no half of a surrogate pair stands alone, as JSON may have it."""
    return not any("\ud800" <= char <= "\udfff" for char in text)


def _text(message: Message) -> str:
    if isinstance(message.content, list):
        return "\n".join(part.text or "" for part in message.content)
    return message.content or ""


class _Answer:
    """The answer to one request, whole or in chunks."""

    def __init__(self, at: Service, who: Principal, found: Running | str) -> None:
        self._at, self._who, self._found = at, who, found
        turn_id = found.turn_id if isinstance(found, Running) else json.loads(found)["turn_id"]
        self._head = {
            "id": f"chatcmpl-{turn_id}",
            "object": "chat.completion",
            "created": int(at.wall.now().timestamp()),
            "model": MODEL,
        }

    async def whole(self, request: Request) -> str:
        """The answer as one JSON."""
        if isinstance(self._found, Running):
            turn, text = await ended(request, self._found)
        else:
            turn, text = await turn_of(self._at, self._who, self._found)
        message = {"role": "assistant", "content": await self._words(turn), "refusal": None}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        return _beside(self._head | {"choices": [choice], "usage": NO_TOKENS}, text)

    def streamed(self, usage: bool) -> Response:
        """The answer as chunks; where the client goes away, the turn is interrupted after a while."""
        return EventSourceResponse(
            self._chunks({"usage": None} if usage else {}),
            headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"},
            ping=self._at.settings.heartbeat,
            sep=END,
            shutdown_event=anyio.Event(),  # a stream ends with its turn, also when the service stops
            shutdown_grace_period=60,
        )

    async def _chunks(self, usage: dict[str, None]) -> AsyncIterator[ServerSentEvent]:
        head = self._head | {"object": "chat.completion.chunk"} | usage
        running = self._found if isinstance(self._found, Running) else None
        try:
            yield _event(head | {"choices": [_delta({"role": "assistant", "content": ""})]})
            if running is not None:
                async for _ in running.stream.after(0):  # is read, so that its end is noticed
                    pass
            turn, text = await turn_of(self._at, self._who, self._found)
            for block in _blocks(await self._words(turn)):
                yield _event(head | {"choices": [_delta({"content": block})]})
            last = head | {"choices": [_delta({}, "stop")]}
            yield _sent(_beside(last, text))
            if usage:
                yield _event(head | {"choices": [], "usage": NO_TOKENS})
            yield _sent("[DONE]")
        except Problem as problem:
            yield _event(error_of(problem.code, problem.detail, problem.where or None))
        finally:
            if running is not None:
                self._at.turns.left(running, self._at.settings.grace)

    async def _words(self, turn: Turn) -> str:
        def drawn() -> str:
            with self._at.live.held() as world:
                return markdown(world, turn)

        return await run_in_threadpool(drawn)


def _delta(delta: dict[str, str], reason: str | None = None) -> dict[str, object]:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}


def _blocks(text: str) -> Iterator[str]:
    """A text in pieces that make it up again: its paragraphs, each with the break after it."""
    first, *rest = text.split("\n\n")
    yield first
    for block in rest:
        yield f"\n\n{block}"


def _event(data: object) -> ServerSentEvent:
    return _sent(json.dumps(data, ensure_ascii=False, separators=(",", ":")))


def _sent(text: str) -> ServerSentEvent:
    return ServerSentEvent(safe(text), sep=END)


def _beside(data: dict[str, object], turn: str) -> str:
    """JSON with the turn's, which is there already."""
    return f'{json.dumps(data, ensure_ascii=False, separators=(",", ":"))[:-1]},"wenshu":{turn}}}'
