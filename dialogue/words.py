"""Answers in words: templates from the catalogues, filled with labels, periods and numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from importlib import resources

import yaml

from dialogue.world import World
from nl2sql.reading.types import Lang
from nl2sql.slots import (
    BUCKET,
    Among,
    Comparison,
    Contains,
    During,
    Filter,
    Having,
    Interval,
    Limit,
    Members,
    Missing,
    Slots,
    TimeSlot,
)
from nl2sql.times import Grain, Range

NAMED = 3
LANGUAGES: tuple[Lang, ...] = ("zh", "en")
UNITS = {"sqm": "m²", "CNY": "元", "m3": "m³", "kWh": "kWh", "min": "分钟", "h": "小时", "t": "吨"}
UNITS_EN = {"sqm": "m²", "CNY": "CNY", "m3": "m³", "min": "min", "h": "h", "t": "t"}


def bucket(start: date, grain: str | None) -> str:
    """A bucket of time, by what people call it; fiscal ones by their first month.

    >>> bucket(date(2026, 7, 1), "quarter"), bucket(date(2026, 7, 1), "half")
    ('2026Q3', '2026H2')
    >>> bucket(date(2026, 7, 1), "year"), bucket(date(2026, 7, 1), "month")
    ('2026', '2026-07')
    """
    match grain:
        case "year":
            return f"{start:%Y}"
        case "half":
            return f"{start:%Y}H{1 + start.month // 7}"
        case "quarter":
            return f"{start:%Y}Q{(start.month + 2) // 3}"
        case "month" | "fiscal_quarter" | "fiscal_year":
            return f"{start:%Y-%m}"
    return start.isoformat()


_Safe = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@lru_cache(maxsize=4)
def catalogue(lang: str) -> dict[str, str]:
    """The texts of a language."""
    text = resources.files("dialogue").joinpath("texts", f"{lang}.yaml").read_text("utf-8")
    return {str(key): str(value) for key, value in yaml.load(text, _Safe).items()}


def say(lang: str, key: str, **facts: object) -> str:
    """A text of the catalogue, filled in."""
    texts = catalogue(lang)
    template = texts.get(key) or texts.get("decline.other", key)
    return template.format_map(_Facts(facts | {"code": key}))


class _Facts(dict[str, object]):
    def __missing__(self, key: str) -> str:
        return ""


def joined(items: Iterable[str], lang: str) -> str:
    """A list in words."""
    return ("、" if lang == "zh" else ", ").join(items)


def unit_label(unit: str | None, lang: str) -> str:
    """A unit as it is shown."""
    if unit is None:
        return ""
    table = UNITS if lang == "zh" else UNITS_EN
    return "/".join(
        table.get(part, {"month": "月"}.get(part, part) if lang == "zh" else part)
        for part in unit.split("/")
    )


def number(value: object, percent: bool, lang: str) -> str:
    """A number for people: two decimals at most, thousands, percent for rates.

    >>> number(Decimal("1234567.5"), False, "zh"), number(0.8333, True, "zh"), number(None, False, "zh")
    ('1,234,567.5', '83.33%', '—')
    """
    if value is None:
        return "—"
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float | Decimal):
        exact = Decimal(str(value)) * (100 if percent else 1)
        rounded = exact.quantize(Decimal("0.01"), ROUND_HALF_UP)
        text = f"{rounded:,f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return text + ("%" if percent else "")
    return str(value)


def day(moment: date | datetime) -> str:
    """A date, with the time of day where there is one."""
    return moment.strftime("%Y-%m-%d %H:%M") if isinstance(moment, datetime) else moment.isoformat()


def span(item: Range, lang: str) -> str:
    """A half-open range as people say it: a month, a year, or its first and last day."""
    start, end = item.start, item.end
    if start is None:
        return (
            ("截至 " if lang == "zh" else "up to ") + day(_before(end)) if end is not None else ""
        )
    if end is None:
        return f"{day(start)} 起" if lang == "zh" else f"from {day(start)} on"
    if isinstance(start, datetime) or isinstance(end, datetime):
        return f"{day(start)}–{day(end)}"
    last = _before(end)
    if start.day == 1 and end.day == 1:
        months = (end.year - start.year) * 12 + end.month - start.month
        if months == 1:
            return f"{start.year}年{start.month}月" if lang == "zh" else start.strftime("%Y-%m")
        if months == 12 and start.month == 1:
            return f"{start.year}年" if lang == "zh" else str(start.year)
    return day(start) if last == start else f"{day(start)}–{day(last)}"


def _before(end: date | datetime) -> date:
    return end if isinstance(end, datetime) else end - timedelta(days=1)


def period(time: TimeSlot | None, lang: str) -> str:
    """The period of an answer."""
    if time is None:
        return ""
    if time.kind == "newest" and time.ranges[0].start is not None:
        return say(lang, "time.newest", day=day(time.ranges[0].start))
    return joined((span(item, lang) for item in time.ranges), lang)


def condition(world: World, item: Filter, lang: str, owner: str | None) -> str:
    """A filter in words."""
    name = world.field_label(item.field, lang, owner)
    match item.test:
        case Among(values, negated):
            listed = joined(
                (world.label(item.field, value, lang) for value in values[:NAMED]), lang
            )
            if len(values) > NAMED:
                listed = say(lang, "among.more", listed=listed, count=len(values))
            return say(lang, "not", values=listed) if negated else listed
        case Missing(negated):
            return say(lang, "not-null" if negated else "null", field=name)
        case Contains(text):
            return say(lang, "contains", field=name, text=text)
        case Interval():
            return f"{name}{bounds(item.test)}"
        case During(ranges):
            return f"{name} {joined((span(one, lang) for one in ranges), lang)}"
        case Members(_, rows):
            return say(lang, "members", count=len(rows))
    return name


def bounds(item: Interval, percent: bool = False) -> str:
    """An interval in signs.

    >>> bounds(Interval(Decimal(5), False, Decimal("8.5"), True))
    ' > 5 ≤ 8.5'
    """
    text = ""
    if item.low is not None:
        text += f" {'≥' if item.low_inclusive else '>'} {number(item.low, percent, 'zh')}"
    if item.high is not None:
        text += f" {'≤' if item.high_inclusive else '<'} {number(item.high, percent, 'zh')}"
    return text


def comparison(item: Comparison, lang: str) -> str:
    """What is compared with."""
    return say(lang, f"compare.{item.kind}", words=item.words)


def ranks(
    world: World,
    limit: Limit,
    lang: str,
    grain: Grain | None = None,
    dimensions: Iterable[str] = (),
) -> str:
    """Ranks in words, and within what they begin anew: dimensions, or each unit of time. Where `dimensions`
    and units of time are ranked together, a row is no dimension alone, and that is said."""
    key = "limit.one" if limit.first == limit.last else "limit"
    text = say(lang, key, first=limit.first, last=limit.last)
    if limit.per:
        per = joined(
            (
                say(lang, f"bucket.{grain or 'any'}")
                if name == BUCKET
                else world.field_label(name, lang)
                for name in limit.per
            ),
            lang,
        )
        text = say(lang, "limit.per", dimensions=per, ranks=text)
    rows = [world.field_label(name, lang) for name in dimensions if name not in limit.per]
    if grain is not None and rows and BUCKET not in limit.per:
        facts = {"dimensions": joined(rows, lang), "bucket": say(lang, f"bucket.{grain}")}
        text = say(lang, "limit.together", ranks=text, **facts)
    return joined([text, say(lang, "limit.others")], lang) if limit.others else text


MOST_UNREAD, LONGEST_UNREAD = 8, 40  # stretches named in a text, and characters of each


def unread_words(stretches: Iterable[str], lang: str) -> str:
    """What was not understood, to be named: each once, the first few, long ones cut."""
    named = dict.fromkeys(
        text[:LONGEST_UNREAD] + "…" * (len(text) > LONGEST_UNREAD) for text in stretches
    )
    return joined(tuple(named)[:MOST_UNREAD], lang) + "…" * (len(named) > MOST_UNREAD)


@dataclass(frozen=True, slots=True)
class Described:
    """The slots of an answer in words, part by part."""

    period: str
    filters: str
    dimensions: str
    metrics: str

    def whole(self, lang: str) -> str:
        """All parts, as the completed question."""
        return " · ".join(
            part.strip()
            for part in (self.period, self.filters, self.dimensions, self.metrics)
            if part.strip()
        )


def group_condition(world: World, item: Having, lang: str) -> str:
    """A condition on groups: 欠费 ≥ 500,000."""
    percent = world.layer.metrics[item.metric].percent
    return world.field_label(item.metric, lang) + bounds(item.test, percent)


def describe(world: World, slots: Slots, lang: str) -> Described:
    """Slots in words."""
    gap = " "
    names = [world.field_label(name, lang) for name in slots.dimensions if name != slots.counted]
    grouped = ([say(lang, f"grain.{slots.grain}")] if slots.grain else []) + (
        [say(lang, "by", dimensions=joined(names, lang)).strip()] if names else []
    )
    filters = [condition(world, item, lang, slots.object) for item in slots.filters]
    filters += [group_condition(world, item, lang) for item in slots.having]
    metrics = [world.field_label(name, lang) for name in slots.metrics]
    if slots.rows and slots.object:
        metrics = [
            world.layer.objects[slots.object].words.label(
                "zh" if lang == "zh" else "en", slots.object
            )
        ]
    if slots.counted:
        metrics = [say(lang, "counted", dimension=world.field_label(slots.counted, lang))]
    if slots.comparison is not None:
        metrics.append(comparison(slots.comparison, lang))
    if slots.limit is not None:
        metrics.append(ranks(world, slots.limit, lang, slots.grain, slots.dimensions))
    metrics += [say(lang, f"with.{name}") for name in slots.beside]
    return Described(
        period(slots.time, lang) + gap,
        "·".join(filters) + gap if filters else "",
        gap.join(grouped) + gap,
        joined(metrics, lang),
    )
