"""Evaluations: whole question sets, run by the service for analysts who may see all data."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, Response

from api.http.bodies import EvaluationIn, EvaluationOut, EvaluationsOut, FailureOut
from api.http.caller import AsAnalyst, At
from api.http.evaluations import BadSet, Ended, Evaluating
from api.http.problems import Problem, responses
from api.http.service import Service
from api.identity import Forbidden, Hidden, Principal

router = APIRouter(prefix="/v1/evaluations", tags=["evaluations"])
RunId = Annotated[str, Path(min_length=1, max_length=64, pattern="^[A-Za-z0-9-]+$")]


@router.post(
    "",
    status_code=202,
    response_model=EvaluationOut,
    responses=responses("evaluating"),
)
async def start(body: EvaluationIn, at: At, who: AsAnalyst) -> EvaluationOut:
    """Run question sets. Their gold statements may read any row, so the caller must see all data."""
    if not who.everything:
        raise Forbidden("scope-missing", "this needs a key for all data", who.user.id, who.told)
    try:
        run = await run_in_threadpool(at.evaluations.start, body.sets, who.user.id)
    except BadSet as error:
        raise Problem("bad-request", str(error), "sets") from error
    except Evaluating as error:
        raise Problem("evaluating", "wait for it, or cancel it", retry_after=30) from error
    return told(Ended(run))


@router.get("", response_model=EvaluationsOut, responses=responses())
async def listed(at: At, who: AsAnalyst) -> EvaluationsOut:
    """The caller's runs, the newest first."""
    runs = await run_in_threadpool(at.evaluations.all, who.user.id)
    return EvaluationsOut(evaluations=[told(Ended(run)) for run in runs])


@router.get("/{evaluation_id}", response_model=EvaluationOut, responses=responses("not-found"))
async def one(evaluation_id: RunId, at: At, who: AsAnalyst) -> EvaluationOut:
    """A run; its reports, and the turns that were wrong, when it is done."""
    return told(await run_in_threadpool(_own, at, evaluation_id, who))


@router.get(
    "/{evaluation_id}/page",
    response_class=HTMLResponse,
    responses={
        200: {"content": {"text/html": {"schema": {"type": "string"}}}},
        **responses("not-found"),
    },
)
async def page(evaluation_id: RunId, at: At, who: AsAnalyst) -> Response:
    """The page of a run that is done: scores, and failures side by side."""
    await run_in_threadpool(_own, at, evaluation_id, who)
    text = await run_in_threadpool(at.evaluations.page, evaluation_id)
    if text is None:
        raise Problem("not-found", "this run is not done, or was cancelled")
    return HTMLResponse(text)


@router.post(
    "/{evaluation_id}/cancel",
    status_code=202,
    response_class=Response,
    responses=responses("not-found"),
)
async def cancel(evaluation_id: RunId, at: At, who: AsAnalyst) -> Response:
    """Stop a run, after the dialogues that are being judged."""
    await run_in_threadpool(_own, at, evaluation_id, who)
    at.evaluations.cancel(evaluation_id)
    return Response(status_code=202)


def _own(at: Service, evaluation_id: str, who: Principal) -> Ended:
    found = at.evaluations.find(evaluation_id)
    if found is None or not who.owns(found.run.owner):
        raise Hidden("not-owner", "there is no such evaluation", who.user.id, who.told)
    return found


def told(found: Ended) -> EvaluationOut:
    """A run as it is sent."""
    known = {name: value for name, value in asdict(found.run).items() if name != "owner"}
    wrong = [FailureOut.model_validate(item) for item in found.failures]
    return EvaluationOut(**known, reports=found.reports, failures=wrong)
