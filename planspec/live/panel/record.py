"""Contents of a panel as one JSON document, prepared for the script that draws it."""

from __future__ import annotations

from typing import Literal, TypeAlias

from planspec.report.record import PageModel, ShownFinding, ShownPlan, ShownRepair

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
    """A claim about a task, and whether it holds.

    Attributes:
        held: status of the claim, shown as a colour.
        said: sentence about the claim.
        by: back ends that decided the claim, with times.
    """

    held: Held
    said: str
    by: str = ""


class MemberShown(PageModel):
    """A member of a conflict on the panel: a constraint or a bound.

    Attributes:
        place: `file:line` of the constraint or bound.
    """

    id: str
    text: str = ""
    place: str = ""


class WayOutShown(PageModel):
    """Constraints and bounds to give up so that a plan exists.

    Attributes:
        drop: id of each constraint or bound, with the text of a relaxation that suffices, or `""` if it must be given
            up.
        weight: sum of their weights.
    """

    drop: tuple[tuple[str, str], ...]
    weight: int


class ConflictShown(PageModel):
    """Constraints and bounds that cannot hold together.

    Attributes:
        told: sentence about the conflict, including whether it is proved minimal.
    """

    members: tuple[MemberShown, ...]
    told: str


class JudgedPlan(PageModel):
    """A plan with its verdict.

    Attributes:
        name: `the reference`, the name of an answer's file, or `a plan that was found`.
        hard: numbers of satisfied and of all hard constraints.
        soft: satisfied and total weight of soft constraints.
        facts: names and values of the plan's measures.
        told: reason why there is no plan; empty if there is one.
        repaired: nearest plan that satisfies every hard constraint.
    """

    name: str
    status: str = ""
    hard: tuple[int, int] = (0, 0)
    soft: tuple[int, int] = (0, 0)
    facts: tuple[tuple[str, str], ...] = ()
    plan: ShownPlan | None = None
    findings: tuple[ShownFinding, ...] = ()
    told: str = ""
    repair: ShownRepair | None = None
    repaired: ShownPlan | None = None


class PanelShown(PageModel):
    """Contents of a task's panel.

    Attributes:
        queries: query of each turn.
        facts: names and values of the task's properties, such as its family.
        second: another plan that satisfies every hard constraint.
        conflicts_after: note on whether further conflicts exist.
        ways_told: heading of the ways out, or the reason why there are none.
        ways_after: note on whether further ways out exist.
        waiting: whether solvers are still searching for proofs.
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
