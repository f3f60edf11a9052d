"""MetricFlow as a worker: the park's bills, payments and orders as semantic models, questions as its own requests.

Run with the Python of the peers' environment; see `protocol.py`.
"""

from __future__ import annotations

import protocol

MODELS = """
project_configuration:
  time_spine_table_configurations: [{location: main.days, column_name: day, grain: day}]
---
semantic_model:
  name: bill
  node_relation: {schema_name: main, alias: fact_bill}
  defaults: {agg_time_dimension: bill_month}
  entities:
    - {name: bill, type: primary, expr: bill_id}
    - {name: park, type: foreign, expr: park_id}
    - {name: tenant, type: foreign, expr: tenant_id}
  dimensions:
    - {name: bill_month, type: time, type_params: {time_granularity: day}}
    - {name: fee_type, type: categorical}
  measures:
    - {name: receivable, agg: sum, expr: receivable_amount}
---
semantic_model:
  name: payment
  node_relation: {schema_name: main, alias: fact_payment}
  defaults: {agg_time_dimension: paid_on}
  entities:
    - {name: payment, type: primary, expr: payment_id}
    - {name: bill, type: foreign, expr: bill_id}
  dimensions:
    - {name: paid_on, type: time, type_params: {time_granularity: day}}
  measures:
    - {name: received, agg: sum, expr: amount}
---
semantic_model:
  name: work_order
  node_relation: {schema_name: main, alias: fact_work_order}
  defaults: {agg_time_dimension: created_at}
  entities:
    - {name: work_order, type: primary, expr: order_id}
    - {name: park, type: foreign, expr: park_id}
    - {name: building, type: foreign, expr: building_id}
  dimensions:
    - {name: created_at, type: time, type_params: {time_granularity: second}}
  measures:
    - {name: orders, agg: sum, expr: "1"}
---
semantic_model:
  name: park
  node_relation: {schema_name: main, alias: dim_park}
  entities: [{name: park, type: primary, expr: park_id}]
  dimensions: [{name: park_id, type: categorical}]
---
semantic_model:
  name: building
  node_relation: {schema_name: main, alias: dim_building}
  entities: [{name: building, type: primary, expr: building_id}]
  dimensions: [{name: building_no, type: categorical}]
---
metric: {name: receivable_amount, type: simple, type_params: {measure: receivable}}
---
metric: {name: received_amount, type: simple, type_params: {measure: received}}
---
metric: {name: order_count, type: simple, type_params: {measure: orders}}
---
metric:
  name: collection_rate
  type: ratio
  type_params: {numerator: {name: received_amount}, denominator: {name: receivable_amount}}
"""
OF_BILL = "{{ TimeDimension('bill__bill_month', 'day') }}"
OF_ORDER = "{{ TimeDimension('work_order__created_at', 'second') }}"


def year(column: str) -> list[str]:
    """The filters of the year asked about."""
    return [f"{column} >= '2025-01-01'", f"{column} < '2026-01-01'"]


QUESTIONS: dict[str, dict[str, object]] = {
    "month": {
        "metric_names": ["receivable_amount"],
        "group_by_names": ["bill__fee_type", "metric_time__month"],
        "where_constraints": year(OF_BILL),
    },
    "ratio": {
        "metric_names": ["collection_rate"],
        "group_by_names": ["bill__fee_type"],
        "where_constraints": year(OF_BILL),
    },
    "top": {
        "metric_names": ["receivable_amount"],
        "group_by_names": ["tenant"],
        "where_constraints": [*year(OF_BILL), "{{ Entity('park') }} = 'P001'"],
        "order_by_names": ["-receivable_amount"],
        "limit": 10,
    },
    "facts": {
        "metric_names": ["receivable_amount", "order_count"],
        "group_by_names": ["park"],
    },
    "joined": {
        "metric_names": ["order_count"],
        "group_by_names": ["building__building_no"],
        "where_constraints": [*year(OF_ORDER), "{{ Entity('park') }} = 'P001'"],
    },
}


class Client:
    """A client that only says which SQL to write: nothing is run here."""

    def __init__(self) -> None:
        from metricflow.protocols.sql_client import SqlEngine
        from metricflow.sql.render.duckdb_renderer import DuckDbSqlPlanRenderer

        self.sql_engine_type, self.sql_plan_renderer = SqlEngine.DUCKDB, DuckDbSqlPlanRenderer()


def start() -> protocol.Compile:
    """Load the library and the models; gives what compiles a question."""
    from metricflow.engine.metricflow_engine import MetricFlowEngine, MetricFlowQueryRequest
    from metricflow_semantic_interfaces.parsing.dir_to_model import (
        parse_yaml_files_to_validation_ready_semantic_manifest,
    )
    from metricflow_semantic_interfaces.parsing.objects import YamlConfigFile
    from metricflow_semantics.model.semantic_manifest_lookup import SemanticManifestLookup

    file = YamlConfigFile(filepath="models.yaml", contents=MODELS)
    manifest = parse_yaml_files_to_validation_ready_semantic_manifest([file]).semantic_manifest
    engine = MetricFlowEngine(SemanticManifestLookup(manifest), Client())

    def compile_(name: str) -> str:
        request = MetricFlowQueryRequest.create(**QUESTIONS[name])
        return str(engine.explain(request).sql_statement.sql)

    return compile_


if __name__ == "__main__":
    protocol.serve(start, "metricflow")
