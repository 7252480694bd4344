"""The documents of a page, one for each task, shown on demand; each is as short as its defaults let it be."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

StopKind: TypeAlias = Literal["stay", "way", "note"]
"""Something at a place, a way between two, something without a time of its own."""
Proved: TypeAlias = Literal["optimal", "feasible", "infeasible", "unknown"]
Mended: TypeAlias = Literal["repaired", "infeasible", "unknown"]


class PageModel(BaseModel):
    """A part of a document: nothing in it that is not listed, and nothing changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Item(PageModel):
    """One row of a plan.

    Attributes:
        table: of the plan.
        key: of the row; None for the row of a `one` table.
        start: minutes after the day's midnight; None where the row has no time.
        end: likewise.
        cells: what else the row says, name and value.
        parts: of what it is made, where the facts say so: the pieces of a route.
        lane: the name of what does one thing at a time, such as a machine, where rows of the day overlap.
        open: when what the row is about is open on that day, as the facts say it; minutes.
        slots: the times at which it can begin, as the facts say it; minutes.
    """

    table: str
    key: str | None = None
    title: str
    kind: StopKind = "stay"
    start: int | None = None
    end: int | None = None
    cells: tuple[tuple[str, str], ...] = ()
    parts: tuple[str, ...] = ()
    lane: str | None = None
    open: tuple[tuple[int, int], ...] = ()
    slots: tuple[int, ...] = ()


class Day(PageModel):
    """The rows of one day, in order; of no day where the name is empty."""

    name: str = ""
    items: tuple[Item, ...] = ()


class MapPoint(PageModel):
    """A place on the map.

    Attributes:
        lat: degrees.
        lon: degrees.
        day: the place in `days` of the first row that names it.
    """

    name: str
    lat: float
    lon: float
    day: int | None = None


class PlanShown(PageModel):
    """A plan as a timeline and a map.

    Attributes:
        days: in order.
        way: the places of the plan in the order in which it comes to them.
        others: further places that it names, such as where one sleeps.
    """

    days: tuple[Day, ...] = ()
    way: tuple[MapPoint, ...] = ()
    others: tuple[MapPoint, ...] = ()


class FindingShown(PageModel):
    """One finding of a verdict.

    Attributes:
        margin: with its unit, as people read it.
        rows: of the plan, as table and key.
        since: the turn, from 1, that brought the constraint.
    """

    constraint: str
    level: str
    kind: str | None = None
    status: str
    message: str = ""
    margin: str | None = None
    rows: tuple[tuple[str, str | None], ...] = ()
    since: int | None = None


class OracleShown(PageModel):
    """The best plan that was found when the report was made.

    Attributes:
        told: why there is no plan, where there is none.
    """

    status: Proved
    plan: PlanShown | None = None
    told: str | None = None


class EditShown(PageModel):
    """One change: where, and what."""

    place: str
    said: str


class RepairShown(PageModel):
    """The plan nearest to an answer that satisfies every hard constraint, as the changes that lead to it.

    Attributes:
        proved: no other such plan is nearer.
        told: why there is none, where there is none.
        plan: the plan itself.
    """

    status: Mended
    edits: tuple[EditShown, ...] = ()
    proved: bool = False
    told: str | None = None
    plan: PlanShown | None = None


class PictureShown(PageModel):
    """A picture that a result brings, by its hash; the page has it once."""

    title: str
    sha256: str


TimeShown: TypeAlias = tuple[float, float]
"""When something began, in seconds from the beginning of the attempt, and how many seconds it took."""


class CallShown(PageModel):
    """One call of a tool."""

    name: str
    arguments: str = ""
    result: str | None = None
    error: str | None = None
    stage: str | None = None
    pictures: tuple[PictureShown, ...] = ()
    time: TimeShown | None = None


class MessageShown(PageModel):
    """One message; `calls` are places in the trace's calls, `answers` that of the call whose result it brings; `spent` and `time` are what it took to make."""

    role: str
    text: str = ""
    calls: tuple[int, ...] = ()
    answers: int | None = None
    stage: str | None = None
    spent: str | None = None
    time: TimeShown | None = None


class RequestShown(PageModel):
    """A request to a model whose reply is no message of the trace, as programs report them."""

    name: str
    spent: str | None = None
    time: TimeShown | None = None


class TimesShown(PageModel):
    """Where the time of an attempt went.

    Attributes:
        seconds: of the whole attempt.
        model: requests to models whose time is known, and their seconds together.
        tools: likewise, the calls of the task's tools.
        usd: what the requests cost; None where that is not known.
    """

    seconds: float
    model: tuple[int, float] = (0, 0.0)
    tools: tuple[int, float] = (0, 0.0)
    usd: float | None = None


class TraceShown(PageModel):
    """The trace of an attempt.

    Attributes:
        requests: to models, that no message shows.
        times: None where no time of a call or a reply is known.
        left_out: messages and calls that the record has and the page has not.
    """

    messages: tuple[MessageShown, ...] = ()
    calls: tuple[CallShown, ...] = ()
    stages: tuple[tuple[str, str], ...] = Field(default=(), description="name, and what it did")
    requests: tuple[RequestShown, ...] = ()
    times: TimesShown | None = None
    notes: str = ""
    left_out: int = 0


class FactShown(PageModel):
    """A fact that an attempt needed.

    Attributes:
        status: `seen`, `ignored` or `never-seen`.
        how: with which text it was told, such as `call 3, hotel`; empty where it never was.
        rules: that turn on it.
        reference: only the author's answer needs it.
    """

    fact: str
    value: str
    status: str
    how: str = ""
    rules: str = ""
    reference: bool = False


class PerceptionShown(PageModel):
    """What an agent saw of the facts that its attempt needed.

    Attributes:
        left_out: needed facts that the record has and the page has not.
        untried: facts of which it is not known whether they were needed.
    """

    facts: tuple[FactShown, ...] = ()
    left_out: int = 0
    untried: int = 0


class MisreadShown(PageModel):
    """A fact that an agent declared otherwise than it stands there.

    Attributes:
        how: the kind of page, and the cue.
    """

    fact: str
    says: str
    declared: str
    how: str


class ReadingShown(PageModel):
    """What an agent declared to have read.

    Attributes:
        counts: of the facts that it was shown: right, wrong, missing.
        left_out: further facts that it declared wrongly.
        status: of the verdict on its answer in the world as it read it.
    """

    counts: tuple[int, int, int]
    wrong: tuple[MisreadShown, ...] = ()
    left_out: int = 0
    elsewhere: int = 0
    unclear: int = 0
    status: str


class AttemptShown(PageModel):
    """One attempt.

    Attributes:
        run: its place among the page's runs.
        answers: of each turn as they were given.
        facts: name and value: seconds, tokens, measures.
        repair: None where none was asked for.
        perception: None where it is not known.
        reading: None where the agent declared nothing.
    """

    run: int
    repeat: int = 0
    status: str
    failure: tuple[str, str] | None = None
    traceback: str | None = None
    hard: tuple[int, int] = (0, 0)
    soft: tuple[int, int] = (0, 0)
    facts: tuple[tuple[str, str], ...] = ()
    plan: PlanShown | None = None
    findings: tuple[FindingShown, ...] = ()
    repair: RepairShown | None = None
    answers: tuple[str, ...] = ()
    perception: PerceptionShown | None = None
    reading: ReadingShown | None = None
    trace: TraceShown = TraceShown()


class TaskShown(PageModel):
    """One task with all attempts at it.

    Attributes:
        queries: of each turn.
        told: why plans are not shown, where the task could not be opened.
        oracle: None where it was not asked for.
    """

    task: str
    title: str = ""
    queries: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    told: str | None = None
    oracle: OracleShown | None = None
    attempts: tuple[AttemptShown, ...] = ()
