"""What a panel shows, as one JSON document; its program draws it and works nothing out."""

from __future__ import annotations

from typing import Literal, TypeAlias

from planspec.report.record import FindingShown, PageModel, PlanShown, RepairShown

Held: TypeAlias = Literal["holds", "fails", "unknown"]


class MistakeShown(PageModel):
    """A diagnostic.

    Attributes:
        place: `file:line:column`.
        help: what to do about it.
    """

    severity: str
    code: str
    message: str
    place: str = ""
    help: str = ""


class ClaimShown(PageModel):
    """Something that was asked of a task and proved, or not.

    Attributes:
        held: what it comes to, by colour: good, bad, open.
        said: it, as a sentence.
        by: who says so, with times.
    """

    held: Held
    said: str
    by: str = ""


class MemberShown(PageModel):
    """A rule or bound of a conflict.

    Attributes:
        place: `file:line` of its text.
    """

    id: str
    text: str = ""
    place: str = ""


class WayOutShown(PageModel):
    """Members without which there is a plan, each with the amount by which it has to give."""

    drop: tuple[tuple[str, str], ...]
    weight: int


class ConflictShown(PageModel):
    """Rules that cannot hold together; `told` says whether that is proved to be a minimal set."""

    members: tuple[MemberShown, ...]
    told: str


class JudgedPlan(PageModel):
    """A plan with its verdict.

    Attributes:
        name: whose it is: `reference`, the name of a file, `a plan that was found`.
        told: why there is none.
        repaired: the nearest plan that satisfies every hard constraint.
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
        queries: of each turn.
        second: another plan of a task that claims to have one.
        conflicts_after: whether there are other conflicts than those that are shown.
        ways_told: the heading of the ways out, or why there are none.
        ways_after: whether there are others.
        waiting: proofs are being worked out.
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
