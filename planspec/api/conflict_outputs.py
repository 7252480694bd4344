"""The answer to `why` as JSON."""

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
        words=conflict_words(found), by=list(found.by), disagreement=opinion_outputs(task, found.disagreement),
    )  # fmt: skip


def conflict_words(found: Conflict) -> ConflictWords:
    """Sentences for what was proved of conflicts and of ways out, and no more."""
    background = bool(found.mus_sets) and any(member.level == "background" for member in found.mus_sets[0])
    after = ways_after = ""
    if found.core and not found.mus_sets:
        after = "There may be other conflicts."
    elif background:
        after = "This is background, whatever the other constraints say: nothing can be given up."
    elif found.mus_sets:
        after = "There is no other conflict." if found.complete else "There may be other conflicts."
    if found.relaxations:
        ways = f"Cheapest ways out (weight {found.relaxations[0].weight})"
        ways_after = "" if found.relaxed else "and maybe others"
    else:
        undecided = bool(found.mus_sets or found.core) and not background
        ways = "Time ran out before the cheapest way out was proved." if undecided else ""
    count = len(found.core)
    return ConflictWords(
        conflicts=[
            _heading(number, len(found.mus_sets), len(mus)) for number, mus in enumerate(found.mus_sets, 1)
        ],
        core=f"Time ran out before a smallest conflict was proved; it is among these {count}" if count else "",
        after=after, ways=ways, ways_after=ways_after,
    )  # fmt: skip


def _heading(number: int, conflicts: int, members: int) -> str:
    count = f" {number} of {conflicts}" if conflicts > 1 else ""
    if members > 2:
        return f"Conflict{count}: these {members} cannot all hold, and any {members - 1} of them can"
    if members == 2:
        return f"Conflict{count}: these two cannot both hold, and each alone can"
    return f"Conflict{count}: this alone cannot hold"


def _amount(task: Task, member: Member, amount: Amount) -> AmountOutput:
    stated = needed = None
    if amount.given is not None and amount.type is not None:
        stated = show(amount.given, amount.type, task.currency)
        needed = show(amount.required, amount.type, task.currency)
    by = amount.by if isinstance(amount.by, int) else exact(amount.by)
    return AmountOutput(
        member=member.id, by=by, unit=amount.unit, proved=amount.proved, stated=stated, needed=needed
    )


def _word(found: Conflict) -> Any:
    return "feasible" if found.status is Status.OPTIMAL else found.status.value
