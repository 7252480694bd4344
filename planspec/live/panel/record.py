"""Contents of a panel as a JSON document for the script that draws the panel."""

from __future__ import annotations

from typing import Literal, TypeAlias

from planspec.report.record import PageModel, ShownFinding, ShownPlan, ShownRepair

Held: TypeAlias = Literal["holds", "fails", "unknown"]


class MistakeShown(PageModel):
    """A diagnostic on a panel.

    Attributes:
        place: location as `file:line:column`.
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
        held: whether the claim holds, shown as a colour.
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
    """A way out: constraints and bounds whose removal or relaxation makes a plan possible.

    Attributes:
        drop: id of each constraint or bound, with a sufficient relaxation as text, or `""` if it must be removed.
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
        name: name of the plan, such as `the reference`, `a plan that was found`, or the name of an answer's file.
        hard: number of satisfied hard constraints, and of all.
        soft: weight of the satisfied soft constraints, and of all.
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
        second: another plan that satisfies every hard constraint, or None.
        conflicts_after: note on whether further conflicts exist.
        ways_told: heading above the ways out (relaxations that make a plan possible), or why there are none.
        ways_after: note on whether further ways out exist.
        waiting: whether proofs are still being searched.
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
