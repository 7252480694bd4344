"""The answer to `why` as JSON."""

from __future__ import annotations

from typing import Any

from planspec.api.claim_outputs import opinion_outputs
from planspec.api.outputs.explanations import AmountOutput, MemberOutput, RelaxationOutput, WhyOutput
from planspec.dsl.model.task import Task
from planspec.dsl.model.value_text import exact, show
from planspec.solvers.backends.outcome import Status
from planspec.solvers.questions.amounts import Amount
from planspec.solvers.questions.conflicts import Conflict, Member
from planspec.verifiers.meaning.verdict import SourcePlace


def conflict_output(task: Task, found: Conflict) -> WhyOutput:
    """What was found out about a task without a plan."""
    members = {}
    for member in (
        m for group in (*found.mus_sets, found.core, *(r.drop for r in found.relaxations)) for m in group
    ):
        where = SourcePlace.of(member.span)
        members[member.id] = MemberOutput(
            text=member.text, message=member.message, level=member.level, file=where.file, line=where.line
        )
    return WhyOutput(
        task=task.id, status=_word(found), mus=[[m.id for m in mus] for mus in found.mus_sets], complete=found.complete,
        relaxations=[
            RelaxationOutput(
                drop=[m.id for m in r.drop], weight=r.weight,
                amounts=[_amount(task, m, a) for m, a in zip(r.drop, r.amounts, strict=True) if a is not None],
            )
            for r in found.relaxations
        ],
        relaxed=found.relaxed, core=[m.id for m in found.core], members=members,
        by=list(found.by), disagreement=opinion_outputs(task, found.disagreement),
    )  # fmt: skip


def _amount(task: Task, member: Member, amount: Amount) -> AmountOutput:
    stated = needed = None
    if amount.stated is not None and amount.type is not None:
        stated = show(amount.stated, amount.type, task.currency)
        needed = show(amount.needed, amount.type, task.currency)
    by = amount.by if isinstance(amount.by, int) else exact(amount.by)
    return AmountOutput(
        member=member.id, by=by, unit=amount.unit, proved=amount.proved, stated=stated, needed=needed
    )


def _word(found: Conflict) -> Any:
    return "feasible" if found.status is Status.OPTIMAL else found.status.value
