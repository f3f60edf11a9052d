"""What can be asked: the objects, metrics and dimensions of the layer, and stored values, as far as the caller
may see them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import islice
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.concurrency import run_in_threadpool

from api.http.bodies import SEEN, CatalogueOut, ValuesOut
from api.http.caller import AsAnyone, AsVisitor, At
from api.http.problems import Problem, responses
from api.http.service import Service
from api.identity import SCOPES, Principal
from dialogue.explain import formula_words
from dialogue.openers import openers
from dialogue.sight import Sight
from dialogue.world import World
from nl2sql.slots import Filter
from semantic_layer.model import Dimension, Metric, Object
from semantic_layer.protocols import Halt
from semantic_layer.text import fold

router = APIRouter(prefix="/v1", tags=["catalogue"])
PAGE = 200
LOOKED = 5_000  # values that are looked through for one page
AT_ONCE = 500  # of them, in one query
Tongue = Annotated[str, Query(pattern="^(zh|en)$", description="The language of labels")]


@router.get("/catalogue", response_model=CatalogueOut, responses=responses("unavailable"))
async def catalogue(at: At, who: AsAnyone, lang: Tongue = "zh") -> CatalogueOut:
    """What the caller may ask about."""

    def made() -> CatalogueOut:
        with at.live.held() as live:
            world = live.bound(Halt(who.user.id))
            now = at.clock.now()
            examples = openers(world, who.user, now, lang)
            return _catalogue(world, who, lang, examples, now.date())

    return await run_in_threadpool(made)


@router.get("/values", response_model=ValuesOut, responses=responses("not-found", "unavailable"))
async def values(
    at: At,
    who: AsVisitor,
    dimension: Annotated[str, Query(min_length=1, max_length=100)],
    q: Annotated[
        str,
        Query(max_length=100, pattern=SEEN, description="A part of the value, or of a name for it"),
    ] = "",
    lang: Tongue = "zh",
    limit: Annotated[int, Query(ge=1, le=PAGE)] = 50,
) -> ValuesOut:
    """Stored values of a dimension that the caller may see."""
    return await run_in_threadpool(_values, at, who, dimension, q, lang, limit)


def _catalogue(
    world: World, who: Principal, lang: str, examples: tuple[str, ...], today: date
) -> CatalogueOut:
    layer, policy = world.layer, world.policy(who.user)
    objects = [found for found in layer.objects.values() if _may(found, policy)]
    shown = {name for found in objects for name in found.dimensions}
    return CatalogueOut(
        name=layer.name,
        title={"zh": layer.title.zh, "en": layer.title.en},
        semantic_hash=layer.hash,
        data_version=world.warehouse.data_version,
        as_of=today.isoformat(),
        objects=[_object(world, found, lang) for found in objects],
        metrics=[
            _metric(world, layer.metrics[name], lang)
            for found in objects
            for name in found.metrics
            if not layer.metrics[name].hidden
        ],
        dimensions=[
            _dimension(world, found, lang)
            for name, found in layer.dimensions.items()
            if name in shown
        ],
        examples=list(examples),
        scopes=[scope for scope in SCOPES if who.may(scope)],
    )


def _may(found: Object, policy: tuple[Filter, ...]) -> bool:
    return all(item.field in found.dimensions for item in policy)


def _object(world: World, found: Object, lang: str) -> dict[str, object]:
    return {
        "id": found.id,
        "label": world.field_label(found.id, lang),
        "description": found.description.zh if lang == "zh" else found.description.en,
        "metrics": [name for name in found.metrics if not world.layer.metrics[name].hidden],
        "dimensions": list(found.dimensions),
        "attributes": [
            {
                "id": name,
                "label": world.field_label(name, lang, found.id),
                "unit": item.unit,
                "type": item.type,
            }
            for name, item in found.attributes.items()
        ],
        "dated": found.time.default is not None,
        "snapshot": found.time.snapshot,
    }


def _metric(world: World, found: Metric, lang: str) -> dict[str, object]:
    tongue = found.words.zh if lang == "zh" else found.words.en
    return {
        "id": found.id,
        "object": found.object,
        "label": world.field_label(found.id, lang),
        "words": list(tongue),
        "description": found.description.zh if lang == "zh" else found.description.en,
        "unit": found.unit,
        "percent": found.percent,
        "kind": found.kind,
        "formula": formula_words(world, found, lang) if found.kind == "formula" else None,
    }


def _dimension(world: World, found: Dimension, lang: str) -> dict[str, object]:
    return {
        "id": found.id,
        "label": world.field_label(found.id, lang),
        "within": found.within,
        "type": found.type,
        "values": None
        if found.enum is None
        else [{"value": key, "label": world.label(found.id, key, lang)} for key in found.enum],
    }


def _values(
    at: Service, who: Principal, dimension: str, q: str, lang: str, limit: int
) -> ValuesOut:
    with at.live.held() as live:
        world = live.bound(Halt(who.user.id))
        policy = world.policy(who.user)
        layer = world.layer
        objects = [found for found in layer.objects.values() if _may(found, policy)]
        if dimension not in {name for found in objects for name in found.dimensions}:
            raise Problem("not-found", f"there is no dimension {dimension}", "dimension")
        sight = Sight(world, policy, at.clock.now())
        matching, found = _matching(world, dimension, fold(q), lang), dict[str, str]()
        while len(found) <= limit and (some := dict(islice(matching, AT_ONCE))):
            seen = sight.keys(dimension, some)
            found |= {key: label for key, label in some.items() if key in seen}
    shown = list(found.items())
    return ValuesOut(
        dimension=dimension,
        values=[{"value": key, "label": label} for key, label in shown[:limit]],
        more=len(shown) > limit,
    )


def _matching(world: World, dimension: str, part: str, lang: str) -> Iterator[tuple[str, str]]:
    """The stored values of which a name holds the part, as (value, label), up to a bound."""
    found = world.layer.dimensions[dimension]
    if found.enum is not None:
        for key, words in found.enum.items():
            if any(part in fold(word) for word in (key, *words)):
                yield key, world.label(dimension, key, lang)
        return
    for stored in world.values.like(dimension, part, LOOKED):
        yield stored.key, world.label(dimension, stored.key, lang)
