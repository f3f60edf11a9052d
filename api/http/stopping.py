"""Whether the server was told to stop: known before it waits for the requests that are open."""

from __future__ import annotations

import asyncio
import signal

from sse_starlette.sse import AppStatus

from api.http.taking import Turns

LOOK = 0.2  # seconds between two looks


def told() -> bool:
    """Whether uvicorn, in this process, is about to exit.

    Its server is behind its signal handler, which sse-starlette may have put its own in the place of.
    """
    server = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    return AppStatus.should_exit or bool(getattr(server, "should_exit", False))


async def watch(turns: Turns, drain: float) -> None:
    """When the server is told to stop, let the turns that run end, or interrupt them: streams end with them."""
    while not told():
        await asyncio.sleep(LOOK)
    await turns.drain(drain)
