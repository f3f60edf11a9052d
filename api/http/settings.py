"""The settings of the service: from the environment (WENSHU_…), else from one TOML file, else the defaults."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


class SettingsError(Exception):
    """A setting is wrong: which one, and what belongs there."""


class Settings(BaseSettings):
    """Every setting, with what it does; docs/http.md lists them (a test holds it)."""

    model_config = SettingsConfigDict(env_prefix="WENSHU_", extra="forbid")

    # where things are
    layer: str = Field("park", description="A layer: `park` (the demo), or a folder of YAML")
    warehouse: Path | None = Field(None, description="A DuckDB file; the demo's own without it")
    ledger: str | None = Field(
        None, description="Where turns are recorded: a file, or postgresql://…"
    )
    sessions: str | None = Field(
        None, description="Where sessions are listed: a file or a URL; beside the ledger without it"
    )
    home: Path = Field(
        Path("var"), description="The folder of everything that has no place of its own"
    )

    # who is served
    host: str = Field("127.0.0.1", description="The address to listen on")
    port: int = Field(8000, ge=0, le=65535, description="The port to listen on")
    workers: int = Field(
        1, ge=1, le=64, description="Processes; with more than one, Redis is worth its while"
    )
    keys: Path | None = Field(
        None, description="The file of API keys; `keys.json` at home without it"
    )
    jwt_secret: SecretStr | None = Field(
        None, description="The secret of HS256 tokens, 32 bytes or more"
    )
    jwks: Path | None = Field(None, description="A JWKS file: the public keys of RS256 tokens")
    jwt_issuer: str | None = Field(None, description="The `iss` that a token must have")
    jwt_audience: str | None = Field(None, description="The `aud` that a token must have")
    rate: str = Field("120/minute", description="Requests a user may send; empty for any number")
    rate_store: str = Field(
        "memory://", description="Where requests are counted: this process, or a Redis, redis://…"
    )
    origins: tuple[str, ...] = Field(
        (), description="Origins whose pages may call the service (CORS)"
    )
    body_bytes: int = Field(65_536, ge=1024, description="The largest body of a request")
    sets_bytes: int = Field(
        8_000_000, ge=1024, description="The largest body of question sets (evaluations)"
    )

    # sessions
    memory: str = Field(
        "process", description="Where sessions are held: `process`, `off`, or redis://…"
    )
    memory_days: float = Field(7, gt=0, description="How long Redis holds a session")
    busy: Literal["refuse", "queue"] = Field(
        "refuse", description="What a second message does while one runs: 409, or wait"
    )
    unrecorded: Literal["alone", "refuse"] = Field(
        "alone", description="Without a ledger: answer whole questions alone, or refuse (503)"
    )
    ledger_seal: float = Field(300, gt=0, description="Seconds from one checkpoint to the next")
    ledger_rows: bool = Field(
        False, description="Keep the rows of answers in the ledger, as Parquet"
    )

    # queries
    query_seconds: float = Field(30, gt=0, description="How long a query may run")
    query_rows: int = Field(1_000_000, ge=1, description="How many rows a query may give")
    query_memory: str = Field("2GB", description="The memory of the database engine")
    query_threads: int = Field(2, ge=1, description="The threads of the database engine")
    queries: int = Field(4, ge=1, description="How many queries run at once")
    query_queue: int = Field(200, ge=0, description="How many queries may wait")
    cache_mb: int = Field(0, ge=0, description="Memory for the results of queries; 0 is off")
    turns: int = Field(16, ge=1, description="How many turns are taken at once")

    # streams
    heartbeat: float = Field(15, gt=0, description="Seconds between two signs of life on a stream")
    grace: float = Field(
        2, ge=0, description="Seconds that a turn goes on without a reader before it is interrupted"
    )
    kept_streams: float = Field(
        300, ge=0, description="Seconds that a stream can be taken up again"
    )

    # operations
    drain: float = Field(
        10, ge=0, description="Seconds that turns have to end when the service stops"
    )
    log_format: Literal["json", "text"] = Field("json", description="How logs are written")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="What is logged"
    )
    log_questions: bool = Field(False, description="Log what users type (personal text)")
    metrics: bool = Field(True, description="Serve /metrics")
    otlp: str | None = Field(
        None, description="The OTLP endpoint that traces are sent to; off without it"
    )

    @field_validator("memory")
    @classmethod
    def _memory(cls, value: str) -> str:
        if value in ("process", "off") or value.startswith(("redis://", "rediss://", "unix://")):
            return value
        raise ValueError("`process`, `off`, or a redis:// URL is needed")

    @property
    def loopback(self) -> bool:
        """Whether only this machine is served."""
        return self.host in LOOPBACK

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """What is given in code, then the environment, then the file."""
        file = os.environ.get("WENSHU_CONFIG", "wenshu.toml")
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, Path(file))


def read(**given: object) -> Settings:
    """The settings. Raises `SettingsError`, naming the one that is wrong."""
    file = os.environ.get("WENSHU_CONFIG")
    if file is not None and not Path(file).is_file():
        raise SettingsError(f"there is no file of settings at {file} (WENSHU_CONFIG)")
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"]))
        raise SettingsError(
            f"{name}: {first['msg']} (WENSHU_{name.upper()}, or `{name}` in the file)"
        ) from error
    except ValueError as error:  # what is no TOML
        raise SettingsError(str(error)) from error
