"""What the service counts, for Prometheus (docs/operations.md): outcomes, not users."""

from __future__ import annotations

from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from api.live import Live
from dialogue.turn import Turn
from nl2sql.warehouses.cached import Cached
from nl2sql.warehouses.gate import Gate

_STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)


class Measures:
    """The counters of one service, in a registry of their own."""

    def __init__(self, gate: Gate, live: Live) -> None:
        self._registry = CollectorRegistry()
        self.turns = Counter(
            "wenshu_turns", "Turns taken, by how they ended", ["outcome"], registry=self._registry
        )
        self.declined = Counter(
            "wenshu_declined", "Turns declined, by reason", ["reason"], registry=self._registry
        )
        self.clarifications = Counter(
            "wenshu_clarifications", "Questions asked back", ["about"], registry=self._registry
        )
        self.resets = Counter(
            "wenshu_resets", "Topic switches, by rule", ["rule"], registry=self._registry
        )
        self.degradations = Counter(
            "wenshu_degradations", "Turns without a part of the service", ["part"],
            registry=self._registry,
        )  # fmt: skip
        self.fallbacks = Counter(
            "wenshu_fallbacks", "Turns that a model should have read, and rules did",
            registry=self._registry,
        )  # fmt: skip
        self.lost = Counter(
            "wenshu_unanswered", "Requests that gave no turn, by problem", ["code"],
            registry=self._registry,
        )  # fmt: skip
        self.seconds = Histogram(
            "wenshu_turn_seconds", "Seconds of a turn, by part", ["part"],
            buckets=_STEPS, registry=self._registry,
        )  # fmt: skip
        self._registry.register(_Queries(gate, live))

    def unanswered(self, code: str) -> None:
        """Count a request that gave no turn, by its problem."""
        self.lost.labels(code).inc()

    def turn(self, turn: Turn, seconds: float) -> None:
        """Count a turn that has ended."""
        self.seconds.labels("whole").observe(seconds)
        self.turns.labels(turn.outcome).inc()
        for part in turn.degraded:
            self.degradations.labels(part).inc()
        for one in turn.parts or (turn,):
            if one.outcome == "decline":
                self.declined.labels(one.reason or "other").inc()
            if one.clarification is not None:
                self.clarifications.labels(one.clarification.about).inc()
            if one.switch is not None:
                self.resets.labels(one.switch.rule).inc()
            self.seconds.labels("reading").observe(one.timings_ms.reading / 1000)
            self.seconds.labels("compiling").observe(one.timings_ms.compiling / 1000)
            self.seconds.labels("running").observe(one.timings_ms.running / 1000)

    def text(self) -> bytes:
        """Everything counted, as Prometheus reads it."""
        return generate_latest(self._registry)


class _Queries(Collector):
    """How the queue of queries and the kept results are used, read when it is asked for."""

    def __init__(self, gate: Gate, live: Live) -> None:
        self._gate, self._live = gate, live

    def collect(self) -> Iterable[Metric]:
        """The present counts."""
        waits = self._gate.waits
        now = GaugeMetricFamily("wenshu_queries", "Queries now", labels=["state"])
        now.add_metric(["running"], waits.running)
        now.add_metric(["waiting"], waits.waiting)
        yield now
        yield CounterMetricFamily("wenshu_queries_passed", "Queries let through", waits.passed)
        yield CounterMetricFamily("wenshu_queries_refused", "Queries refused", waits.refused)
        yield CounterMetricFamily(
            "wenshu_queries_waited_seconds", "Seconds queries waited", waits.waited_seconds
        )
        yield CounterMetricFamily(
            "wenshu_queries_processor_seconds",
            "Seconds of the processor that queries took on the threads that asked",
            waits.processor_seconds,
        )
        yield GaugeMetricFamily("wenshu_turns_running", "Turns now", self._live.turns)
        yield GaugeMetricFamily("wenshu_worlds", "Open versions of the data", self._live.worlds)
        with self._live.held() as world:
            cache = world.warehouse if isinstance(world.warehouse, Cached) else None
        kept = None if cache is None else cache.kept
        found = CounterMetricFamily("wenshu_results", "Results, by where from", labels=["from"])
        found.add_metric(["cache"], 0 if kept is None else kept.hits)
        found.add_metric(["others"], 0 if kept is None else kept.joined)
        found.add_metric(["database"], waits.passed if kept is None else kept.misses)
        yield found
