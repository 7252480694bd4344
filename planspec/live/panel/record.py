"""Panel contents as one JSON document, which a program draws without computing anything."""

from __future__ import annotations

from typing import Literal, TypeAlias

from planspec.report.record import FindingShown, PageModel, PlanShown, RepairShown

Held: TypeAlias = Literal["holds", "fails", "unknown"]


class MistakeShown(PageModel):
    """A diagnostic.

    Attributes:
        place: `file:line:column`.
        help: suggested correction.
    """

    severity: str
    code: str
    message: str
    place: str = ""
    help: str = ""


class ClaimShown(PageModel):
    """A claim about a task, proved or not.

    Attributes:
        held: outcome, shown as a colour: good, bad or open.
        said: outcome as a sentence.
        by: back ends that decided it, with times.
    """

    held: Held
    said: str
    by: str = ""


class MemberShown(PageModel):
    """A constraint or bound in a conflict.

    Attributes:
        place: `file:line` of its text.
    """

    id: str
    text: str = ""
    place: str = ""


class WayOutShown(PageModel):
    """Constraints and bounds without which a plan exists, each with its amount of relaxation."""

    drop: tuple[tuple[str, str], ...]
    weight: int


class ConflictShown(PageModel):
    """Constraints that cannot hold together; `told` says whether the set is proved minimal."""

    members: tuple[MemberShown, ...]
    told: str


class JudgedPlan(PageModel):
    """A plan with its verdict.

    Attributes:
        name: origin of the plan: `reference`, the name of a file, `a plan that was found`.
        told: reason why there is no plan.
        repaired: nearest plan that satisfies every hard constraint.
    """

    name: str
    status: str = ""
    hard: tuple[int, int] = (0, 0)
    soft: tuple[int, int] = (0, 0)
    facts: tuple[tuple[str, str], ...] = ()
    plan: PlanShown | None = None
    findings: tuple[FindingShown, ...] = ()
    told: str = ""
    repair: RepairShown | None = None
    repaired: PlanShown | None = None


class PanelShown(PageModel):
    """A task as a panel shows it.

    Attributes:
        queries: query of each turn.
        second: another plan of a task that claims to have only one.
        conflicts_after: note on whether further conflicts exist.
        ways_told: heading of the ways out, or the reason why there are none.
        ways_after: note on whether further ways out exist.
        waiting: whether proofs are running.
    """

    task: str
    title: str = ""
    queries: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    mistakes: tuple[MistakeShown, ...] = ()
    judged: JudgedPlan | None = None
    second: JudgedPlan | None = None
    claims: tuple[ClaimShown, ...] = ()
    conflicts: tuple[ConflictShown, ...] = ()
    conflicts_after: str = ""
    ways_out: tuple[WayOutShown, ...] = ()
    ways_told: str = ""
    ways_after: str = ""
    waiting: bool = False
