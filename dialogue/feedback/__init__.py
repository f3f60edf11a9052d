"""Feedback: a thumb on a turn, with a reason; marked turns become a question set."""

from dialogue.feedback.marks import CODES, Feedback, Mark, MarkError, counted, give
from dialogue.feedback.question_set import Exported, Gap, question_set

__all__ = [
    "CODES",
    "Exported",
    "Feedback",
    "Gap",
    "Mark",
    "MarkError",
    "counted",
    "give",
    "question_set",
]
