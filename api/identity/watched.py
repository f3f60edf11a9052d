"""A small file that is read again when it changed: keys, and the keys of tokens."""

from __future__ import annotations

import logging
import os
import stat
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from api.identity.errors import IdentityError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Fault:
    """Why a file says nothing; kept, so that a broken file is not read anew at every request."""

    text: str


log = logging.getLogger("wenshu.identity")


class Watched(Generic[T]):
    """What a file says. `read` makes it of the bytes, and raises `ValueError` for what it cannot read."""

    def __init__(self, path: Path, what: str, read: Callable[[bytes], T]) -> None:
        self.path, self.what, self._read = path, what, read
        self._lock = threading.Lock()
        self._stamp: tuple[int, int, int, int] | None = None
        self._found: T | _Fault = _Fault("")
        self._seen = False
        self._said = ""

    def present(self) -> bool:
        """Whether the file is there, or once was: a file that goes away opens nothing."""
        if not self._seen:
            try:
                os.lstat(self.path)
            except (FileNotFoundError, NotADirectoryError):
                return False
            except OSError:
                pass  # it cannot be told: `value` says why
            self._seen = True
        return True

    def value(self) -> T:
        """What it says now. Raises `IdentityError`."""
        with self._lock:
            found = self._now()
        if isinstance(found, _Fault):
            raise IdentityError(found.text)
        self._said = ""
        return found

    def log(self, error: IdentityError) -> None:
        """Log why it says nothing: once, not at every request, until it is mended."""
        if str(error) != self._said:
            self._said = str(error)
            log.error("%s", error)

    def _now(self) -> T | _Fault:
        try:
            with self.path.open("rb") as file:
                at = os.fstat(file.fileno())
                self._seen = True
                stamp = (at.st_mtime_ns, at.st_size, at.st_ino, at.st_mode)
                if stamp != self._stamp:
                    self._found, self._stamp = self._made(file.read(), at.st_mode), stamp
        except OSError as error:
            return _Fault(f"{self.what} {self.path} cannot be read: {error.strerror}")
        return self._found

    def _made(self, data: bytes, mode: int) -> T | _Fault:
        if mode & stat.S_IWOTH:
            return _Fault(
                f"{self.what} {self.path} can be written by every account: chmod 600 {self.path}"
            )
        try:
            return self._read(data)
        except ValueError as error:
            return _Fault(f"{self.what} {self.path} is broken: {error}")
