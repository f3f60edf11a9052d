"""The Markdown report: scores in a table, then the failures by reason, for a pull request or a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from api.evaluating.figures import figure, score_rows, summed
from api.evaluating.wording import word
from dialogue.evaluation import Evaluated

LISTED = 200  # failures; a page of more is read by nobody


def markdown(found: Iterable[Evaluated], reports: Sequence[Mapping[str, object]], lang: str) -> str:
    """The report of some sets."""
    facts = summed(reports)
    lines = [f"# {word(lang, 'title')}", "", word(lang, "lead", **facts), ""]
    names = [str(report["set"]) for report in reports]
    lines += _table([word(lang, "score"), *names], score_rows(reports, lang))
    lines += ["", word(lang, "note"), ""]
    codes: Counter[str] = Counter()
    failures: list[list[str]] = []
    for item in found:
        for played in item.played:
            for turn in played.turns:
                if not turn.ok:
                    codes[turn.code] += 1
                    place = f"{played.dialogue.id} {turn.turn}"
                    failures.append([item.questions.set, place, turn.asked, turn.reason])
    if not failures:
        return "\n".join([*lines, word(lang, "all-right"), ""])
    lines += [f"## {word(lang, 'reasons')}", ""]
    told = [
        [f"`{code}`", word(lang, f"code.{code}"), figure(count)]
        for code, count in codes.most_common()
    ]
    lines += _table([word(lang, "reason"), "", word(lang, "count")], told)
    lines += ["", f"## {word(lang, 'failures')}", ""]
    heads = [word(lang, key) for key in ("set", "dialogue", "asked", "reason")]
    lines += _table(heads, failures[:LISTED])
    if len(failures) > LISTED:
        lines += ["", word(lang, "failures.more", count=len(failures) - LISTED)]
    return "\n".join([*lines, ""])


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [_row(heads), _row(["---"] * len(heads)), *map(_row, rows)]


def _row(cells: Sequence[str]) -> str:
    """A row; what would end a cell, or begin something else in one, is written so that it does not."""
    safe = (cell.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;") for cell in cells)
    return f"| {' | '.join(' '.join(cell.split()) for cell in safe)} |"
