"""Drafts of tasks by a model, which turns a request into givens or rules. Proofs test what the model wrote."""

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
