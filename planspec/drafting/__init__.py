"""Drafting of tasks: a model turns a natural-language request into givens or rules, which solvers then check."""

from planspec.drafting.calls import Budget, InvalidReplyLogError, ModelFailedError
from planspec.drafting.findings import Question
from planspec.drafting.output import DraftCheckOutput, DraftOutput, ParaphrasesOutput
from planspec.drafting.verbs import check_text, draft, log_beside, paraphrase

__all__ = [
    "Budget",
    "DraftCheckOutput",
    "DraftOutput",
    "InvalidReplyLogError",
    "ModelFailedError",
    "ParaphrasesOutput",
    "Question",
    "check_text",
    "draft",
    "log_beside",
    "paraphrase",
]
