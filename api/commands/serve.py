"""`wenshu serve`: the service, until it is stopped; and the page that `wenshu demo` ends with."""

from __future__ import annotations

import gc
import os
import socket
import sys
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import structlog
import uvicorn

from api.http import settings as reading
from api.http.app import create_app
from api.http.logs import configure
from api.http.service import Service, open_service
from api.http.settings import Settings, SettingsError
from api.identity import IdentityError, at_start
from api.live import Fault
from api.settings import COLLECT, PlaceError
from dialogue.ledger import LedgerError
from dialogue.turn import Turn
from nl2sql.errors import WarehouseError
from semantic_layer.errors import LayerError
from semantic_layer.protocols import LOCAL

if TYPE_CHECKING:
    from fastapi import FastAPI

CLOCK = "WENSHU_CLOCK"
LOCALHOST = "127.0.0.1"
# Seconds that a connection without a request stays open: longer than proxies and clients keep theirs (60 as a rule),
# for whoever ends it first may do so just when the other one sends.
KEPT_OPEN = 75


def run(clock: datetime | None, **given: object) -> int:
    """Serve until stopped. 2 where the service cannot start."""
    try:
        found = reading.read(**given)
        configure(found)
        service = opened(found, clock)
        told = at_start(service.identity)
    except REFUSED as error:
        print(error, file=sys.stderr)
        return 2
    structlog.get_logger("wenshu").info(
        "start", address=f"http://{found.host}:{found.port}", identity=told
    )
    if found.workers > 1:
        service.close()  # each worker opens its own
        _hand_on(found, clock)
        _serve("api.commands.serve:worker", found)
    else:
        _serve(create_app(service), found)
    return 0


REFUSED = (SettingsError, IdentityError, PlaceError, LayerError, WarehouseError, LedgerError)


def page(ledger: str | None, session: str, turns: Sequence[Turn]) -> int:
    """Serve the page to this machine until stopped, a conversation in its list. 2 where it cannot be served."""
    try:
        found = reading.read(
            host=LOCALHOST, workers=1, ledger=ledger, log_level="warning", log_format="text"
        )
        configure(found)
        listening = _listening(found.port)
        service = opened(found, None)
        service.directory.open(session, LOCAL.id, service.wall.now())
        for turn in turns:
            service.used(turn)
        service.uses.write()
    except REFUSED as error:
        print(error, file=sys.stderr)
        return 2
    with listening:
        place = f"http://{LOCALHOST}:{listening.getsockname()[1]}/"
        print(f"\n对话页 · the chat page: {place} （Ctrl-C 结束 · stops it）", flush=True)
        _serve(create_app(service), found, listening)
    return 0


def _listening(port: int) -> socket.socket:
    """A port of this machine. Raises `SettingsError` where somebody else has it."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((LOCALHOST, port))
        made.listen()  # who is quick is kept waiting, not turned away
    except OSError as error:
        made.close()
        raise SettingsError(
            f"端口 {port} 已被占用，请换一个 · port {port} is taken, choose another: "
            f"WENSHU_PORT={port + 1} make demo ({error.strerror})"
        ) from error
    return made


def opened(found: Settings, clock: datetime | None) -> Service:
    """The service of some settings; what goes wrong with its files later is logged."""
    log = structlog.get_logger("wenshu.live")

    def faulted(fault: Fault) -> None:
        log.warning("the files that were replaced are not in use", reason=fault.text)

    return open_service(found, clock=clock, tell=lambda text: log.info(text), faulted=faulted)


def worker() -> FastAPI:
    """The application of one of several processes: its settings come by the environment."""
    gc.set_threshold(*COLLECT)  # it did not begin as a command
    found = reading.read()
    configure(found)
    stands = os.environ.get(CLOCK)
    return create_app(opened(found, None if stands is None else datetime.fromisoformat(stands)))


def _serve(app: FastAPI | str, found: Settings, listening: socket.socket | None = None) -> None:
    uvicorn.run(
        app,
        factory=isinstance(app, str),
        host=found.host,
        port=found.port,
        fd=None if listening is None else listening.fileno(),
        workers=found.workers,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # who asks is not read from what anybody can send
        timeout_keep_alive=KEPT_OPEN,
        timeout_worker_healthcheck=60,  # a busy worker is no dead one
        timeout_graceful_shutdown=round(found.drain + 10),
    )


def _hand_on(found: Settings, clock: datetime | None) -> None:
    """What was given on the command line, for the processes that are started."""
    for name in found.model_fields_set:
        value = getattr(found, name)
        if value is None or name == "origins":
            continue
        plain = value.get_secret_value() if hasattr(value, "get_secret_value") else value
        os.environ[f"WENSHU_{name.upper()}"] = str(plain)
    if clock is not None:
        os.environ[CLOCK] = clock.isoformat()
