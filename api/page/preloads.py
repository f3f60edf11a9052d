"""`python -m api.page.preloads`: write into the pages which modules they need, so that a browser fetches all at once.

Without the list it finds them one after the other, module by module. A test holds the list equal to the imports.
"""

from __future__ import annotations

import re
from pathlib import Path

STATIC = Path(__file__).parent / "static"
# A page, where its modules begin. What the embedded page imports later is needed soon after its first module.
PAGES = {"index.html": ("app.js",), "embedded.html": ("embedded.js", "views/embedded.js")}
_IMPORT = re.compile(r"""(?:^|[;\s}])(?:import|export)\b[^;"'()]*?["'](\.[^"']+)["']""")
_LINK = re.compile(r'<link rel="modulepreload" href="[^"]*">\n')
_ENTRY = '<script type="module"'


def imports(module: Path) -> list[Path]:
    """The modules that one imports when it is loaded (not those that it asks for later), in their order."""
    found = _IMPORT.findall(module.read_text("utf-8"))
    return [(module.parent / place).resolve() for place in found]


def needed(*entries: str) -> list[str]:
    """Every module that these need besides themselves, the nearest first."""
    seen: list[Path] = [(STATIC / entry).resolve() for entry in entries]
    for module in seen:  # it grows meanwhile
        seen += [found for found in dict.fromkeys(imports(module)) if found not in seen]
    kept = [module for module in seen if module != (STATIC / entries[0]).resolve()]
    return [module.relative_to(STATIC.resolve()).as_posix() for module in kept]


def listed(text: str, modules: list[str]) -> str:
    """A page with links to modules before its entry, and no others."""
    links = "".join(f'<link rel="modulepreload" href="page/{module}">\n' for module in modules)
    return _LINK.sub("", text).replace(_ENTRY, links + _ENTRY, 1)


def main() -> None:
    """Write the lists."""
    for page, entries in PAGES.items():
        path = STATIC / page
        path.write_text(listed(path.read_text("utf-8"), needed(*entries)), "utf-8")


if __name__ == "__main__":
    main()
