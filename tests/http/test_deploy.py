"""What deploys the service says only what is there: no Docker engine is needed to see that."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from api.http.settings import Settings
from tests.http.served import Served

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "docs" / "deploy"


def test_what_the_image_copies_is_there() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    for line in re.findall(r"^COPY (?!--from)(.+)$", text, re.MULTILINE):
        *sources, _ = line.split()
        assert all((ROOT / source).exists() for source in sources), line
    extras = set(re.findall(r"--extra (\w+)", text))
    project = (ROOT / "pyproject.toml").read_text()
    assert extras == {"postgres", "redis", "mcp", "otel"}
    assert all(re.search(rf"^{name} = \[", project, re.MULTILINE) for name in extras)


def test_the_settings_that_are_set_are_settings() -> None:
    known = {f"WENSHU_{name.upper()}" for name in Settings.model_fields}
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    named = set(services["wenshu"]["environment"])
    named |= set(re.findall(r"WENSHU_\w+", (DEPLOY / "Dockerfile").read_text()))
    named |= set(re.findall(r"WENSHU_\w+", (DEPLOY / "alerts.yaml").read_text()))
    assert named <= known
    assert set(services["wenshu"]["depends_on"]) <= set(services)


def test_alerts_are_about_what_is_counted(served: Served) -> None:
    counted = set(
        re.findall(r"^# TYPE (\w+)", served.service.measures.text().decode(), re.MULTILINE)
    )
    rules = yaml.safe_load((DEPLOY / "alerts.yaml").read_text())["groups"][0]["rules"]
    asked = {name for rule in rules for name in re.findall(r"wenshu_\w+", rule["expr"])}
    assert {name.removesuffix("_total") for name in asked} <= {
        name.removesuffix("_total") for name in counted
    }
    assert all(rule["annotations"]["action"] for rule in rules)
