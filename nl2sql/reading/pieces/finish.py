"""What the pieces of a turn mean together."""

from __future__ import annotations

import re
from dataclasses import replace

from nl2sql.edits import Edit, Reference
from nl2sql.reading.pieces.bounds import measured, on_measured, suits
from nl2sql.reading.pieces.draft import Draft, interval
from nl2sql.reading.pieces.merging import placed, together
from nl2sql.reading.pieces.rows import single_rows
from nl2sql.reading.pieces.subjects import left_out
from nl2sql.slots import (
    BUCKET,
    Among,
    Filter,
    Having,
    Limit,
    Order,
    Span,
)
from semantic_layer.text import fold

_BY = re.compile(r"[了的\s]*(?:by|of)?\s*")  # between a change and the bound on it
_COUNTED = frozenset("多少")


def finish(d: Draft) -> None:
    """What pieces together mean: counted objects, ranked dimensions, specialised metrics."""
    single_rows(d)
    dims_and_limit(d)
    amount_of(d)
    things(d)
    objects_and_metrics(d)
    specialise(d)
    said = tuple(dict.fromkeys(name for name, _ in d.metrics))
    if said:
        spans = [span for _, span in d.metrics]
        ordering = "order" if set(said) <= d.ordering else ""
        d.say(
            "metrics", "set", said, (min(a for a, _ in spans), max(b for _, b in spans)), ordering
        )
        d.edits.insert(0, d.edits.pop())  # what is added comes after what is set
        d.ambiguities = [item for item in d.ambiguities if item.about != "metric"]
    if any(edit.slot == "rows" for edit in d.edits):
        d.ambiguities = [item for item in d.ambiguities if item.about != "metric"]
    placed(d)
    of_change(d)
    if d.bounds:
        loose_bounds(d)
    place_contains(d)
    together(d)
    those(d)
    compared = [edit for edit in d.edits if edit.slot == "comparison" and edit.op == "set"]
    against = [edit for edit in d.edits if edit.slot == "time" and edit.note == "against"]
    if not compared and not against:
        d.unread += d.moved
    elif d.moved:
        d.cues.add("moved")
    if d.flips and not any(edit.slot == "order" for edit in d.edits):
        d.unread += d.flips


def those(d: Draft) -> None:
    """两个一共多少, where the turn itself names none: of those two that were talked about."""
    named = any(edit.slot in ("filters", "dimensions", "limit", "having") for edit in d.edits)
    if d.together is not None and not (named or d.references or d.bounds):
        d.references.append(Reference("set", d.together[1], d.together[0]))


def dims_and_limit(d: Draft) -> None:
    """What is grouped by, and which ranks are shown."""
    each = [item for item in d.dims if item[2] == "each"]
    ranked = [item for item in d.dims if item[2] == "rank"]
    order = list(d.dims)
    wanting = d.limit is not None or any(edit.slot == "having" for edit in d.edits) or d.bounds
    conditioned = any(edit.slot == "having" for edit in d.edits) or bool(d.bounds)
    asking = bool(d.cues & {"which", "rows_end"})
    filtered = {edit.value.field for edit in d.edits if isinstance(edit.value, Filter)}
    if not order:
        for found, span, how in d.weak:
            named = how == "dimension" and found not in filtered and "total" not in d.cues
            asked = (
                how in ("entity", "dimension")
                and (wanting or asking)
                and bool(d.metrics or wanting)
            ) or (how == "counted" and conditioned)
            if asked or named:
                order.append((found, span, "rank" if asked else "bare"))
                if asked:
                    ranked.append((found, span, "rank"))
    else:
        order += besides(d, filtered)
        if conditioned and not ranked:  # 各园区欠费10万以上的租户有几家
            order += [(name, span, "rank") for name, span, how in d.weak if how == "counted"]
    names = tuple(dict.fromkeys(name for name, _, _ in order))
    if names:
        bare = all(how == "bare" for _, _, how in order)
        d.say(
            "dimensions",
            "set",
            names,
            (min(s[0] for _, s, _ in order), max(s[1] for _, s, _ in order)),
            "bare" if bare else "within" if each and not ranked and len(each) == len(order) else "",
        )
    presumed(d)
    if d.limit is not None and not names:
        counted_by(d, d.limit[0].unit if d.limit[0].counted else d.which)
    if d.limit is not None:
        rank, span = d.limit
        inner = {name for name, _, _ in ranked} - {name for name, _, _ in each}
        per = tuple(name for name, _, _ in each) if each and inner else ()
        if names and any(edit.slot == "grain" and not edit.note for edit in d.edits):
            per = (*per, BUCKET)  # 每月应收最高的园区: ranks begin anew in each month
        d.say(
            "limit",
            "set",
            Limit(rank.last, rank.first, per),
            span,
            "named" if ranked else "" if rank.counted else "uncounted",
        )
        ordered = [edit.note for edit in d.edits if edit.slot == "order"]
        if "ranked" not in ordered and (rank.descending is not None or not ordered):
            d.say(
                "order",
                "set",
                Order(None, rank.descending is not False),
                span,
                "judged"
                if rank.judged
                else "rank"
                if rank.descending is not None
                else "undirected",
            )


def besides(d: Draft, filtered: set[str]) -> list[tuple[str, Span, str]]:
    """欠费最多的5家企业的行业: a further dimension that is named is shown beside, or not understood
    where the ranks would then be of other rows."""
    known = {name for name, _, _ in d.dims}
    tables = {d.layer.dimensions[name].table for name in known}
    found: list[tuple[str, Span, str]] = []
    for name, span, how in d.weak:
        if how != "dimension" or name in known or name in filtered:
            continue
        if d.limit is not None and d.layer.dimensions[name].table not in tables:
            d.unread.append(span)
        else:
            found.append((name, span, "beside"))
    return found


def presumed(d: Draft) -> None:
    """哪三个园区: a number of them needs something to choose them by. A condition chooses by itself."""
    if d.limit is None or "which_of" not in d.cues or d.limit[0].descending is not None:
        return
    if any(edit.slot == "order" for edit in d.edits):
        return
    if not (d.bounds or any(edit.slot == "having" for edit in d.edits)):
        d.unread.append(d.limit[1])
    d.limit = None


def counted_by(d: Draft, unit: str) -> None:
    """前5家, 前3栋: the measure word tells what is ranked, where nothing else does."""
    for found in d.layer.objects.values():
        if unit and unit in found.measure_words.all():
            words = set(found.words.all())
            for dimension in d.layer.dimensions.values():
                if words & set(dimension.words.all()):
                    assert d.limit is not None
                    d.say("dimensions", "set", (dimension.id,), d.limit[1], "measure")
                    return
    for dimension in d.layer.dimensions.values():
        if unit and unit in dimension.words.all() and d.limit is not None:
            d.say("dimensions", "set", (dimension.id,), d.limit[1], "measure")
            return
    kinds = kind_of(d) if unit in ("类", "种") else None
    if kinds is not None and d.limit is not None:
        d.say("dimensions", "set", (kinds,), d.limit[1], "measure")


_KINDS = ("类型", "类别", "种类")


def kind_of(d: Draft) -> str | None:
    """最多的前两类: the one dimension of what is asked about that tells its kinds apart."""
    owner, _ = about(d)
    names = [] if owner is None else d.layer.objects[owner].dimensions
    found = [
        name
        for name in names
        if d.layer.dimensions[name].enum is not None
        and any(word.endswith(_KINDS) for word in d.layer.dimensions[name].words.all())
    ]
    return found[0] if len(found) == 1 else None


def objects_and_metrics(d: Draft) -> None:
    """An object without a metric: counted, listed, or only named."""
    if any(edit.slot == "rows" for edit in d.edits):
        return
    if d.metrics or any(edit.slot == "metrics" for edit in d.edits):
        also_counted(d)
        return
    measured = next(
        (cue.partition(":")[2] for cue in sorted(d.cues) if cue.startswith("measure:")), None
    )
    if not d.objects and "count" in d.cues and measured is not None:
        metric = d.layer.objects[measured].default_metric
        if metric is not None:
            d.metrics.append((metric, (0, 0)))
            d.cues.add("measured")
        return
    whole = [edit for edit in d.edits if (edit.slot, edit.op) == ("limit", "clear")]
    asking = whole or d.cues & {"list", "rows_end", "count", "which", "how_many"}
    if not d.objects and d.hinted and asking and not left_out(d, d.hinted[-1][1]):
        d.objects.append(d.hinted[-1])
    grouped = any(edit.slot in ("dimensions", "grain") for edit in d.edits)
    listing = "list" in d.cues or ("rows_end" in d.cues and not d.bounds)
    if not d.objects and listing and d.limit is None and not grouped:
        d.say("rows", "set", "", (0, 0), "current")
        return
    if not d.objects:
        if d.hinted:
            d.say("object", "set", d.hinted[-1][0], d.hinted[-1][1], "hint")
        elif counting(d) and (owner := sole_owner(d)) is not None:
            d.say("object", "set", *owner)
        return
    found = object_asked(d)
    span = next(span for name, span in d.objects if name == found)
    listed = d.limit is None and bool(whole or d.cues & {"list", "rows_end", "which", "rows"})
    dims = any(edit.slot == "dimensions" and edit.op == "set" for edit in d.edits)
    having = any(edit.slot == "having" for edit in d.edits)
    if "count" in d.cues or counting(d):
        metric = d.layer.objects[found].default_metric
        if metric is not None and d.layer.metrics[metric].default:
            d.metrics.append((metric, span))
            return
    if listed and not having and (not dims or only_own_dims(d, found)):
        d.edits = [
            edit
            for edit in d.edits
            if edit not in whole and not (edit.slot == "dimensions" and edit.op == "set")
        ]
        d.say("rows", "set", found, span)
        return
    d.say("object", "set", found, span, "attribute" if only_attribute(d, found) else "")


def amount_of(d: Draft) -> None:
    """用了多少电: the one metric that counts just the value that is asked how much of it there is."""
    if d.metrics or d.objects or "how_many" not in d.cues:
        return
    for edit in d.edits:
        asked = re.search(r"(?:多少|how much|how many)\s*(?:的|度|吨)?$", d.text[: edit.span[0]])
        if edit.slot != "filters" or edit.op != "set" or asked is None:
            continue
        found = [
            item.id
            for item in d.layer.metrics.values()
            if not item.hidden and item.where is not None and says(d, item.where.text, edit)
        ]
        if len(found) == 1:
            d.metrics.append((found[0], edit.span))
            d.edits.remove(edit)
            return


def sole_owner(d: Draft) -> tuple[str, Span] | None:
    """投诉最多的租户: the one object that has what a value is one of."""
    for edit in d.edits:
        if edit.slot == "filters" and edit.op == "set" and isinstance(edit.value, Filter):
            fields = [item.field for item in (edit.value, *edit.others) if isinstance(item, Filter)]
            owners = [
                found.id
                for found in d.layer.objects.values()
                if any(name in found.dimensions for name in fields)
            ]
            if len(owners) == 1:
                return owners[0], edit.span
    return None


def things(d: Draft) -> None:
    """list vacant rooms, 列出到期合同: a word that names the things themselves asks for their rows."""
    names = {name for name, _ in d.metrics}
    if len(names) != 1 or not d.cues & {"list", "rows_end", "which"} or d.limit is not None:
        return
    if any(edit.slot in ("dimensions", "having", "metrics", "grain") for edit in d.edits):
        return
    name, span = d.metrics[0]
    metric = d.layer.metrics[name]
    word = d.text[slice(*span)]
    owner = d.layer.objects[metric.object]
    if metric.kind not in ("count", "count_distinct") or not any(
        word.endswith(fold(item)) for item in owner.words.all()
    ):
        return
    d.metrics.clear()
    d.say("rows", "set", metric.object, span, name)
    if metric.time is not None:
        d.say("role", "set", metric.time, span, metric.object)


def also_counted(d: Draft) -> None:
    """工单有多少个，平均响应时长多久: the count of the very object beside its metrics.

    逾期的账单有几笔 asks for some of the bills; they are not counted as if it said all.
    """
    for name, span in d.counted:
        near = [
            (item, where)
            for item, where in d.metrics
            if where[1] <= span[0] and not d.text[where[1] : span[0]].strip("的 ")
        ]
        for item, where in near:
            if d.layer.metrics[item].where is not None or d.layer.metrics[item].better == "lower":
                d.unread.append(where)
        metric = d.layer.objects[name].default_metric
        others = {d.layer.metrics[item].object for item, _ in d.metrics}
        conditioned = any(edit.slot == "having" for edit in d.edits)
        if (
            metric is not None
            and others == {name}
            and not conditioned
            and d.layer.metrics[metric].default
        ):
            d.metrics.insert(0, (metric, span))


def only_attribute(d: Draft, found: str) -> bool:
    """Whether the object is only known by an attribute of it."""
    named = {span for edit in d.edits if edit.note == "attribute" for span in [edit.span]}
    return all(
        any(a <= span[0] and span[1] <= b for a, b in named)
        for name, span in d.objects
        if name == found
    )


def object_asked(d: Draft) -> str:
    """The object that is asked about, when several are named: the counted or last one."""
    pure = [
        name
        for name, span in d.objects
        if not any(span == where for _, where, how in d.weak if how == "entity")
    ]
    return pure[-1] if pure else d.objects[-1][0]


def only_own_dims(d: Draft, found: str) -> bool:
    """Whether the grouping named is just the object itself (哪些租户)."""
    words = d.layer.objects[found].words.all()
    dims = {name for name, _, _ in d.dims}
    return all(set(d.layer.dimensions[name].words.all()) & set(words) for name in dims)


def counting(d: Draft) -> bool:
    """工单最多, the most tickets: a superlative of number counts an object."""
    if d.limit is None:
        return False
    word = d.text[d.limit[1][0] : d.limit[1][1]]
    return bool(_COUNTED & set(word)) or any(
        item in word for item in ("most", "fewest", "least", "top")
    )


def specialise(d: Draft) -> None:
    """空置 + 房源数 is 空置房源数; 到期的 + 合同数 is 到期合同数: the metric that says it in one."""
    for index, (name, span) in enumerate(d.metrics):
        metric = d.layer.metrics[name]
        if metric.kind == "formula" or metric.where is not None:
            continue
        role = next(
            (edit for edit in d.edits if edit.slot == "role" and edit.note == metric.object),
            None,
        )
        for other in d.layer.metrics.values():
            if (
                other.object != metric.object
                or other.kind != metric.kind
                or other.hidden
                or other.where is None
            ):
                continue
            if (other.expr.text if other.expr else None) != (
                metric.expr.text if metric.expr else None
            ):
                continue
            if (
                role is not None
                and other.time == role.value
                and name == d.layer.objects[metric.object].default_metric
            ):
                d.metrics[index] = (other.id, span)
                d.edits.remove(role)
                return
            for edit in d.edits:
                if (
                    edit.slot == "filters"
                    and edit.op == "set"
                    and isinstance(edit.value, Filter)
                    and says(d, other.where.text, edit)
                ):
                    d.metrics[index] = (
                        other.id,
                        (min(span[0], edit.span[0]), max(span[1], edit.span[1])),
                    )
                    d.edits.remove(edit)
                    return


def says(d: Draft, where: str, edit: Edit) -> bool:
    """Whether a metric's own condition is just the value that a filter asks for."""
    match = re.fullmatch(r"(?:\w+\.)*(\w+) = '([^']*)'", where)
    if match is None:
        flag = re.fullmatch(r"(?:\w+\.)*(\w+)", where)
        wanted = (flag.group(1), "true") if flag else None
    else:
        wanted = (match.group(1), match.group(2))
    for item in (edit.value, *edit.others):
        if wanted and isinstance(item, Filter) and item.test == Among((wanted[1],)):
            if d.layer.dimensions[item.field].column == wanted[0]:
                return True
    return False


def loose_bounds(d: Draft) -> None:
    """A bare number in a turn: a condition on its one metric, or on what was asked before."""
    for bound, span in d.bounds:
        owner, unit = about(d)
        attribute = measured(d.layer, owner, bound.unit, unit) if owner is not None else None
        if owner is not None and attribute is not None:
            on_measured(d, owner, attribute, bound, span)
        elif len(d.metrics) == 1:
            metric = d.layer.metrics[d.metrics[0][0]]
            if not suits(bound, metric):
                d.unread.append(span)
                continue
            d.say("having", "set", Having(metric.id, interval(bound, metric.percent)), span)
        else:
            d.say(
                "having",
                "set",
                Having("", interval(bound, bound.percent)),
                span,
                f"bare:{bound.unit or ''}",
            )


def of_change(d: Draft) -> None:
    """收缴率同比下降超过5%, 增长率低于5%: a bound on how much a number changed, which no slot holds."""
    ends = [end for _, end in d.moved]
    ends += [edit.span[1] for edit in d.edits if edit.slot == "comparison"]

    def changed(span: Span) -> bool:
        return any(_BY.fullmatch(d.text, end, span[0]) for end in ends if end <= span[0])

    loose = [span for _, span in d.bounds if changed(span)]
    d.unread += loose
    d.bounds = [item for item in d.bounds if item[1] not in loose]
    d.unread += [edit.span for edit in d.edits if edit.slot == "having" and changed(edit.span)]


def about(d: Draft) -> tuple[str | None, str | None]:
    """The object that a turn names, and the unit of its one metric."""
    if d.metrics:
        metrics = [d.layer.metrics[name] for name, _ in d.metrics]
        owners = {metric.object for metric in metrics}
        unit = metrics[0].unit if len(metrics) == 1 else None
        return (owners.pop() if len(owners) == 1 else None), unit
    listed = [str(edit.value) for edit in d.edits if edit.slot == "rows" and edit.value]
    return (listed[0] if listed else object_asked(d) if d.objects else None), None


def place_contains(d: Draft) -> None:
    """A part of a name belongs to the dimension that was named, else to the one with names."""
    for index, edit in enumerate(d.edits):
        if edit.note != "contains" or not isinstance(edit.value, Filter) or edit.value.field:
            continue
        named = [name for name, _, _ in (*d.weak, *d.dims)]
        labelled = [
            item.id for item in d.layer.dimensions.values() if item.label and not item.aliases
        ]
        target = next((name for name in named if d.layer.dimensions[name].label), None) or (
            labelled[0] if labelled else ""
        )
        d.edits[index] = replace(edit, value=Filter(target, edit.value.test))
