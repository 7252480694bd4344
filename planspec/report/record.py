"""Documents of a page, one for each task, shown on demand; default values are left out."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

StopKind: TypeAlias = Literal["stay", "way", "note"]
"""A stay at a place, a way between two places, or a note without a time of its own."""
Proved: TypeAlias = Literal["optimal", "feasible", "infeasible", "unknown"]
Mended: TypeAlias = Literal["repaired", "infeasible", "unknown"]


class PageModel(BaseModel):
    """Base class of parts of a document: frozen, without unlisted fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Item(PageModel):
    """One row of a plan.

    Attributes:
        table: plan table.
        key: key of the row; None for the row of a `one` table.
        start: start in minutes after the day's midnight; None if the row has no time.
        end: end in minutes after the day's midnight; None if the row has no time.
        cells: name and value of the other cells.
        parts: its parts according to the facts, such as the pieces of a route.
        lane: name of the resource that the row occupies, such as a machine, if rows of the day overlap.
        open: opening hours on that day according to the facts, in minutes.
        slots: possible starts according to the facts, in minutes.
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
    """The rows of one day, in order. Rows without a day have a `Day` with an empty name."""

    name: str = ""
    items: tuple[Item, ...] = ()


class MapPoint(PageModel):
    """A place on the map.

    Attributes:
        lat: latitude in degrees.
        lon: longitude in degrees.
        day: position in `days` of the first row that names it.
    """

    name: str
    lat: float
    lon: float
    day: int | None = None


class PlanShown(PageModel):
    """A plan as a timeline and a map.

    Attributes:
        days: days in order.
        way: places of the plan in the order of visits.
        others: further places that it names, such as the lodging.
    """

    days: tuple[Day, ...] = ()
    way: tuple[MapPoint, ...] = ()
    others: tuple[MapPoint, ...] = ()


class FindingShown(PageModel):
    """One finding of a verdict.

    Attributes:
        margin: margin with its unit, for people.
        rows: table and key of rows of the plan.
        since: turn, from 1, that introduced the constraint.
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
    """The best plan found when the report was made.

    Attributes:
        told: reason why there is no plan; None if there is one.
    """

    status: Proved
    plan: PlanShown | None = None
    told: str | None = None


class EditShown(PageModel):
    """One change of an answer: the changed place, and the change in words."""

    place: str
    said: str


class RepairShown(PageModel):
    """The plan that satisfies every hard constraint and is nearest to an answer, as changes to the answer.

    Attributes:
        proved: whether it is proved that no such plan is nearer.
        told: reason why there is no such plan; None if there is one.
        plan: the plan itself.
    """

    status: Mended
    edits: tuple[EditShown, ...] = ()
    proved: bool = False
    told: str | None = None
    plan: PlanShown | None = None


class PictureShown(PageModel):
    """A picture in a result, by its hash; the page contains it once."""

    title: str
    sha256: str


TimeShown: TypeAlias = tuple[float, float]
"""Start in seconds from the beginning of the attempt, and duration in seconds."""


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
    """One message of the conversation.

    Attributes:
        role: role of its author, such as `assistant`.
        calls: indices, in the trace's calls, of the calls that the message makes.
        answers: index, in the trace's calls, of the call whose result the message holds.
        stage: name of the part of the agent that it belongs to.
        spent: tokens and cost of the request that produced it; None if no model did.
        time: start and duration of that request, in seconds.
    """

    role: str
    text: str = ""
    calls: tuple[int, ...] = ()
    answers: int | None = None
    stage: str | None = None
    spent: str | None = None
    time: TimeShown | None = None


class RequestShown(PageModel):
    """A request to a model whose reply is not a message of the trace."""

    name: str
    spent: str | None = None
    time: TimeShown | None = None


class TimesShown(PageModel):
    """Use of the time of an attempt.

    Attributes:
        seconds: duration of the whole attempt.
        model: number of requests to models with known times, and their total seconds.
        tools: number of calls of the task's tools with known times, and their total seconds.
        usd: cost of the requests; None if unknown.
    """

    seconds: float
    model: tuple[int, float] = (0, 0.0)
    tools: tuple[int, float] = (0, 0.0)
    usd: float | None = None


class TraceShown(PageModel):
    """The trace of an attempt.

    Attributes:
        requests: requests to models that no message shows.
        times: use of the time; None if no time of a call or a reply is known.
        left_out: number of recorded messages and calls that the page leaves out.
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
        how: name of the text that revealed it, such as `call 3, hotel`; empty if it was never seen.
        rules: rules that depend on it.
        reference: whether only the author's answer needs it.
    """

    fact: str
    value: str
    status: str
    how: str = ""
    rules: str = ""
    reference: bool = False


class PerceptionShown(PageModel):
    """Needed facts that an agent saw or missed.

    Attributes:
        left_out: number of needed facts that the page leaves out.
        untried: number of facts for which it is unknown whether they were needed.
    """

    facts: tuple[FactShown, ...] = ()
    left_out: int = 0
    untried: int = 0


class MisreadShown(PageModel):
    """A fact that an agent declared differently from the page.

    Attributes:
        how: kind of page and cue.
    """

    fact: str
    says: str
    declared: str
    how: str


class ReadingShown(PageModel):
    """Facts that an agent declared to have read.

    Attributes:
        counts: numbers of right, wrong and missing facts among those shown.
        left_out: number of further wrongly declared facts.
        status: status of the verdict on its answer in the world as it read it.
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
        run: position among the page's runs.
        answers: answer of each turn as given.
        facts: name and value: seconds, tokens, measures.
        repair: nearest plan; None if it was not requested.
        perception: needed facts that the agent saw or missed; None if unknown.
        reading: facts that the agent declared; None if it declared nothing.
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
        queries: query of each turn.
        told: reason why plans are not shown, if the task could not be opened.
        oracle: best plan; None if it was not requested.
    """

    task: str
    title: str = ""
    queries: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    told: str | None = None
    oracle: OracleShown | None = None
    attempts: tuple[AttemptShown, ...] = ()
