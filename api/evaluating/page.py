"""The page of an evaluation: scores, reasons, and every failure with what was expected beside what came.

One file that stands by itself: no script, no network.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from importlib import resources

from api.evaluating.figures import Reports, figure, figures, part, percent, summed
from api.evaluating.wording import word
from dialogue.evaluation import Evaluated
from dialogue.evaluation.blame import equal
from dialogue.evaluation.judged import Failure, Judged, Seen
from dialogue.evaluation.scores import SCORES, Played

LISTED = 500  # failures on a page


def page(found: Iterable[Evaluated], reports: Reports, lang: str) -> str:
    """The page of some sets."""
    style = resources.files("api.evaluating").joinpath("style.css").read_text("utf-8")
    codes: Counter[str] = Counter()
    failures = []
    for item in found:
        for played in item.played:
            for turn in played.turns:
                if not turn.ok:
                    codes[turn.code] += 1
                    if codes.total() <= LISTED:
                        first = turn.code if codes[turn.code] == 1 else ""
                        failures.append(_failure(item.questions.set, played, turn, first, lang))
    title = word(lang, "title")
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="lead">{escape(word(lang, "lead", **summed(reports)))}</p>',
        *_scores(reports, lang),
        *_reasons(codes, lang),
        *_tags(reports, lang),
        *_latency(reports, lang),
    ]
    if failures:
        body += [f'<h2 id="failures">{escape(word(lang, "failures"))}</h2>', *failures]
        if codes.total() > LISTED:
            more = word(lang, "failures.more", count=figure(codes.total() - LISTED))
            body.append(f'<p class="note">{escape(more)}</p>')
    else:
        body.append(f"<p>{escape(word(lang, 'all-right'))}</p>")
    return (
        f'<!doctype html>\n<html lang="{lang}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>\n{style}</style></head>\n<body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def _scores(reports: Reports, lang: str) -> Iterator[str]:
    yield f"<h2>{escape(word(lang, 'scores'))}</h2>"
    heads = [word(lang, "score"), *(str(report["set"]) for report in reports)]
    rows = []
    for name in SCORES:
        cells = []
        for report in reports:
            value, count, between = map(escape, figures(report, name, lang))
            cells.append(f"<b>{value}</b> <small>{count}</small> <small>{between}</small>")
        rows.append([escape(word(lang, f"score.{name}")), *cells])
    yield _table(heads, rows)
    yield f'<p class="note">{escape(word(lang, "note"))}</p>'


def _reasons(codes: Counter[str], lang: str) -> Iterator[str]:
    if not codes:
        return
    yield f"<h2>{escape(word(lang, 'reasons'))}</h2>"
    rows = [
        [f'<a href="#{code}">{code}</a>', escape(word(lang, f"code.{code}")), figure(count)]
        for code, count in codes.most_common()
    ]
    yield _table([word(lang, "reason"), "", word(lang, "count")], rows)


def _tags(reports: Reports, lang: str) -> Iterator[str]:
    """The tags where something is wrong come first; all scores of each are in the JSON report."""
    heads = [
        "tag",
        "count",
        "score.turn_accuracy",
        "score.dialogue_accuracy",
        "score.silent_wrong_rate",
    ]
    rows = [
        (float(str(scores["turn_accuracy"])), str(report["set"]), str(tag), scores)
        for report in reports
        for tag, scores in part(report, "by_tag").items()
        if isinstance(scores, Mapping)
    ]
    if not rows:
        return
    yield f"<details><summary>{escape(word(lang, 'tags'))}</summary>"
    yield _table(
        [word(lang, "set"), *(word(lang, key) for key in heads)],
        [
            [escape(name), escape(tag), figure(int(str(scores["turns"])))]
            + [_rate(scores[key.removeprefix("score.")]) for key in heads[2:]]
            for _, name, tag, scores in sorted(rows, key=lambda row: row[:3])
        ],
    )
    yield "</details>"


def _rate(value: object) -> str:
    return "–" if value is None else percent(value)


def _latency(reports: Reports, lang: str) -> Iterator[str]:
    yield f"<details><summary>{escape(word(lang, 'latency'))}</summary>"
    rows = []
    for report in reports:
        found = part(report, "latency_ms")
        for name in ("whole", "reading", "compiling", "running"):
            times = found if name == "whole" else found[name]
            assert isinstance(times, Mapping)
            label = escape(word(lang, f"latency.{name}"))
            rows.append([escape(str(report["set"])), label, f"{times['p50']:.1f}", f"{times['p95']:.1f}"])  # fmt: skip
    heads = ["", word(lang, "latency.p50"), word(lang, "latency.p95")]
    yield _table([word(lang, "set"), *heads], rows)
    yield "</details>"


def _failure(name: str, played: Played, turn: Judged, anchor: str, lang: str) -> str:
    """One failure; `anchor` is its code where it is the first of it."""
    dialogue = played.dialogue
    silent = f' <span class="silent">{escape(word(lang, "silent"))}</span>' if turn.silent else ""
    code = escape(word(lang, f"code.{turn.code}"))
    head = (
        f"<summary><span class=question>{escape(turn.asked)}</span>"
        f'<span class="meta">{escape(f"{name} · {dialogue.id} · ")}{escape(word(lang, "turn", turn=turn.turn))}'
        f"</span><span class=code>{code} <code>{turn.code}</code>{silent}</span></summary>"
    )
    body = [f'<p class="words">{escape(turn.words)}</p>', _before(played, turn, lang)]
    if turn.failure is not None:
        body += [_sides(turn, turn.failure, lang), _slots(turn.failure, lang)]
    place = f' id="{anchor}"' if anchor else ""
    return f"<details class=failure{place} open>{head}\n{''.join(body)}</details>"


def _before(played: Played, turn: Judged, lang: str) -> str:
    """The turns before, as they ended; none where each turn is a session of its own."""
    earlier = [item for item in played.turns if item.turn < turn.turn]
    if not earlier or played.dialogue.mode == "variants":
        return ""
    items = ""
    for item in earlier:
        ended = escape(word(lang, f"outcome.{item.outcome}")) + ("" if item.ok else " ✗")
        items += f"<li>{escape(item.asked)} <small>{ended}</small></li>"
    return f"<h4>{escape(word(lang, 'before'))}</h4><ol>{items}</ol>"


def _sides(turn: Judged, found: Failure, lang: str) -> str:
    """What was expected beside what came: how it ends, rows, SQL."""
    ends = " / ".join(word(lang, f"outcome.{item}") for item in turn.expected) or "–"
    wanted = f"<p>{escape(word(lang, 'ends'))} <b>{escape(ends)}</b></p>"
    got = f"<p>{escape(word(lang, 'ended'))} <b>{escape(word(lang, f'outcome.{turn.outcome}'))}</b></p>"
    asked = json.loads(found.wanted) if found.wanted else {}
    others = {key: value for key, value in asked.items() if key != "slots"}
    if others:
        wanted += _pairs(others)
    if found.text:
        got += f'<p class="text">{escape(found.text)}</p>'
    if found.offered:
        items = "".join(f"<li>{escape(item)}</li>" for item in found.offered)
        got += f"<h4>{escape(word(lang, 'offered'))}</h4><ul>{items}</ul>"
    wanted += _rows(found.gold, lang) + _sql(found.gold_sql, lang)
    got += _rows(found.got, lang) + _sql(found.sql, lang)
    return (
        f'<div class="sides"><section class="wanted"><h4>{escape(word(lang, "expected"))}</h4>{wanted}</section>'
        f'<section class="got"><h4>{escape(word(lang, "got"))}</h4>{got}</section></div>'
    )


def _rows(found: Seen | None, lang: str) -> str:
    if found is None:
        return ""
    key = "rows.first" if found.count > len(found.rows) else "rows"
    told = word(lang, key, count=figure(found.count), shown=len(found.rows))
    rows = [["<i>NULL</i>" if cell is None else escape(cell) for cell in row] for row in found.rows]
    return f'{_table(found.columns, rows)}<p class="note">{escape(told)}</p>'


def _sql(sql: str, lang: str) -> str:
    if not sql:
        return ""
    return f"<details><summary>{escape(word(lang, 'sql'))}</summary><pre>{escape(sql.strip())}</pre></details>"


def _slots(found: Failure, lang: str) -> str:
    """Slot by slot; those that are not the expected ones are marked."""
    if not found.slots:
        return ""
    mine = json.loads(found.slots)
    wanted = json.loads(found.wanted).get("slots") or {} if found.wanted else {}
    rows = []
    for name in dict.fromkeys((*wanted, *mine)):
        if name not in wanted and not mine.get(name):
            continue
        got = escape(_json(mine.get(name)))
        if name in wanted and not equal(mine.get(name), wanted[name]):
            got = f"<mark>{got}</mark>"
        expected = [escape(_json(wanted[name])) if name in wanted else ""] if wanted else []
        rows.append([escape(name), *expected, got])
    heads = ["slot", "expected", "got"] if wanted else ["slot", "got"]
    table = _table([word(lang, key) for key in heads], rows)
    return f'<h4>{escape(word(lang, "slots"))}</h4><div class="slots">{table}</div>'


def _pairs(found: Mapping[str, object]) -> str:
    rows = [[escape(str(name)), escape(_json(value))] for name, value in found.items()]
    return _table((), rows)


def _json(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table that scrolls by itself where it is too wide; the cells are HTML."""
    top = "".join(f"<th>{escape(head)}</th>" for head in heads)
    lines = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    head = f"<thead><tr>{top}</tr></thead>" if heads else ""
    return f'<div class="wide"><table>{head}<tbody>{lines}</tbody></table></div>'
