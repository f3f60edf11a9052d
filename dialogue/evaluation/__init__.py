"""Evaluation: question sets against the service, with every score and every failure's reason."""

from dialogue.evaluation.gold import Gold
from dialogue.evaluation.run import Line, evaluate, scores
from dialogue.evaluation.sets import QuestionSet, read_set

__all__ = ["Gold", "Line", "QuestionSet", "evaluate", "read_set", "scores"]
