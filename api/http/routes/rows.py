"""All rows of an answer, as a file for spreadsheets."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Query
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from api.http.bodies import TurnId
from api.http.caller import AsAnyone, At
from api.http.problems import Problem, responses
from api.http.service import Service
from api.http.stored import stored
from api.identity import Hidden, Principal
from api.sheets import MOST_ROWS, csv_file, excel, facts, table, text
from dialogue.turn import Turn

router = APIRouter(prefix="/v1", tags=["turns"])
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
LONGEST_NAME = 60
_BINARY = {"schema": {"type": "string", "format": "binary"}}


@router.get(
    "/turns/{turn_id}/rows",
    response_class=Response,
    responses={
        200: {
            "description": "A file to save",
            "content": {"text/csv": {"schema": {"type": "string"}}, XLSX: _BINARY},
        },
        **responses("not-found", "interrupted", "rows-changed", "unavailable"),
    },
)
async def rows(
    turn_id: TurnId,
    at: At,
    who: AsAnyone,
    form: Annotated[
        Literal["csv", "xlsx"], Query(alias="format", description="CSV, or an Excel workbook")
    ] = "csv",
    part: Annotated[
        int, Query(ge=0, le=99, description="Which question of a message that held several")
    ] = 0,
) -> Response:
    """All rows of an answer as a file, also beyond those of its JSON; labels stand instead of codes."""

    def made() -> Response:
        whole = stored(at, turn_id, who, "rows")
        found = _part(whole, part, who)
        return _file(at, whole, found, form, part)

    return await run_in_threadpool(made)


def _part(whole: Turn, part: int, who: Principal) -> Turn:
    """The answer that is meant. Raises `Problem`, `Hidden`."""
    parts = whole.parts or (whole,)
    if part >= len(parts):
        raise Problem("not-found", f"the message has {len(parts)} question(s), from 0", "part")
    found = parts[part]
    if "rows-hidden" in found.degraded:
        raise Hidden("not-owner", "its rows are not yours to see", who.user.id, who.told)
    if "rows-changed" in found.degraded:
        raise Problem("rows-changed", "the data are others now: ask again for today's rows")
    if found.result is None:
        raise Problem("not-found", f"this turn has no rows: it was no answer ({found.outcome})")
    return found


def _file(at: Service, whole: Turn, turn: Turn, form: str, part: int) -> Response:
    lang = turn.lang
    with at.live.held() as world:
        found = table(world, turn)
        if form == "csv":
            data, kind = csv_file(found), "text/csv"
        elif found.count > MOST_ROWS:
            raise Problem("bad-request", f"a sheet holds {MOST_ROWS:,} rows: take csv", "format")
        else:
            names = (text(lang, "data"), text(lang, "origin"))
            data, kind = excel(found, facts(turn, whole), names, whole.now), XLSX
    said = f"{text(lang, 'file')} {turn.completed_question}"[:LONGEST_NAME].strip()
    plain = f"wenshu-{whole.turn_id}" + (f"-{part}" if len(whole.parts) > 1 else "")
    named = f"attachment; filename=\"{plain}.{form}\"; filename*=UTF-8''{quote(said, '')}.{form}"
    return Response(data, media_type=kind, headers={"Content-Disposition": named})
