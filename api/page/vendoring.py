"""`python -m api.page.vendoring`: fetch the libraries of vendor.toml anew, check them, and write static/vendor.

Only who changes a version runs this; the page itself is served from what it wrote. `vendor.lock` has the SHA-256 of
each file, as `sha256sum` writes it, so that a test sees whether they are still those.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
import sys
import tarfile
import tomllib
import urllib.request
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
TARGET = HERE / "static" / "vendor"
LOCK = HERE / "vendor.lock"
REGISTRY = "https://registry.npmjs.org"
# Browsers resolve no bare names without an import map, which a strict policy of scripts does not allow inline.
NAMES = {
    "preact": "./preact.js",
    "preact/hooks": "./hooks.js",
    "@preact/signals-core": "./signals-core.js",
}
_MAP = re.compile(r"//# sourceMappingURL=\S+")


@dataclass(frozen=True, slots=True)
class Library:
    """One package: its version, the SHA-512 of its archive, and which of its files are taken as what."""

    package: str
    version: str
    digest: str
    files: dict[str, str]
    notice: str = ""

    @property
    def url(self) -> str:
        """Where its archive is."""
        name = self.package.rpartition("/")[2]
        return f"{REGISTRY}/{self.package}/-/{name}-{self.version}.tgz"


def libraries() -> dict[str, Library]:
    """The libraries of vendor.toml."""
    found = tomllib.loads((HERE / "vendor.toml").read_text(encoding="utf-8"))
    return {name: Library(**item) for name, item in found.items()}


def resolved(text: str) -> str:
    """A module with its bare imports as files beside it.

    >>> resolved('import{h as e}from"preact";export*from"preact/hooks"')
    'import{h as e}from"./preact.js";export*from"./hooks.js"'
    """
    for name, file in NAMES.items():
        text = text.replace(f'from"{name}"', f'from"{file}"')
    return text


def locked() -> str:
    """A line for each file that there is: its SHA-256, and its name."""
    files = sorted(path for path in TARGET.iterdir() if path.is_file())
    return "".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files
    )


def main() -> int:
    """Fetch, check and write. 1 where an archive is not the one that was meant."""
    TARGET.mkdir(parents=True, exist_ok=True)
    bad = 0
    for name, library in libraries().items():
        with urllib.request.urlopen(library.url, timeout=60) as answer:
            archive = answer.read()
        digest = base64.b64encode(hashlib.sha512(archive).digest()).decode()
        if digest != library.digest:
            print(f"{name}: the archive's digest is {digest}, not {library.digest or 'given yet'}")
            bad += 1
            continue
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            wanted = {**library.files, "LICENSE": f"{name}.LICENSE"}
            if library.notice:
                wanted[library.notice] = f"{name}.NOTICE"
            for source, file in wanted.items():
                member = tar.extractfile(f"package/{source}")
                assert member is not None, f"{name} has no file {source}"
                text = member.read().decode()
                if file.endswith(".js"):
                    head = f"/* {library.package} {library.version}: {name}.LICENSE */\n"
                    text = head + resolved(_MAP.sub("", text).rstrip()) + "\n"
                (TARGET / file).write_text(text, encoding="utf-8")
        print(f"{name} {library.version}")
    if not bad:
        LOCK.write_text(locked(), encoding="utf-8")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
