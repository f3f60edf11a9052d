"""For whoever runs the service: whether it lives, whether it can serve, and what it counts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from fastapi import APIRouter
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel, Field

from api.http.caller import At
from api.http.problems import Problem, described
from api.http.service import Service
from api.http.taking import Running
from dialogue.ledger import Unreachable
from dialogue.turn import Turn

router = APIRouter(tags=["operations"])
Ended = Callable[[Running, Turn | Problem, float], None]


class Health(BaseModel):
    """A process that answers."""

    status: str = Field(examples=["ok"])


class Ready(BaseModel):
    """What the service stands on: `ok`, or what is wrong."""

    status: str = Field(examples=["ready", "degraded"])
    ledger: str
    memory: str
    data: str
    semantic_hash: str
    data_version: str


@router.head("/healthz", include_in_schema=False)
@router.get("/healthz", response_model=Health)
async def alive() -> Health:
    """Whether the process lives."""
    return Health(status="ok")


@router.head("/readyz", include_in_schema=False)
@router.get("/readyz", response_model=Ready, responses=described("stopping"))
async def ready(at: At) -> Ready:
    """Whether turns can be taken; what is wrong with files, the log says. A lost ledger or memory is a degraded
    service, not a closed one."""
    if at.turns.stopping:
        raise Problem("stopping", "the service is stopping", retry_after=5)

    def looked() -> Ready:
        try:
            at.ledger.check()
            ledger = "ok"
        except Unreachable:
            ledger = "unreachable"
        memory = "unreachable" if getattr(at.memory, "failing", False) else "ok"
        fault = at.live.fault
        with at.live.held() as world:
            return Ready(
                status="ready" if ledger == memory == "ok" and fault is None else "degraded",
                ledger=ledger,
                memory=memory,
                data="ok" if fault is None else "the files that were replaced are not in use",
                semantic_hash=world.layer.hash,
                data_version=world.warehouse.data_version,
            )

    return await run_in_threadpool(looked)


@router.get(
    "/metrics",
    response_class=Response,
    responses={
        200: {"description": "Counters", "content": {"text/plain": {"schema": {"type": "string"}}}},
        **described("not-found"),
    },
)
async def metrics(at: At) -> Response:
    """Counters in the form of Prometheus; they name no user and no question."""
    if not at.settings.metrics:
        raise Problem("not-found", "metrics are off (WENSHU_METRICS)")
    return Response(at.measures.text(), media_type=CONTENT_TYPE_LATEST)


def observed(service: Service) -> Ended:
    """What is done when a turn has ended: it is counted, and the list of sessions shows it."""

    def write() -> None:
        if service.turns.stopping:  # the pool takes no more
            service.uses.write()
        else:
            service.turns.pool.submit(service.uses.write)

    def ended(running: Running, found: Turn | Problem, seconds: float) -> None:
        if isinstance(found, Problem):
            service.measures.unanswered(found.code)
            return
        service.measures.turn(found, seconds)
        if not found.seq:
            return
        due = service.used(found)
        if due is not None:
            asyncio.get_running_loop().call_later(due, write)

    return ended
