"""The words of a layer that do something in a question, by what they do: the `words` of a head.

They add to the service's own lists (`nl2sql/reading/words`), whose categories these are, but for the
units of time.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

_Words: TypeAlias = list[str]

UNITS = ("day", "week", "month", "quarter", "half", "year")


def _does(meaning: str, alias: str | None = None) -> object:
    return Field(description=meaning, alias=alias)


class SpokenSpec(BaseModel):
    """Words by what they do in a question; of any language."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    filler: Annotated[_Words, _does("changes nothing, whatever stands beside it: 亲爱的, pls")] = []
    stranger: Annotated[
        _Words, _does("made of words that mean something, and not understood: 地下")
    ] = []
    by: Annotated[_Words, _does("before what results are grouped by: 按")] = []
    each: Annotated[_Words, _does("the same, of single things: 各, 每个")] = []
    again_by: Annotated[_Words, _does("groups once more: 再按")] = []
    add: Annotated[_Words, _does("before what is added: 再加上")] = []
    also: Annotated[_Words, _does("after what is added: 也看看")] = []
    remove: Annotated[_Words, _does("before what is taken away: 去掉")] = []
    exclude: Annotated[_Words, _does("before values that are left out: 除了, 不含")] = []
    only: Annotated[_Words, _does("before the one value that is kept: 只看")] = []
    unlimit: Annotated[_Words, _does("before what no longer restricts: 不限")] = []
    undivide: Annotated[_Words, _does("before what no longer groups: 不分")] = []
    total: Annotated[_Words, _does("one number for all: 合计")] = []
    how_many: Annotated[_Words, _does("asks for a number: 多少")] = []
    which: Annotated[_Words, _does("asks for names: 哪些")] = []
    listing: Annotated[_Words, _does("asks for rows: 列出, 明细", "list")] = []
    descending: Annotated[_Words, _does("the largest first: 从高到低")] = []
    ascending: Annotated[_Words, _does("the smallest first: 从低到高")] = []
    sort: Annotated[_Words, _does("in order: 排序, 排名")] = []
    trend: Annotated[_Words, _does("over time: 走势")] = []
    share: Annotated[_Words, _does("as a part of the whole: 占比")] = []
    instead: Annotated[_Words, _does("before what takes the place: 换成")] = []
    correct: Annotated[_Words, _does("takes back what was said: 不对, 我要的是")] = []
    switch: Annotated[_Words, _does("leaves the topic: 算了, 另外")] = []
    undo: Annotated[_Words, _does("goes one step back: 撤销")] = []
    ref_one: Annotated[_Words, _does("points at one thing: 它")] = []
    ref_these: Annotated[_Words, _does("points at several: 这些")] = []
    and_: Annotated[_Words, _does("joins: 和", "and")] = []
    or_: Annotated[_Words, _does("leaves open which: 或者", "or")] = []
    not_have: Annotated[_Words, _does("has none: 没有")] = []
    vague: Annotated[_Words, _does("asks for a subject, not a number: 怎么样")] = []
    now: Annotated[_Words, _does("at present: 目前")] = []
    did: Annotated[_Words, _does("a verb that points at a metric: 花了, 收到")] = []
    moved: Annotated[_Words, _does("how a compared number moved: 增长")] = []
    explain_metric: Annotated[_Words, _does("asks what a metric means: 怎么算, 口径")] = []
    explain_result: Annotated[_Words, _does("asks where a number comes from: 怎么来的")] = []
    catalogue: Annotated[_Words, _does("asks what there is: 能问什么")] = []
    why: Annotated[_Words, _does("asks for a cause, which is declined: 为什么")] = []
    predict: Annotated[_Words, _does("asks for the future, which is declined: 预测")] = []
    advise: Annotated[_Words, _does("asks for advice, which is declined: 建议")] = []
    change: Annotated[_Words, _does("would change data, which is declined: 删除")] = []
    greet: Annotated[_Words, _does("a greeting: 你好")] = []
    thanks: Annotated[_Words, _does("thanks: 谢谢")] = []
    bye: Annotated[_Words, _does("a farewell: 再见")] = []
    help: Annotated[_Words, _does("asks for help: 帮助")] = []
    day: Annotated[_Words, _does("a name of the day as a unit to show by")] = []
    week: Annotated[_Words, _does("of the week: 班周")] = []
    month: Annotated[_Words, _does("of the month: 期次")] = []
    quarter: Annotated[_Words, _does("of the quarter")] = []
    half: Annotated[_Words, _does("of the half year")] = []
    year: Annotated[_Words, _does("of the year: 业绩年")] = []

    def by_category(self) -> dict[str, tuple[str, ...]]:
        """The words that are given, by the name of what they do."""
        return {
            (field.alias or name): tuple(words)
            for name, field in type(self).model_fields.items()
            if (words := getattr(self, name))
        }


__all__ = ["UNITS", "SpokenSpec"]
