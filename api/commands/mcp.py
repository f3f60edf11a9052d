"""`wenshu mcp`: the service as an MCP server on standard input and output, for a client on this machine."""

from __future__ import annotations

import asyncio
import sys
from datetime import datetime

import anyio

from api.commands.serve import REFUSED, opened
from api.http import settings as reading
from api.http.erased import Erased
from api.http.logs import configure
from api.http.routes.operations import observed
from api.http.service import Service
from api.identity import OPEN
from api.mcp_server.tools import server


def run(clock: datetime | None, **given: object) -> int:
    """Serve until the client goes away. 2 where the service cannot start. Logs go to standard error."""
    try:
        found = reading.read(**given)
        configure(found)
        service = opened(found, clock)
    except REFUSED as error:
        print(error, file=sys.stderr)
        return 2
    anyio.run(_serve, service)
    return 0


async def _serve(service: Service) -> None:
    """Whoever starts the process is its user, as on the command line."""
    made = server(service, lambda _: OPEN)
    service.turns.ended.append(observed(service))
    service.live.start()
    erased = Erased(service)
    await erased.look()
    watching = asyncio.create_task(erased.watch())
    try:
        await made.run_stdio_async()
    finally:
        watching.cancel()
        with anyio.CancelScope(shield=True):
            await service.turns.drain(service.settings.drain)
        service.close()
