"""Documented or it fails: commands, options, variables, issue codes, YAML keys; and links lead somewhere."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
import typer
import yaml
from fastapi.routing import iter_route_contexts
from pydantic import BaseModel

from api.http.events import Name
from api.http.problems import CODES
from api.http.routes import catalogue, operations, sessions, turns
from api.http.settings import Settings
from api.main import app
from dialogue.evaluation.codes import Code
from semantic_layer import format as layer_format

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("README*.md"), *(ROOT / "docs").rglob("*.md")])
CLI = (ROOT / "docs" / "cli.md").read_text("utf-8")
HTTP = (ROOT / "docs" / "http.md").read_text("utf-8")
OPERATIONS = (ROOT / "docs" / "operations.md").read_text("utf-8")
LAYER = (ROOT / "docs" / "semantic_layer.md").read_text("utf-8")
CODE_AT = {"Issue": 0, "report": 1, "missing": 1}  # where the code stands among the arguments


def named(word: str, page: str) -> bool:
    """Whether a page names a word as code: alone in backticks, or among others there."""
    return re.search(rf"`[^`\n]*(?<![\w-]){re.escape(word)}(?![\w-])[^`\n]*`", page) is not None


def calls(file: Path) -> Iterator[tuple[str, list[ast.expr]]]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            yield name, node.args


def issue_codes() -> set[str]:
    """Every code that `wenshu check` can give: the literals passed as codes."""
    found: set[str] = set()
    for file in (ROOT / "semantic_layer").rglob("*.py"):
        for name, args in calls(file):
            at = CODE_AT.get(name)
            if at is not None and len(args) > at and isinstance(args[at], ast.Constant):
                found.add(str(args[at].value))
            if name == "known" and len(args) > 1 and isinstance(args[1], ast.Constant):
                found.add(f"unknown-{args[1].value}")
    return found


def yaml_keys() -> set[str]:
    """Every key that a file of a layer can have."""
    return {
        field.alias or name
        for model in vars(layer_format).values()
        if isinstance(model, type) and issubclass(model, BaseModel)
        for name, field in model.model_fields.items()
    }


def commands() -> list[tuple[str, list[str]]]:
    """Every command with its options; those of a group under its name."""
    return list(listed(typer.main.get_command(app), ""))


def listed(group: object, before: str) -> Iterator[tuple[str, list[str]]]:
    for name, command in group.commands.items():  # type: ignore[attr-defined]
        if hasattr(command, "commands"):
            yield from listed(command, f"{before}{name} ")
            continue
        yield (
            f"{before}{name}",
            [
                option
                for item in command.params
                for option in item.opts
                if option.startswith("--") and option != "--help"
            ],
        )


def sections(page: str) -> dict[str, str]:
    """The text under each heading of a command."""
    parts = re.split(r"^### `wenshu ([\w-]+(?: [a-z]+)?)", page, flags=re.M)
    return dict(zip(parts[1::2], (text.split("\n## ")[0] for text in parts[2::2]), strict=True))


@pytest.mark.parametrize(("command", "options"), commands())
def test_every_command_and_option_is_documented(command: str, options: list[str]) -> None:
    found = sections(CLI)
    assert command in found, f"docs/cli.md has no section for `wenshu {command}`"
    assert [item for item in options if not named(item, found[command])] == []


def test_the_command_table_of_each_readme_is_whole() -> None:
    for page in ROOT.glob("README*.md"):
        text = page.read_text("utf-8")
        assert [name for name, _ in commands() if f"`wenshu {name}" not in text] == [], page.name


def test_every_issue_code_is_documented() -> None:
    found = issue_codes()
    assert {"word-clash", "unknown-metric", "yaml-syntax"} <= found
    assert sorted(code for code in found if not named(code, LAYER)) == []


def test_every_reason_of_an_evaluation_is_documented() -> None:
    page = (ROOT / "docs" / "evaluation.md").read_text("utf-8")
    assert [code for code in Code if not named(code, page)] == []


def test_every_yaml_key_is_documented() -> None:
    found = yaml_keys()
    assert {"from", "list", "once_per", "wenshu"} <= found
    assert sorted(key for key in found if not named(key, LAYER)) == []


def test_every_environment_variable_is_documented() -> None:
    source = (ROOT / "api" / "settings.py").read_text("utf-8")
    found = set(re.findall(r"environ(?:\.get\(|\[)\s*[\"'](\w+)", source))
    assert "WENSHU_HOME" in found
    assert sorted(name for name in found if not named(name, CLI)) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.S)
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    local = [link.partition("#")[0] for link in links if "://" not in link]
    assert [link for link in local if link and not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_stand_alone(page: Path) -> None:
    text = page.read_text("utf-8")
    assert [word for word in ("/work", "shared/") if word in text] == []


def test_every_setting_is_documented_with_its_default() -> None:
    rows = {}
    for line in HTTP.split("## Settings")[1].splitlines():
        cells = [cell.strip().strip("`") for cell in line.strip("|").split("|")]
        rows[cells[0]] = cells[1:]
    for name, field in Settings.model_fields.items():
        shown = "" if field.default in (None, ()) else str(field.default) or "(empty)"
        if isinstance(field.default, bool):
            shown = shown.lower()
        assert rows.get(name) == [f"WENSHU_{name.upper()}", shown, field.description], name


def test_every_problem_is_documented_with_its_status() -> None:
    assert [
        code for code, (status, _) in CODES.items() if f"| `{code}` | {status} |" not in HTTP
    ] == []


def test_every_event_of_a_stream_is_documented() -> None:
    assert [name for name in get_args(Name) if f"| `{name}` |" not in HTTP] == []


def test_every_route_is_documented() -> None:
    routers = (sessions, turns, catalogue, operations)
    found = {
        f"`{verb} {route.path}`"
        for module in routers
        for route in iter_route_contexts(module.router.routes)
        for verb in route.methods or ()
        if route.include_in_schema
    }
    assert len(found) >= 16
    assert sorted(name for name in found if f"| {name} |" not in HTTP) == []


def test_every_metric_and_alert_is_documented() -> None:
    source = (ROOT / "api" / "http" / "measures.py").read_text("utf-8")
    found = set(re.findall(r"\"(wenshu_\w+)\"", source))
    assert {"wenshu_turns", "wenshu_queries"} <= found
    assert [
        name for name in found if not {f"| `{name}` |", f"| `{name}_total` |"} & set(cells())
    ] == []
    rules = yaml.safe_load((ROOT / "docs" / "deploy" / "alerts.yaml").read_text("utf-8"))
    alerts = [rule["alert"] for group in rules["groups"] for rule in group["rules"]]
    assert [name for name in alerts if f"| `{name}` |" not in OPERATIONS] == []


def cells() -> Iterator[str]:
    """The first cell of each row of the tables of the page on operations."""
    for line in OPERATIONS.splitlines():
        if line.startswith("| `"):
            yield f"{line.split(' |')[0]} |"
