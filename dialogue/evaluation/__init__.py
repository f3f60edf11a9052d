"""Evaluation: question sets against the service, with every score and every failure's reason."""

from dialogue.evaluation.run import Line, evaluate, scores
from dialogue.evaluation.sets import QuestionSet, read_set

__all__ = ["Line", "QuestionSet", "evaluate", "read_set", "scores"]
