"""Results of `why` as JSON output."""

from __future__ import annotations

from typing import Any

from planspec.api.claim_outputs import opinion_outputs
from planspec.api.outputs.explanations import (
    AmountOutput,
    ConflictWords,
    MemberOutput,
    RelaxationOutput,
    WhyOutput,
)
from planspec.dsl.model.task import Task
from planspec.dsl.model.value_text import exact_text, show
from planspec.solvers.backends.outcome import Status
from planspec.solvers.questions.amounts import Amount
from planspec.solvers.questions.conflicts import Conflict, Member
from planspec.verifiers.meaning.verdict import SourcePlace


def conflict_output(task: Task, conflict: Conflict) -> WhyOutput:
    """Return the result of `why` as JSON output."""
    members = {}
    for member in (
        m for group in (*conflict.mus_sets, conflict.core, *(r.drop for r in conflict.relaxations)) for m in group
    ):
        where = SourcePlace.of(member.span)
        members[member.id] = MemberOutput(
            text=member.text, message=member.message, level=member.level, file=where.file, line=where.line
        )
    return WhyOutput(
        task=task.id,
        status=_status(conflict),
        mus=[[m.id for m in mus] for mus in conflict.mus_sets],
        complete=conflict.complete,
        relaxations=[
            RelaxationOutput(
                drop=[m.id for m in r.drop],
                weight=r.weight,
                amounts=[_amount_output(task, m, a) for m, a in zip(r.drop, r.amounts, strict=True) if a is not None],
            )
            for r in conflict.relaxations
        ],
        relaxed=conflict.relaxed,
        core=[m.id for m in conflict.core],
        members=members,
        words=conflict_words(conflict),
        by=list(conflict.by),
        disagreement=opinion_outputs(task, conflict.disagreement),
    )


def conflict_words(conflict: Conflict) -> ConflictWords:
    """Return sentences about the proved conflicts and ways out (relaxations)."""
    background = bool(conflict.mus_sets) and any(member.level == "background" for member in conflict.mus_sets[0])
    after = ways_after = ""
    if conflict.core and not conflict.mus_sets:
        after = "There may be other conflicts."
    elif background:
        after = "This is background, whatever the other constraints say: nothing can be given up."
    elif conflict.mus_sets:
        after = "There is no other conflict." if conflict.complete else "There may be other conflicts."
    if conflict.relaxations:
        ways = f"Cheapest ways out (weight {conflict.relaxations[0].weight})"
        ways_after = "" if conflict.relaxed else "and maybe others"
    else:
        undecided = bool(conflict.mus_sets or conflict.core) and not background
        ways = "Time ran out before the cheapest way out was proved." if undecided else ""
    count = len(conflict.core)
    return ConflictWords(
        conflicts=[
            _heading(number, len(conflict.mus_sets), len(mus)) for number, mus in enumerate(conflict.mus_sets, 1)
        ],
        core=f"Time ran out before a smallest conflict was proved; it is among these {count}" if count else "",
        after=after,
        ways=ways,
        ways_after=ways_after,
    )


def _heading(number: int, conflicts: int, members: int) -> str:
    count = f" {number} of {conflicts}" if conflicts > 1 else ""
    if members > 2:
        return f"Conflict{count}: these {members} cannot all hold, and any {members - 1} of them can"
    if members == 2:
        return f"Conflict{count}: these two cannot both hold, and each alone can"
    return f"Conflict{count}: this alone cannot hold"


def _amount_output(task: Task, member: Member, amount: Amount) -> AmountOutput:
    declared = needed = None
    if amount.given is not None and amount.type is not None:
        declared = show(amount.given, amount.type, task.currency)
        needed = show(amount.required, amount.type, task.currency)
    by = amount.by if isinstance(amount.by, int) else exact_text(amount.by)
    return AmountOutput(member=member.id, by=by, unit=amount.unit, proved=amount.proved, stated=declared, needed=needed)


def _status(conflict: Conflict) -> Any:
    return "feasible" if conflict.status is Status.OPTIMAL else conflict.status.value
