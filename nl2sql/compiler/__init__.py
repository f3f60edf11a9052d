"""From slots to SQL: a plan, then one tree, built of small passes (docs/nl2sql.md)."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from nl2sql import tally
from nl2sql.compiler.anchor import OTHERS, TOTAL, make_plan
from nl2sql.compiler.combine import statement
from nl2sql.compiler.listing import listing
from nl2sql.compiler.plan import Plan, Question
from nl2sql.dialects import write

__all__ = ["OTHERS", "TOTAL", "Compiled", "Plan", "Question", "build"]


@dataclass(frozen=True, slots=True)
class Compiled:
    """A question as SQL: the tree, its text in a dialect, and the plan (None for a detail list)."""

    question: Question
    tree: exp.Select
    sql: str
    plan: Plan | None


def build(question: Question, dialect: str = "duckdb") -> Compiled:
    """Compile a question. Raises `QuestionError` where a slot cannot be met.

    The SQL is not to be run before `readback.check` and `guard.check` have passed it.
    """
    if question.slots.rows:
        tree, plan = listing(question), None
    else:
        plan = make_plan(question)
        tree = statement(plan)
        if question.slots.counted:
            tree = tally.over(tree, question.slots, question.layer)
    return Compiled(question, tree, write(tree, question.layer, dialect), plan)
