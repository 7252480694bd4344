"""What a panel says of a task: at once what the checker and the verifier know, and then what solvers prove."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from planspec.api.checking import check
from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.dsl.diagnostics.diagnostic import Diagnostic
from planspec.dsl.diagnostics.rendering import place
from planspec.dsl.model.value_text import exact, show
from planspec.dsl.workspace.workspace import Workspace
from planspec.errors import DiagnosticError
from planspec.live.panel.record import (
    ClaimShown,
    ConflictShown,
    Held,
    JudgedPlan,
    MemberShown,
    MistakeShown,
    PanelShown,
    WayOutShown,
)
from planspec.report.details import findings_shown
from planspec.report.itinerary import Itinerary
from planspec.report.places import plan_shown
from planspec.report.record import EditShown, RepairShown
from planspec.report.texts import line, visible_text
from planspec.verifiers.meaning.margin import in_words
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.verdict import Verdict

if TYPE_CHECKING:
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions.amounts import Amount
    from planspec.solvers.questions.conflicts import Conflict, Relaxation
    from planspec.solvers.questions.repair import Repair
    from planspec.solvers.questions.validation import Claim, Validation

COUNTED = 1_000
"""Solutions that are counted at most."""
MOST_EDITS = 200
REFERENCE = "the reference"
FOUND = "a plan that was found"
NONE = "plan"
"""The name of a plan that there is not, or of which nothing is known."""
BEST = "the best plan that was found"
WORDS: dict[str, tuple[Held, str]] = {
    "feasible": ("holds", "there is a plan"),
    "infeasible": ("fails", "there is no plan"),
    "unique": ("holds", "there is exactly one plan"),
    "multiple": ("fails", "there are several plans"),
    "unknown": ("unknown", "nothing is proved in time"),
}
"""What a claim comes to, in words; several plans are bad only where a task claims one."""


def judged_panel(name: str | Path, answer: Path | None = None) -> PanelShown:
    """A task as it is now, its mistakes or its plan, without a solver.

    Args:
        name: the path or id of the task.
        answer: the file of an answer that stands in the place of the reference.

    Raises:
        NotFoundError: there is no such task.
        OSError: a file cannot be read.
    """
    mistakes = _mistakes(name)
    if any(mistake.severity == "error" for mistake in mistakes):
        return PanelShown(task=line(Path(str(name)).name), mistakes=mistakes)
    try:
        judge = Judge(load(name, workspace=Workspace()))
        judge.ground.rows  # noqa: B018 what is wrong with the scope comes with it
    except DiagnosticError as error:
        return PanelShown(task=line(Path(str(name)).name), mistakes=tuple(map(_mistake, error.diagnostics)))
    return task_panel(judge, mistakes, answer)


def proved_panel(name: str | Path, seconds: float, answer: Path | None = None) -> PanelShown:
    """The same with what solvers prove: claims, a plan, another one, conflicts, ways out, the smallest repair.

    Args:
        name: the path or id of the task.
        seconds: for each question.
        answer: the file of an answer that stands in the place of the reference.

    Raises:
        NotFoundError: there is no such task.
        OSError: a file cannot be read.
    """
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions.claims import validate_claims

    now = judged_panel(name, answer)
    if any(mistake.severity == "error" for mistake in now.mistakes):
        return now
    judge = Judge(load(name, workspace=Workspace()))
    limits = Limits(seconds=seconds)
    try:
        found = validate_claims(judge.ground, limits=limits)
        judged, second = _plans(judge, found, now.judged, answer, limits)
        conflict = _why(judge, limits) if found.feasible.status == "infeasible" else PanelShown(task=now.task)
    except DiagnosticError as error:  # what has no encoding is judged all the same
        return now.model_copy(update={"mistakes": now.mistakes + tuple(map(_mistake, error.diagnostics))})
    return now.model_copy(
        update={
            "judged": judged,
            "second": second,
            "claims": tuple(_claims(judge, found, limits)),
            "conflicts": conflict.conflicts,
            "conflicts_after": conflict.conflicts_after,
            "ways_out": conflict.ways_out,
            "ways_told": conflict.ways_told,
            "ways_after": conflict.ways_after,
        }
    )  # fmt: skip


def _mistakes(name: str | Path) -> tuple[MistakeShown, ...]:
    try:
        found = list(check([name]))
    except DiagnosticError as error:
        found = list(error.diagnostics)
    return tuple(map(_mistake, dict.fromkeys(found)))


def _mistake(diagnostic: Diagnostic) -> MistakeShown:
    span = place(diagnostic)
    return MistakeShown(
        severity=diagnostic.severity.value, code=diagnostic.code, message=line(diagnostic.message, 1000),
        place=line(f"{span.source.name}:{span.line}:{span.column}"), help=line(diagnostic.help or "", 1000),
    )  # fmt: skip


def task_panel(
    judge: Judge, mistakes: tuple[MistakeShown, ...] = (), answer: Path | None = None
) -> PanelShown:
    """A task that could be loaded, with its reference or an answer judged.

    Args:
        judge: of the task.
        mistakes: warnings about it.
        answer: the file of an answer that stands in the place of the reference.
    """
    task = judge.task
    asked = (*task.earlier, task.query)
    facts = [
        ("constraints", str(len(task.constraints))),
        ("tables of the plan", ", ".join(t.name for t in task.plan_tables)),
    ]
    if task.family is not None:
        facts.append(("family", task.family))
    return PanelShown(
        task=line(task.id), title=line(task.title), queries=tuple(map(visible_text, asked)), facts=tuple(facts),
        mistakes=mistakes, judged=_judged(judge, answer),
    )  # fmt: skip


def _judged(judge: Judge, answer: Path | None) -> JudgedPlan | None:
    if answer is not None:
        data = answer.read_bytes()
        return plan_with_verdict(judge, line(answer.name), judge.read(data), judge.answer(data))
    verdict = judge.reference_verdict()
    if verdict is None:
        return None
    read = judge.task.reference
    plan = judge.reference_plan() or judge.read(json.dumps(read, default=str))
    return plan_with_verdict(judge, REFERENCE, plan, verdict)


def plan_with_verdict(judge: Judge, name: str, plan: Plan | None, verdict: Verdict) -> JudgedPlan:
    """A plan and its verdict as a panel shows them.

    Args:
        judge: of the task.
        name: whose plan it is.
        plan: None where the answer has none.
        verdict: on it.
    """
    return JudgedPlan(
        name=name, status=verdict.status, hard=(verdict.hard.satisfied, verdict.hard.total),
        soft=(verdict.soft.satisfied, verdict.soft.total), facts=measures(verdict),
        plan=None if plan is None else plan_shown(Itinerary(judge.task), plan), findings=findings_shown(verdict.findings),
    )  # fmt: skip


def measures(verdict: Verdict) -> tuple[tuple[str, str], ...]:
    """The measures of a verdict, name and value."""
    return tuple(
        (line(name, 80), line(value, 80)) for name, value in verdict.metrics.items() if value is not None
    )


def _plans(
    judge: Judge, found: Validation, now: JudgedPlan | None, answer: Path | None, limits: Limits
) -> tuple[JudgedPlan | None, JudgedPlan | None]:
    """The plan that is shown, and another one where there is one."""
    second = None
    if found.second is not None:
        second = plan_with_verdict(judge, "another plan", found.second, judge.plan(found.second))
    if now is not None:
        return (now if now.status == "pass" else _mended(judge, now, answer, limits)), second
    if found.witness is None:
        return JudgedPlan(name=NONE, told=WORDS[found.feasible.status][1]), second
    plan, name = found.witness, FOUND
    if judge.task.objectives or any(not constraint.hard for constraint in judge.task.constraints):
        from planspec.solvers.questions.prove import solve

        best = solve(judge.ground, limits=limits)
        plan, name = (best.plan, BEST) if best.plan is not None else (plan, name)
    return plan_with_verdict(judge, name, plan, judge.plan(plan)), second


def _mended(judge: Judge, now: JudgedPlan, answer: Path | None, limits: Limits) -> JudgedPlan:
    """A plan that fails, with the nearest one that does not."""
    from planspec.solvers.questions.repair import repair

    data = answer.read_bytes() if answer is not None else json.dumps(judge.task.reference, default=str)
    plan = judge.read(data)
    if plan is None or now.status != "fail":
        return now
    found = repair(judge.ground, plan, limits=limits)
    told = repair_shown(found)
    repaired = None if found.plan is None else plan_shown(Itinerary(judge.task), found.plan)
    return now.model_copy(update={"repair": told, "repaired": repaired})


def repair_shown(found: Repair) -> RepairShown:
    """A repair as its edits."""
    match found.status.value:
        case "optimal" | "feasible" as status:
            edits = tuple(
                EditShown(
                    place=line(edit.place), said=line(edit.said).replace(" -> ", " \N{RIGHTWARDS ARROW} ")
                )
                for edit in found.edits[:MOST_EDITS]
            )
            return RepairShown(status="repaired", edits=edits, proved=status == "optimal")
        case "infeasible":
            return RepairShown(status="infeasible")
        case _:
            return RepairShown(status="unknown", told=f"nothing was found in {found.seconds:.1f} s")


def claims_of(found: Validation) -> Iterator[ClaimShown]:
    """What was proved of a task's plans."""
    yield _claim(found.feasible)
    if found.feasible.status != "feasible":
        return
    yield _claim(found.unique, within=" within the scope" if found.unique.status == "unique" else "")
    if found.best is not None:
        best = _claim(found.best.unique, within=" that keeps every soft constraint")
        yield (
            best
            if found.best.feasible.status == "feasible"
            else ClaimShown(held="fails", said="no plan keeps every soft constraint")
        )


def _claims(judge: Judge, found: Validation, limits: Limits) -> Iterator[ClaimShown]:
    """The same, with the number of plans where there are several; they are bad only where the task claims one."""
    for number, claim in enumerate(claims_of(found)):
        yield _counted(judge, claim, limits) if number == 1 and found.unique.status == "multiple" else claim


def _counted(judge: Judge, claim: ClaimShown, limits: Limits) -> ClaimShown:
    from planspec.solvers.lowering.problem import lower
    from planspec.solvers.questions.enumerate import count

    counted = count(lower(judge.ground), most=COUNTED, limits=limits)
    number = f"{counted.count:,}" if counted.exact else f"at least {counted.count:,}"
    said = f"there are {number} plans" if counted.count > 1 else claim.said
    return claim.model_copy(update={"said": said, "held": "fails" if _wants_one(judge) else "holds"})


def _wants_one(judge: Judge) -> bool:
    """The task says by which fields plans are told apart: it is meant to have one."""
    return judge.task.unique is not None


def _claim(claim: Claim, within: str = "") -> ClaimShown:
    held, said = WORDS[claim.status]
    by = ", ".join(f"{name} {one.seconds:.2f} s" for name, one in claim.backends.items())
    return ClaimShown(held=held, said=said + within, by=by)


def _why(judge: Judge, limits: Limits) -> PanelShown:
    from planspec.solvers.questions.conflicts import why

    return conflict_panel(why(judge.ground, every=True, limits=limits), judge.task.id, judge.task.currency)


def conflict_panel(conflict: Conflict, task: str = "conflicts", currency: str | None = None) -> PanelShown:
    """Conflicts and ways out.

    Args:
        conflict: what was found.
        task: the id of the task.
        currency: of its amounts.
    """
    from planspec.api.conflict_outputs import conflict_words

    words = conflict_words(conflict)
    sets = [*zip(conflict.mus_sets, words.conflicts, strict=True)]
    if conflict.core and not conflict.mus_sets:
        sets.append((conflict.core, words.core))
    return PanelShown(
        task=task, conflicts=tuple(_members(members, told) for members, told in sets), conflicts_after=words.after,
        ways_out=tuple(_way_out(way, currency) for way in conflict.relaxations), ways_told=words.ways,
        ways_after=words.ways_after,
    )  # fmt: skip


def _members(members: Sequence[object], told: str) -> ConflictShown:
    from planspec.solvers.questions.conflicts import Member

    made = [member for member in members if isinstance(member, Member)]
    return ConflictShown(
        members=tuple(
            MemberShown(
                id=line(member.id), text=line(member.message or member.text, 600),
                place=line(f"{member.span.source.name}:{member.span.line}"),
            )
            for member in made
        ),
        told=told,
    )  # fmt: skip


def _way_out(way: Relaxation, currency: str | None) -> WayOutShown:
    amounts: Sequence[Amount | None] = way.amounts or (None,) * len(way.drop)
    drop = tuple(
        (line(member.id), "" if amount is None else line(_amount(amount, currency)))
        for member, amount in zip(way.drop, amounts, strict=True)
    )
    return WayOutShown(drop=drop, weight=way.weight)


def _amount(amount: Amount, currency: str | None) -> str:
    """By how much a member has to give: what would do in the place of what stands there, or the amount itself."""
    if amount.given is not None and amount.type is not None:
        return f"{show(amount.required, amount.type, currency)} would do, not {show(amount.given, amount.type, currency)}"
    return in_words(amount.by if isinstance(amount.by, int) else exact(amount.by), amount.unit).lstrip("+")
