"""Traces, off unless an endpoint is named: a span a turn, with an event for each stage; nothing of what was typed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TypeAlias

from dialogue.turn import Turn

Event: TypeAlias = Callable[[str], None]
End: TypeAlias = Callable[[Turn], None]
Span: TypeAlias = tuple[Event, End]
Tracing: TypeAlias = Callable[[], AbstractContextManager[Span]]


@contextmanager
def untraced() -> Iterator[Span]:
    """No span."""
    yield (lambda name: None), (lambda turn: None)


def tracing(endpoint: str | None, version: str) -> Tracing:
    """Spans that are sent to an OTLP endpoint (HTTP), in the background; none without one.

    Raises `ImportError` where the extra `otel` is not installed.
    """
    if endpoint is None:
        return untraced
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.trace import Status, StatusCode

    resource = Resource.create({"service.name": "wenshu", "service.version": version})
    provider = TracerProvider(resource=resource)
    address = f"{endpoint.rstrip('/')}/v1/traces"
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=address)))
    tracer = provider.get_tracer("wenshu")

    @contextmanager
    def traced() -> Iterator[Span]:
        with tracer.start_as_current_span("turn") as span:

            def end(turn: Turn) -> None:
                span.set_attribute("wenshu.turn_id", turn.turn_id)
                span.set_attribute("wenshu.seq", turn.seq)
                span.set_attribute("wenshu.outcome", turn.outcome)
                span.set_attribute("wenshu.lang", turn.lang)
                span.set_attribute("wenshu.degraded", list(turn.degraded))
                for name in ("reading", "compiling", "running"):
                    span.set_attribute(f"wenshu.{name}_ms", getattr(turn.timings_ms, name))
                if turn.outcome == "error":
                    span.set_status(Status(StatusCode.ERROR, turn.reason))

            yield span.add_event, end

    return traced
