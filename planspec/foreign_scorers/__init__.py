"""Audits of scorers from other projects. A scorer judges answers for which the right verdict is proved.

`audit_scorer` compares a scorer's verdicts with planspec's. `open_scorer` opens a scorer by its address.
"""

from planspec.foreign_scorers.address import open_scorer
from planspec.foreign_scorers.audit import ScoredProbe, ScorerAudit, ScorerTotals, TaskAudit, audit_scorer, audit_task
from planspec.foreign_scorers.scorer import Score, Scorer, ScorerFailedError, UnknownScorerError

__all__ = [
    "Score",
    "ScoredProbe",
    "Scorer",
    "ScorerAudit",
    "ScorerFailedError",
    "ScorerTotals",
    "TaskAudit",
    "UnknownScorerError",
    "audit_scorer",
    "audit_task",
    "open_scorer",
]
