"""JSON documents in a page, one for each task. They are unpacked when they are shown. Default values are left out."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

StopKind: TypeAlias = Literal["stay", "way", "note"]
"""Kind of an item: a stay at a place, a way between two places, or a note without a time of its own."""
Proved: TypeAlias = Literal["optimal", "feasible", "infeasible", "unknown"]
Mended: TypeAlias = Literal["repaired", "infeasible", "unknown"]


class PageModel(BaseModel):
    """Base class for parts of a document. Unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Item(PageModel):
    """One row of a plan.

    Attributes:
        table: plan table.
        key: key of the row; None in a table with exactly one row.
        start: start in minutes after midnight of the day; None if the row has no time.
        end: end in minutes after midnight of the day; None if the row has no time or only one.
        cells: name and value of each other cell.
        parts: parts of the row in the facts, as text, such as the legs of a route.
        lane: resource that the row occupies, such as a machine; None if no rows of the day overlap.
        open: opening hours on that day in the facts, in minutes after midnight.
        slots: possible starts in the facts, in minutes after midnight.
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
    """The rows of one day, in order. Rows without a day are in a `Day` with an empty name."""

    name: str = ""
    items: tuple[Item, ...] = ()


class MapPoint(PageModel):
    """A place on the map.

    Attributes:
        lat: latitude in degrees.
        lon: longitude in degrees.
        day: index in `ShownPlan.days` of the first day that names the place; None if no day does.
    """

    name: str
    lat: float
    lon: float
    day: int | None = None


class ScheduleInterval(PageModel):
    """An interval on a lane, such as one operation on a machine.

    Attributes:
        start: start on the scale of the schedule.
        end: end on the scale of the schedule.
        table: plan table of the row; None if the interval is not a row of the plan.
        key: key of the row; None in a table with exactly one row.
    """

    title: str
    start: int
    end: int
    table: str | None = None
    key: str | None = None


class ShownLane(PageModel):
    """A group of intervals that may not overlap, such as the operations on one machine.

    Attributes:
        runs: the intervals of the group.
    """

    name: str
    runs: tuple[ScheduleInterval, ...] = ()


class ShownSchedule(PageModel):
    """The intervals of a no-overlap constraint. Each group of intervals has a lane.

    Attributes:
        rule: id of the constraint.
        low: minimum of the scale.
        high: maximum of the scale.
        ticks: round values of the scale with their texts.
        left_out: number of lanes that the page leaves out.
    """

    rule: str
    low: int
    high: int
    ticks: tuple[tuple[int, str], ...] = ()
    lanes: tuple[ShownLane, ...] = ()
    left_out: int = 0


class ShownLoad(PageModel):
    """The amount of a resource in use over time, and its capacity.

    Attributes:
        rule: id of the constraint instance, with the name of the group.
        points: moments at which the amount changes, each with the new amount.
        limit: the capacity; None if the rule sets no maximum.
        most: the peak as text.
        at: first moment of the peak as text; None if the peak is 0.
        allowed: the capacity as text.
        ticks: round values of the time scale with their texts.
    """

    rule: str
    points: tuple[tuple[int, float], ...]
    limit: float | None = None
    most: str
    at: str | None = None
    allowed: str | None = None
    ticks: tuple[tuple[int, str], ...] = ()


class ShownPlan(PageModel):
    """A plan as a timeline, as lanes and loads, and as a map.

    Attributes:
        days: days in order.
        schedules: lanes of the no-overlap constraints.
        loads: amounts in use over time, for the rules that compare a peak.
        way: places of the plan, in the order of visits.
        others: further places in the plan, such as the lodging.
    """

    days: tuple[Day, ...] = ()
    schedules: tuple[ShownSchedule, ...] = ()
    loads: tuple[ShownLoad, ...] = ()
    way: tuple[MapPoint, ...] = ()
    others: tuple[MapPoint, ...] = ()


class ShownFinding(PageModel):
    """One finding of a verdict, prepared for a page.

    Attributes:
        margin: margin with its unit, as text.
        rows: table and key of each plan row that the finding concerns.
        since: number, counted from 1, of the turn that introduced the constraint; None for a task without turns.
    """

    constraint: str
    level: str
    kind: str | None = None
    status: str
    message: str = ""
    margin: str | None = None
    rows: tuple[tuple[str, str | None], ...] = ()
    since: int | None = None


class ShownOracle(PageModel):
    """The best plan found when the report was made.

    Attributes:
        told: reason why no plan is shown; None if one is shown.
    """

    status: Proved
    plan: ShownPlan | None = None
    told: str | None = None


class ShownEdit(PageModel):
    """One change of an answer: the changed row or field, and the change as text."""

    place: str
    said: str


class ShownRepair(PageModel):
    """The nearest plan to an answer that satisfies every hard constraint, as changes to the answer.

    Attributes:
        proved: whether the plan is proved to be nearest.
        told: reason why no plan is shown; None if one is shown.
        plan: the plan itself; None if there is none.
    """

    status: Mended
    edits: tuple[ShownEdit, ...] = ()
    proved: bool = False
    told: str | None = None
    plan: ShownPlan | None = None


class ShownPicture(PageModel):
    """A picture that a call returned, referenced by its hash. The page contains each picture once."""

    title: str
    sha256: str


ShownTime: TypeAlias = tuple[float, float]
"""Start in seconds from the beginning of the attempt, and duration in seconds."""


class ShownCall(PageModel):
    """One call of a tool."""

    name: str
    arguments: str = ""
    result: str | None = None
    error: str | None = None
    stage: str | None = None
    pictures: tuple[ShownPicture, ...] = ()
    time: ShownTime | None = None


class ShownMessage(PageModel):
    """One message of the conversation.

    Attributes:
        role: role of its author, such as `assistant`.
        calls: indices, in the trace's calls, of the calls that the message makes.
        answers: index, in the trace's calls, of the call whose result is in the message; None if there is no
            such call.
        stage: name of the part of the agent to which the message belongs; None without parts.
        spent: tokens and cost of the request that produced the message, as text; None for other messages.
        time: start and duration of this request in seconds; None if unknown.
    """

    role: str
    text: str = ""
    calls: tuple[int, ...] = ()
    answers: int | None = None
    stage: str | None = None
    spent: str | None = None
    time: ShownTime | None = None


class ShownRequest(PageModel):
    """A request to a model whose reply is not a message of the trace."""

    name: str
    spent: str | None = None
    time: ShownTime | None = None


class ShownTimes(PageModel):
    """Duration and cost of an attempt, in total and by use.

    Attributes:
        seconds: duration of the whole attempt.
        model: number of requests to models whose times are known, and their total duration in seconds.
        tools: number of calls of the task's tools whose times are known, and their total duration in seconds.
        usd: cost of the requests in USD; None if unknown.
    """

    seconds: float
    model: tuple[int, float] = (0, 0.0)
    tools: tuple[int, float] = (0, 0.0)
    usd: float | None = None


class ShownTrace(PageModel):
    """The trace of an attempt.

    Attributes:
        requests: requests to models whose replies are not messages of the trace.
        times: durations by use; None if no times of calls and replies are known.
        left_out: number of recorded messages and calls that the page leaves out.
    """

    messages: tuple[ShownMessage, ...] = ()
    calls: tuple[ShownCall, ...] = ()
    stages: tuple[tuple[str, str], ...] = Field(default=(), description="name, and what it did")
    requests: tuple[ShownRequest, ...] = ()
    times: ShownTimes | None = None
    notes: str = ""
    left_out: int = 0


class ShownFact(PageModel):
    """A fact that an attempt needed.

    Attributes:
        status: `seen`, `ignored` or `never-seen`.
        how: name of the text that revealed the fact, such as `call 3, hotel`; empty if none did.
        rules: rules that depend on the fact.
        reference: whether only the author's answer needs the fact.
    """

    fact: str
    value: str
    status: str
    how: str = ""
    rules: str = ""
    reference: bool = False


class ShownPerception(PageModel):
    """Needed facts that an agent saw or missed.

    Attributes:
        left_out: number of needed facts that the page leaves out.
        untried: number of facts not examined, which may have been needed.
    """

    facts: tuple[ShownFact, ...] = ()
    left_out: int = 0
    untried: int = 0


class ShownMisread(PageModel):
    """A fact that an agent declared with a wrong value.

    Attributes:
        says: value that the agent was shown.
        declared: value that the agent declared.
        how: kind of page that showed the value, and the visual cue.
    """

    fact: str
    says: str
    declared: str
    how: str


class ShownReading(PageModel):
    """Comparison of the facts that an agent declared with the facts that it was shown.

    Attributes:
        counts: numbers of shown facts that were declared rightly, declared wrongly, and not declared.
        left_out: number of wrongly declared facts that the page leaves out.
        elsewhere: number of declared facts that the agent was not shown.
        unclear: number of malformed declarations.
        status: status of the verdict on the answer if the declared values were true.
    """

    counts: tuple[int, int, int]
    wrong: tuple[ShownMisread, ...] = ()
    left_out: int = 0
    elsewhere: int = 0
    unclear: int = 0
    status: str


class ShownAttempt(PageModel):
    """One attempt at a task, prepared for a page.

    Attributes:
        run: index among the runs of the page, counted from 0.
        answers: answer of each turn as given by the agent.
        facts: names and values of measurements, such as seconds and tokens.
        repair: nearest plan that satisfies every hard constraint; None if it was not requested.
        perception: needed facts that the agent saw or missed; None if unknown.
        reading: comparison of declared facts with shown facts; None if the agent declared nothing.
    """

    run: int
    repeat: int = 0
    status: str
    failure: tuple[str, str] | None = None
    traceback: str | None = None
    hard: tuple[int, int] = (0, 0)
    soft: tuple[int, int] = (0, 0)
    facts: tuple[tuple[str, str], ...] = ()
    plan: ShownPlan | None = None
    findings: tuple[ShownFinding, ...] = ()
    repair: ShownRepair | None = None
    answers: tuple[str, ...] = ()
    perception: ShownPerception | None = None
    reading: ShownReading | None = None
    trace: ShownTrace = ShownTrace()


class ShownTask(PageModel):
    """One task with all attempts at it.

    Attributes:
        queries: query of each turn.
        told: reason why the task could not be opened and no plans are shown; None if it was opened.
        facts: names and values of properties of the task, such as its number of constraints.
        oracle: best plan; None if it was not requested.
    """

    task: str
    title: str = ""
    queries: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    told: str | None = None
    oracle: ShownOracle | None = None
    attempts: tuple[ShownAttempt, ...] = ()
