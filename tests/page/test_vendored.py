"""What the page takes from others is what vendor.toml says, with its licence; and the lists of modules are whole."""

from __future__ import annotations

import re

import pytest

from api.page.preloads import PAGES, STATIC, listed, needed
from api.page.vendoring import LOCK, TARGET, libraries, locked


def test_the_files_are_those_that_were_fetched() -> None:
    assert locked() == LOCK.read_text("utf-8"), (
        "run python -m api.page.vendoring, and change nothing by hand"
    )


def test_every_file_is_of_a_library_and_every_library_has_its_licence() -> None:
    known = {
        file: name
        for name, library in libraries().items()
        for file in (
            *library.files.values(),
            f"{name}.LICENSE",
            *([f"{name}.NOTICE"] if library.notice else []),
        )
    }
    assert {path.name for path in TARGET.iterdir()} == set(known)
    for name, library in libraries().items():
        assert len((TARGET / f"{name}.LICENSE").read_text("utf-8")) > 500, name
        for file in library.files.values():
            head = (TARGET / file).read_text("utf-8").partition("\n")[0]
            assert head == f"/* {library.package} {library.version}: {name}.LICENSE */"


def test_nothing_of_it_loads_from_elsewhere() -> None:
    """Modules are beside each other; `sourceMappingURL` would make a browser ask for what is not there."""
    for path in STATIC.rglob("*.js"):
        text = path.read_text("utf-8")
        named = r"""(?:^|;)\s*(?:import|export)\b[^;\n]*?(?:\bfrom\s*|\bimport\s*\(?\s*)["'](?![./])[^"']*["']"""
        assert re.findall(named, text, re.MULTILINE) == [], path.name
        assert "sourceMappingURL" not in text, path.name


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_every_module_that_it_needs(page: str) -> None:
    text = (STATIC / page).read_text("utf-8")
    assert listed(text, needed(*PAGES[page])) == text, "run python -m api.page.preloads"
    for place in re.findall(r'(?:href|src)="page/([^"]+)"', text):
        assert (STATIC / place).is_file(), place


def test_no_module_is_left_over() -> None:
    """Every module is needed by a page, or asked for later by one that is, or put into other pages."""
    later = {
        (path.parent / place).resolve()
        for path in STATIC.rglob("*.js")
        for place in re.findall(r"""import\(\s*["'](\.[^"']+)["']\s*\)""", path.read_text("utf-8"))
    }
    reached = {
        "embed.js",
        "lib/early.js",
        *(entry for entries in PAGES.values() for entry in entries),
    }
    reached |= {found for entries in PAGES.values() for found in needed(*entries)}
    for module in later:
        place = module.relative_to(STATIC.resolve()).as_posix()
        reached |= {place, *needed(place)}
    there = {path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.js")}
    assert (
        there - reached - {"vendor/echarts.js"} == set()
    )  # which the charts ask for when one is drawn
