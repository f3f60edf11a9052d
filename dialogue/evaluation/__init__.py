"""Evaluation: question sets against the service, with every score and every failure's reason."""

from dialogue.evaluation.evaluation import Evaluated, Evaluation
from dialogue.evaluation.gold import Gold
from dialogue.evaluation.runfile import RunFile
from dialogue.evaluation.sets import QuestionSet, read_set, set_of
from dialogue.evaluation.workers import Bench, Cancelled, EvaluationError

__all__ = [
    "Bench",
    "Cancelled",
    "Evaluated",
    "Evaluation",
    "EvaluationError",
    "Gold",
    "QuestionSet",
    "RunFile",
    "read_set",
    "set_of",
]
