"""Measures of a generated suite for its README.

They cover the distribution of constraints, the results of greedy planners, and the similarity of tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from statistics import mean, median
from typing import Any

from planspec.api.judging import Judge
from planspec.dsl.model.rows import make_row
from planspec.dsl.model.task import Task
from planspec.families.worldtravel import shortsighted
from planspec.families.worldtravel.generator.city import CityFolder
from planspec.families.worldtravel.generator.references import tickets_by_place, unexplained_waits
from planspec.families.worldtravel.generator.scenarios import Focus
from planspec.families.worldtravel.generator.shapes import BENCHMARK, HARD, TIMED, TOTAL, Bin
from planspec.families.worldtravel.generator.wording import trigram_overlap, trigrams
from planspec.families.worldtravel.webscape.needed import PageFacts, facts_by_page, fewest_pages, needed_cells
from planspec.families.worldtravel.webscape.plan_of_site import PageSpec
from planspec.families.worldtravel.webscape.rendering import PageRenderer
from planspec.families.worldtravel.webscape.tables import Tables
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.questions import validation
from planspec.suite_writing.options import UnsuitableSuiteError
from planspec.verifiers.meaning.anchors import anchors


@dataclass(frozen=True, slots=True)
class PlannerResult:
    """Result of a greedy planner (see `shortsighted`) on a task.

    Attributes:
        passes: whether its plan passes.
        satisfied_share: share of the hard constraints that its plan satisfies.
    """

    passes: bool
    satisfied_share: float


@dataclass(frozen=True, slots=True)
class MeasuredTask:
    """Measures of a task.

    Attributes:
        task: id of the task.
        places: number of requested places.
        anchors: number of places that can be visited only at booked start times.
        hard: number of hard constraint instances.
        soft: number of soft constraint instances.
        trigrams: word trigrams of the request.
        visits: visits of the solution: place, day as an ordinal, and start in minutes after midnight.
        search_effort: numbers of conflicts and branches that CP-SAT needs to find the solution and prove it
            unique.
        planner_results: results of the greedy planners, by name.
        pages: smallest number of Webscape pages that together show all facts which decide the verdict on the
            solution; None if the world has no pages.
        is_minimal: whether `pages` is proved minimal.
        wishes: requested places, each with the columns of its wish that differ from the default.
        wait: longest wait before a visit of the solution while the place is open, in minutes.
        choices: number of wishes that more than one ticket satisfies.
    """

    task: str
    title: str
    days: int
    people: int
    places: int
    anchors: int
    hard: int
    soft: int
    trigrams: frozenset[tuple[str, ...]]
    visits: frozenset[tuple[str, int, int]]
    search_effort: tuple[int, int]
    planner_results: dict[str, PlannerResult]
    pages: int | None
    is_minimal: bool
    wishes: tuple[tuple[str, frozenset[str]], ...]
    wait: int
    choices: int

    @property
    def total(self) -> int:
        """Number of all constraint instances."""
        return self.hard + self.soft


def measure_task(out: Path, task: str) -> MeasuredTask:
    """Measure a task of a suite that has been written and proved.

    Args:
        out: folder of the suite.
        task: id of the task.
    """
    judge = Judge(out / f"{task}.task.yaml")
    validated = validation.validate(judge.ground, backends=("cpsat",), limits=Limits())
    solution = judge.read(judge.task.reference)
    assert solution is not None, "a suite is written with references that can be read"
    applicable = [instance.constraint.hard for instance in judge.ground.instances if instance.applicable]
    claims = [claim.backends["cpsat"].statistics for claim in (validated.feasible, validated.unique)]
    planner_results = {}
    for name, plan in shortsighted.plans(judge.task):
        verdict = judge.plan(plan, details="none")
        planner_results[name] = PlannerResult(verdict.status == "pass", verdict.hard.satisfied / verdict.hard.total)
    facts = judge.task.facts
    pages, is_minimal = pages_needed(out, judge)
    return MeasuredTask(
        task=task,
        title=judge.task.title,
        days=len(judge.task.givens["trip"]),
        people=len(facts["Traveller"].rows),
        places=len(facts["Wish"].rows),
        anchors=anchors(judge.ground),
        hard=sum(applicable),
        soft=len(applicable) - sum(applicable),
        trigrams=trigrams(judge.task.query),
        visits=frozenset(
            (str(v.place._key[0]), v.day, v.start)  # type: ignore[attr-defined]
            for v in solution.tables["visits"]
        ),
        search_effort=tuple(sum(int(c.get(name, 0)) for c in claims) for name in ("conflicts", "branches")),  # type: ignore[arg-type]
        planner_results=planner_results,
        pages=pages,
        is_minimal=is_minimal,
        wishes=tuple(_cells_by_place(judge.task)),
        wait=max((wait for _, wait in unexplained_waits(judge.task, solution)), default=0),
        choices=sum(len(tickets) > 1 for tickets in tickets_by_place(judge.task).values()),
    )


def _cells_by_place(task: Task) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the requested places, each with the columns of its wish that differ from the default."""
    table = task.tables["Wish"]
    defaults = make_row(table, {}, 0)
    wish: Any
    for wish in task.facts["Wish"].rows:
        differing = (name for name in table.columns if getattr(wish, name) != getattr(defaults, name))
        yield str(wish.place._key[0]), frozenset(differing)


def pages_needed(out: Path, judge: Judge) -> tuple[int | None, bool]:
    """Return the smallest number of pages that show all needed facts, and whether it is proved minimal.

    The number is None if the world has no pages.

    Args:
        out: folder of the suite.
        judge: judge of the task, whose reference is the answer.
    """
    try:
        tables, page_facts = _facts_by_page(out)
    except UnsuitableSuiteError:
        return None, False
    cover = fewest_pages(needed_cells(judge, tables), page_facts)
    return (None if cover.pages is None or cover.uncovered else len(cover.pages)), cover.proved


@lru_cache(maxsize=1)
def _facts_by_page(out: Path) -> tuple[Tables, list[tuple[PageSpec, PageFacts]]]:
    """Return the tables of a suite's city, and the facts on each page of the city."""
    tables = Tables(out / "world")
    city = tables.city
    return tables, facts_by_page(PageRenderer(tables, city["id"], city["name"]))


def readme_text(
    city: CityFolder, suite: str, tasks: Sequence[MeasuredTask], command: str, proved: Mapping[str, int]
) -> str:
    """Return the README of a suite.

    Args:
        city: city of the tasks.
        suite: id of the suite.
        tasks: measures of all tasks.
        command: command that made the suite.
        proved: number of tasks with proofs of both claims, by back end.
    """
    return "\n".join(_readme_lines(city, suite, tasks, command, proved)) + "\n"


def _readme_lines(
    city: CityFolder, suite: str, tasks: Sequence[MeasuredTask], command: str, proved: Mapping[str, int]
) -> Iterator[str]:
    yield f"# WorldTravel: {city.head.name}"
    yield ""
    beyond = " and ".join(f"by {name} for {count} of {len(tasks)}" for name, count in proved.items())
    yield f"{len(tasks)} trips, made by `{command}`. Two claims are made about each: only its visits satisfy all hard constraints, and only"
    yield f"its plan also satisfies all soft constraints. Both are also proved beyond the bounds of the scope, {beyond};"
    yield f"`certificates/` has the proved claims, and `planspec validate {suite}.suite.yaml --beyond-scope` proves them again."
    yield ""
    yield from _table_lines(
        ("task", "core", "days", "people", "places", "anchors", "hard", "soft", "pages", "conflicts", "branches"),
        (
            (
                f"`{t.task}`",
                t.title,
                t.days,
                t.people,
                t.places,
                t.anchors,
                t.hard,
                t.soft,
                _pages_text(t),
                *t.search_effort,
            )
            for t in tasks
        ),
    )
    yield ""
    yield "An anchor is a place that can be entered only at booked starts. Hard and soft count instances of constraints. Conflicts and branches are CP-SAT's, for"
    yield f"finding the solution and proving that it is unique: {_spread_text(tasks, 0)}, and {_spread_text(tasks, 1)}."
    counted = [t.pages for t in tasks if t.pages is not None]
    if counted:
        yield f"Pages is the smallest number of Webscape pages that show all facts on which the verdict on the solution depends: {min(counted)} to {max(counted)}, median {median(counted):g}."
    yield ""
    yield "## Distribution"
    yield ""
    yield f"The table compares the tasks with the paper's Table 10, which counts {BENCHMARK} tasks of five cities."
    yield ""
    yield from _table_lines(
        ("", "from-to", "here", f"Table 10, of {BENCHMARK}"),
        [
            *_bin_rows("all constraints", TOTAL, tasks, lambda t: t.total),
            *_bin_rows("hard", HARD, tasks, lambda t: t.hard),
            *_bin_rows("anchors", TIMED, tasks, lambda t: t.anchors),
        ],
    )
    yield ""
    yield from _focus_lines(city, tasks)
    yield "## Planners that never look ahead"
    yield ""
    yield "Each planner chooses one visit after the other by the library's definitions, takes the earliest possible start, and never"
    yield "changes an earlier choice. All plans have the right hotel. A task that one of them solved was drawn again, up to a thousand times."
    yield ""
    yield from _table_lines(
        ("planner", "passes", "hard constraints satisfied, on average"),
        (
            (
                name,
                sum(t.planner_results[name].passes for t in tasks),
                f"{100 * mean(t.planner_results[name].satisfied_share for t in tasks):.0f} %",
            )
            for name in shortsighted.PLANNERS
        ),
    )
    if len(tasks) > 1:
        yield ""
        yield "## Nearest neighbours"
        yield ""
        yield from _neighbour_lines(tasks)


def _focus_lines(city: CityFolder, tasks: Sequence[MeasuredTask]) -> Iterator[str]:
    """Yield the lines of the README on quotas of special wishes, choices of tickets, and waits."""
    yield "## Quotas"
    yield ""
    if city.scenarios.focuses:
        yield from _table_lines(
            ("tasks with", "here", "aimed at"),
            (
                (focus.title, sum(any(focus.has(*wish) for wish in t.wishes) for t in tasks), _aim_text(focus))
                for focus in city.scenarios.focuses
            ),
        )
        yield ""
    choices = sum(t.choices for t in tasks)
    yield f"{choices} of {sum(t.places for t in tasks)} wishes can be met by several tickets; a visit may start at a time that any of these tickets allows. In the solutions"
    yield f"nobody waits at an open place for more than {max(t.wait for t in tasks)} minutes until the visit starts."
    yield ""


def _aim_text(focus: Focus) -> str:
    further = f" and {len(focus.further)} tasks" if focus.further else ""
    return f"{focus.share:.0%}{further}"


def _pages_text(task: MeasuredTask) -> str:
    return "–" if task.pages is None else f"{task.pages}" if task.is_minimal else f"at most {task.pages}"


def _spread_text(tasks: Sequence[MeasuredTask], index: int) -> str:
    numbers = [t.search_effort[index] for t in tasks]
    return f"{median(numbers):.0f} {('conflicts', 'branches')[index]} at the median, at most {max(numbers)}"


def _bin_rows(
    name: str, bins: Iterable[Bin], tasks: Sequence[MeasuredTask], number: Callable[[MeasuredTask], int]
) -> Iterator[Sequence[object]]:
    for nr, bin_ in enumerate(bins):
        yield name if nr == 0 else "", bin_, sum(number(t) in bin_ for t in tasks), bin_.tasks


def _neighbour_lines(tasks: Sequence[MeasuredTask]) -> Iterator[str]:
    """Yield a line on the most similar requests, and a line on the most similar solutions."""
    yield nearest_requests_line({t.task: t.trigrams for t in tasks})
    visits = {t.task: frozenset((place, minute) for place, _, minute in t.visits) for t in tasks}
    yield _nearest_line("solutions", "the visits (place and minute) of the solution with fewer visits", visits)


def nearest_requests_line(requests: Mapping[str, frozenset[tuple[str, ...]]]) -> str:
    """Return the README's line on the most similar requests.

    Args:
        requests: trigrams of at least two requests, by task.
    """
    return _nearest_line("requests", "the word trigrams of the shorter request", requests)


def _nearest_line(things: str, base: str, sets: Mapping[str, frozenset[Any]]) -> str:
    shares = [(trigram_overlap(sets[a], sets[b]), a, b) for a, b in combinations(sets, 2)]
    most, a, b = max(shares, key=lambda item: item[0])
    nearest = [max(share for share, *pair in shares if t in pair) for t in sets]
    return f"- Similarity of {things}: `{a}` and `{b}` are the most similar and share {100 * most:.0f} % of {base}. A task's nearest neighbour shares {100 * median(nearest):.0f} % (median)."


def _table_lines(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield f"|{'---|' * len(header)}"
    for row in rows:
        yield f"| {' | '.join(map(str, row))} |"
