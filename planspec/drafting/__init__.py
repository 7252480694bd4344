"""Drafts of tasks by a model: words become givens or rules, and proofs test what the model wrote."""

from planspec.drafting.calls import Budget, InvalidReplyLogError, ModelFailedError
from planspec.drafting.drafts import DraftRequest, draft
from planspec.drafting.text_check import check_text

__all__ = ["Budget", "DraftRequest", "InvalidReplyLogError", "ModelFailedError", "check_text", "draft"]
