"""Logs: one line an event, as JSON or to be read, with the request's id; nothing of what users type."""

from __future__ import annotations

import logging
import sys

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from api.http.settings import Settings

_PERSONAL = frozenset({"question", "text", "sql", "detail"})


def configure(settings: Settings) -> None:
    """Send everything that is logged to standard error, in one form."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        impersonal(settings.log_questions),
    ]
    shown: Processor = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if settings.log_format == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    out = logging.StreamHandler(sys.stderr)
    out.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, shown],
        )
    )
    root = logging.getLogger()
    root.handlers = [out]
    root.setLevel(settings.log_level.upper())
    logging.getLogger(
        "uvicorn.access"
    ).disabled = True  # the passage logs each request, without its path


def impersonal(keeps: bool) -> Processor:
    """Takes out what users typed, unless it is to be kept."""

    def processor(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
        if not keeps:
            for name in _PERSONAL & event.keys():
                del event[name]
        return event

    return processor
