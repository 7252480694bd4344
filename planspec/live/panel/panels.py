"""Panels of a task, with results of the checker and the verifier, and with proofs by solvers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from planspec.api.checking import check
from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.dsl.diagnostics.diagnostic import Diagnostic, DiagnosticError
from planspec.dsl.diagnostics.rendering import reported_span
from planspec.dsl.model.value_text import exact_text, show
from planspec.dsl.workspace.workspace import Workspace
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
from planspec.report.details import shown_findings
from planspec.report.itinerary import Itinerary
from planspec.report.places import shown_plan
from planspec.report.record import ShownEdit, ShownRepair
from planspec.report.texts import line, visible_text
from planspec.verifiers.meaning.margin import margin_text
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.verdict import Verdict

if TYPE_CHECKING:
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions.amounts import Amount
    from planspec.solvers.questions.conflicts import Conflict, Relaxation
    from planspec.solvers.questions.repair import Repair
    from planspec.solvers.questions.validation import Claim, Validation

MOST_COUNTED = 1_000
"""Maximum number of plans that are counted."""
MOST_EDITS = 200
REFERENCE = "the reference"
FOUND_PLAN = "a plan that was found"
NO_PLAN = "plan"
"""Title shown in place of a plan's name if there is no plan or none is known."""
BEST_PLAN = "the best plan that was found"
WORDS: dict[str, tuple[Held, str]] = {
    "feasible": ("holds", "there is a plan"),
    "infeasible": ("fails", "there is no plan"),
    "unique": ("holds", "there is exactly one plan"),
    "multiple": ("fails", "there are several plans"),
    "unknown": ("unknown", "nothing is proved in time"),
}
"""Status and wording of a claim, by result of the validation."""


def judged_panel(name: str | Path, answer: Path | None = None) -> PanelShown:
    """Return the panel of a task with its errors or its plan, without calling a solver.

    Args:
        name: path or id of the task.
        answer: file with an answer to judge instead of the reference.

    Raises:
        NotFoundError: the task does not exist.
        OSError: a file cannot be read.
    """
    mistakes = _find_mistakes(name)
    if any(mistake.severity == "error" for mistake in mistakes):
        return PanelShown(task=line(Path(str(name)).name), mistakes=mistakes)
    try:
        judge = Judge(load(name, workspace=Workspace()))
        judge.ground.rows  # noqa: B018 grounding reports mistakes in the scope
    except DiagnosticError as error:
        return PanelShown(task=line(Path(str(name)).name), mistakes=tuple(map(_shown_mistake, error.diagnostics)))
    return task_panel(judge, mistakes, answer)


def proved_panel(name: str | Path, seconds: float, answer: Path | None = None) -> PanelShown:
    """Return the panel of a task with solver results: claims, plans, conflicts, ways to resolve them, smallest repair.

    Args:
        name: path or id of the task.
        seconds: time limit of each solver call.
        answer: file with an answer to judge instead of the reference.

    Raises:
        NotFoundError: the task does not exist.
        OSError: a file cannot be read.
    """
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions.claims import validate_claims

    current = judged_panel(name, answer)
    if any(mistake.severity == "error" for mistake in current.mistakes):
        return current
    judge = Judge(load(name, workspace=Workspace()))
    limits = Limits(seconds=seconds)
    try:
        validation = validate_claims(judge.ground, limits=limits)
        judged, second = _judged_plans(judge, validation, current.judged, answer, limits)
        conflict = (
            _find_conflicts(judge, limits)
            if validation.feasible.status == "infeasible"
            else PanelShown(task=current.task)
        )
    except DiagnosticError as error:  # a task that solvers cannot encode is still judged
        return current.model_copy(update={"mistakes": current.mistakes + tuple(map(_shown_mistake, error.diagnostics))})
    return current.model_copy(
        update={
            "judged": judged,
            "second": second,
            "claims": tuple(_claims_with_count(judge, validation, limits)),
            "conflicts": conflict.conflicts,
            "conflicts_after": conflict.conflicts_after,
            "ways_out": conflict.ways_out,
            "ways_told": conflict.ways_told,
            "ways_after": conflict.ways_after,
        }
    )


def _find_mistakes(name: str | Path) -> tuple[MistakeShown, ...]:
    try:
        diagnostics = list(check([name]))
    except DiagnosticError as error:
        diagnostics = list(error.diagnostics)
    return tuple(map(_shown_mistake, dict.fromkeys(diagnostics)))


def _shown_mistake(diagnostic: Diagnostic) -> MistakeShown:
    span = reported_span(diagnostic)
    return MistakeShown(
        severity=diagnostic.severity.value,
        code=diagnostic.code,
        message=line(diagnostic.message, 1000),
        place=line(f"{span.source.name}:{span.line}:{span.column}"),
        help=line(diagnostic.help or "", 1000),
    )


def task_panel(judge: Judge, mistakes: tuple[MistakeShown, ...] = (), answer: Path | None = None) -> PanelShown:
    """Return the panel of a loaded task, with the verdict on its reference or on an answer.

    Args:
        judge: judge of the task.
        mistakes: diagnostics of the task.
        answer: file with an answer to judge instead of the reference.
    """
    task = judge.task
    queries = (*task.earlier, task.query)
    facts = [
        ("constraints", str(len(task.constraints))),
        ("tables of the plan", ", ".join(t.name for t in task.plan_tables)),
    ]
    if task.family is not None:
        facts.append(("family", task.family))
    return PanelShown(
        task=line(task.id),
        title=line(task.title),
        queries=tuple(map(visible_text, queries)),
        facts=tuple(facts),
        mistakes=mistakes,
        judged=_judged_plan(judge, answer),
    )


def _judged_plan(judge: Judge, answer: Path | None) -> JudgedPlan | None:
    if answer is not None:
        data = answer.read_bytes()
        return plan_with_verdict(judge, line(answer.name), judge.read(data), judge.answer(data))
    verdict = judge.reference_verdict()
    if verdict is None:
        return None
    plan = judge.reference_plan() or judge.read(judge.reference_data())
    return plan_with_verdict(judge, REFERENCE, plan, verdict)


def plan_with_verdict(judge: Judge, name: str, plan: Plan | None, verdict: Verdict) -> JudgedPlan:
    """Return a plan and its verdict for a panel.

    Args:
        judge: judge of the task.
        name: name of the plan, such as `the reference`.
        plan: the plan; None if the answer cannot be read.
        verdict: verdict on the plan.
    """
    return JudgedPlan(
        name=name,
        status=verdict.status,
        hard=(verdict.hard.satisfied, verdict.hard.total),
        soft=(verdict.soft.satisfied, verdict.soft.total),
        facts=shown_measures(verdict),
        plan=None if plan is None else shown_plan(Itinerary(judge.task), plan, judge.ground),
        findings=shown_findings(verdict.findings),
    )


def shown_measures(verdict: Verdict) -> tuple[tuple[str, str], ...]:
    """Return name and value of each measure and objective in a verdict, as text."""
    measures = [(line(name, 80), line(value, 80)) for name, value in verdict.metrics.items() if value is not None]
    objectives = () if verdict.status == "undelivered" else verdict.objectives
    return (*measures, *((line(each.name, 80), line(each.detail, 120)) for each in objectives))


def _judged_plans(
    judge: Judge, validation: Validation, current: JudgedPlan | None, answer: Path | None, limits: Limits
) -> tuple[JudgedPlan | None, JudgedPlan | None]:
    """Return the plan to show, and a second plan or None.

    A failing answer comes with its repair. Without an answer, the plan to show is the best that was found; without a
    plan, an entry says that there is none.
    """
    second = None
    if validation.second is not None:
        second = plan_with_verdict(judge, "another plan", validation.second, judge.plan(validation.second))
    if current is not None:
        return (current if current.status == "pass" else _with_repair(judge, current, answer, limits)), second
    if validation.witness is None:
        return JudgedPlan(name=NO_PLAN, told=WORDS[validation.feasible.status][1]), second
    plan, name = validation.witness, FOUND_PLAN
    if judge.task.objectives or any(not constraint.hard for constraint in judge.task.constraints):
        from planspec.solvers.questions.prove import solve

        best = solve(judge.ground, limits=limits)
        plan, name = (best.plan, BEST_PLAN) if best.plan is not None else (plan, name)
    return plan_with_verdict(judge, name, plan, judge.plan(plan)), second


def _with_repair(judge: Judge, current: JudgedPlan, answer: Path | None, limits: Limits) -> JudgedPlan:
    """Return a failing plan together with its repair, the nearest plan that passes."""
    from planspec.solvers.questions.repair import repair

    data = answer.read_bytes() if answer is not None else judge.reference_data()
    plan = judge.read(data)
    if plan is None or current.status != "fail":
        return current
    result = repair(judge.ground, plan, limits=limits)
    repaired = None if result.plan is None else shown_plan(Itinerary(judge.task), result.plan, judge.ground)
    return current.model_copy(update={"repair": shown_repair(result), "repaired": repaired})


def shown_repair(result: Repair) -> ShownRepair:
    """Convert a repair for display in a panel."""
    match result.status.value:
        case "optimal" | "feasible" as status:
            edits = tuple(
                ShownEdit(place=line(edit.place), said=line(edit.said).replace(" -> ", " \N{RIGHTWARDS ARROW} "))
                for edit in result.edits[:MOST_EDITS]
            )
            return ShownRepair(status="repaired", edits=edits, proved=status == "optimal")
        case "infeasible":
            return ShownRepair(status="infeasible")
        case _:
            return ShownRepair(status="unknown", told=f"nothing was found in {result.seconds:.1f} s")


def shown_claims(validation: Validation) -> Iterator[ClaimShown]:
    """Yield the claims that a validation decided, converted for display in a panel."""
    yield _shown_claim(validation.feasible)
    if validation.feasible.status != "feasible":
        return
    yield _shown_claim(validation.unique, suffix=" within the scope" if validation.unique.status == "unique" else "")
    if validation.best is not None:
        best = _shown_claim(validation.best.unique, suffix=" among the best plans")
        yield (
            best
            if validation.best.feasible.status == "feasible"
            else ClaimShown(held="fails", said="no plan keeps every soft constraint")
        )


def _claims_with_count(judge: Judge, validation: Validation, limits: Limits) -> Iterator[ClaimShown]:
    """Yield the claims for a panel. If there are several plans, one claim gives their number."""
    for number, claim in enumerate(shown_claims(validation)):
        yield (
            _with_plan_count(judge, claim, limits) if number == 1 and validation.unique.status == "multiple" else claim
        )


def _with_plan_count(judge: Judge, claim: ClaimShown, limits: Limits) -> ClaimShown:
    from planspec.solvers.lowering.problem import lower
    from planspec.solvers.questions.enumerate import count

    plan_count = count(lower(judge.ground), most=MOST_COUNTED, limits=limits)
    number = f"{plan_count.count:,}" if plan_count.exact else f"at least {plan_count.count:,}"
    text = f"there are {number} plans" if plan_count.count > 1 else claim.said
    return claim.model_copy(update={"said": text, "held": "fails" if _declares_unique(judge) else "holds"})


def _declares_unique(judge: Judge) -> bool:
    """Return whether the task declares `unique`, so that a second plan is a mistake."""
    return judge.task.unique is not None


def _shown_claim(claim: Claim, suffix: str = "") -> ClaimShown:
    held, text = WORDS[claim.status]
    by = ", ".join(f"{name} {one.seconds:.2f} s" for name, one in claim.backends.items())
    return ClaimShown(held=held, said=text + suffix, by=by)


def _find_conflicts(judge: Judge, limits: Limits) -> PanelShown:
    from planspec.solvers.questions.conflicts import why

    return conflict_panel(why(judge.ground, every=True, limits=limits), judge.task.id, judge.task.currency)


def conflict_panel(conflict: Conflict, task: str = "conflicts", currency: str | None = None) -> PanelShown:
    """Return a panel with the conflicts of a task and its ways out (cheapest relaxations).

    Args:
        conflict: result of the search for conflicts.
        task: id of the task.
        currency: currency of the amounts of money.
    """
    from planspec.api.conflict_outputs import conflict_words

    words = conflict_words(conflict)
    sets = [*zip(conflict.mus_sets, words.conflicts, strict=True)]
    if conflict.core and not conflict.mus_sets:
        sets.append((conflict.core, words.core))
    return PanelShown(
        task=task,
        conflicts=tuple(_shown_conflict(members, note) for members, note in sets),
        conflicts_after=words.after,
        ways_out=tuple(_shown_way_out(way, currency) for way in conflict.relaxations),
        ways_told=words.ways,
        ways_after=words.ways_after,
    )


def _shown_conflict(members: Sequence[object], note: str) -> ConflictShown:
    from planspec.solvers.questions.conflicts import Member

    constraints = [member for member in members if isinstance(member, Member)]
    return ConflictShown(
        members=tuple(
            MemberShown(
                id=line(member.id),
                text=line(member.message or member.text, 600),
                place=line(f"{member.span.source.name}:{member.span.line}"),
            )
            for member in constraints
        ),
        told=note,
    )


def _shown_way_out(way: Relaxation, currency: str | None) -> WayOutShown:
    amounts: Sequence[Amount | None] = way.amounts or (None,) * len(way.drop)
    drop = tuple(
        (line(member.id), "" if amount is None else line(_amount_text(amount, currency)))
        for member, amount in zip(way.drop, amounts, strict=True)
    )
    return WayOutShown(drop=drop, weight=way.weight)


def _amount_text(amount: Amount, currency: str | None) -> str:
    """Return the value with which a constraint would hold or, if it is unknown, by how much to relax it."""
    if amount.given is not None and amount.type is not None:
        return (
            f"{show(amount.required, amount.type, currency)} would do, not {show(amount.given, amount.type, currency)}"
        )
    return margin_text(amount.by if isinstance(amount.by, int) else exact_text(amount.by), amount.unit).lstrip("+")
