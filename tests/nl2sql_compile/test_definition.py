"""What a metric's definition says by itself: about a dimension, and about a single row."""

from decimal import Decimal
from pathlib import Path

import pytest

from nl2sql.definition import attribute_of, on_rows, own_condition
from nl2sql.slots import Among, Filter, Having, Interval
from semantic_layer.load import load
from semantic_layer.model import Layer

ROOT = Path(__file__).parents[2] / "fixtures"
OVER = Interval(low=Decimal(5), low_inclusive=False)


@pytest.mark.parametrize(
    ("metric", "attribute"),
    [
        ("receivable_amount", "bill_amount"),
        ("received_amount", "bill_received"),  # what a row gathers
        ("outstanding_amount", "bill_outstanding"),  # a formula of sums
        ("avg_response_minutes", "response_minutes"),  # a formula of an average
        ("satisfaction_score", "satisfaction"),
        ("collection_rate", None),  # a row may have it, but the layer does not say so
        ("overdue_amount", None),
        ("bill_count", None),
        ("leased_contract_area", None),  # of the rooms of a contract
        ("occupancy_rate", None),
        ("electricity_kwh", None),
    ],
)
def test_which_attribute_is_a_metric_of_one_row(
    park_layer: Layer, metric: str, attribute: str | None
) -> None:
    owner = park_layer.metrics[metric].object
    assert attribute_of(park_layer, owner, metric) == attribute


def test_of_the_rows_of_its_own_object_alone(park_layer: Layer) -> None:
    assert attribute_of(park_layer, "contract", "receivable_amount") is None


def test_with_it_stands_its_own_condition(park_layer: Layer) -> None:
    owner = "park_building_resource"
    assert on_rows(park_layer, owner, Having("vacant_area", OVER)) == (
        Filter("area_sqm", OVER),
        Filter("status", Among(("VACANT",))),
    )
    assert on_rows(park_layer, owner, Having("total_area", OVER)) == (Filter("area_sqm", OVER),)
    assert own_condition(park_layer, "total_area") == ()


def test_a_condition_that_no_filter_says_makes_it_no_value_of_a_row() -> None:
    hotel, clinic = load(ROOT / "hotel" / "layer"), load(ROOT / "clinic" / "layer")
    assert on_rows(hotel, "payment", Having("refund_amount", OVER)) == ()  # kind is no dimension
    assert on_rows(clinic, "charge", Having("drug_revenue", OVER)) == (
        Filter("line_amount", OVER),
        Filter("charge_category", Among(("DRUG",))),
    )
