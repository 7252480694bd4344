"""Perception experiment: do the metrics tell misread pages from bad planning?

Run it as `python -m benchmarks.reading_errors --missed 0 0.1 0.3 0.5`. A scripted agent looks at the booking and
reservation pages of all places on each day of a task and declares each start that it reads. It misreads a share of the
greyed-out starts, drawn by a seed, as available (with `--cue any`: a share of all sold-out starts, however a page shows
them). Then it plans with what it has read, either with the solver or with a planner that always takes the earliest
start. It runs once with text, where it misreads nothing, and once with pages. It reads the facts recorded for each
page, so it needs no browser. With `--out DIR` the runs are stored for `planspec report DIR/*`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from planspec.agents.agent import AgentSpec
from planspec.agents.baselines import encode_plan
from planspec.agents.desk import Desk
from planspec.agents.failures import AttemptFailedError
from planspec.agents.tools import Toolset
from planspec.agents.view import Limits, TaskView
from planspec.api.judging import Judge
from planspec.api.oracles import best_plan
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import ScalarType
from planspec.dsl.model.value_text import show
from planspec.dsl.workspace.workspace import Workspace
from planspec.environments import AgentTask, open_task
from planspec.families.worldtravel import shortsighted
from planspec.families.worldtravel.webscape.declaring import AVAILABLE, SOLD_OUT
from planspec.families.worldtravel.webscape.facts import availability
from planspec.families.worldtravel.webscape.page_tools import PageTool
from planspec.families.worldtravel.webscape.picture_source import PictureSource
from planspec.families.worldtravel.webscape.tables import WorldCell
from planspec.runs import RunFolder, RunOptions, begin
from planspec.runs.attempting import AttemptSpec, attempt
from planspec.runs.record import Attempt
from planspec.scores import compare, run_scores
from planspec.scores.record import RunScores
from planspec.solvers.backends.outcome import Limits as SearchLimits

SECONDS = 30.0
"""Time limit of a solver's search."""
CALLS = {
    "attraction": "get_attraction_ticket_availability",
    "restaurant": "get_restaurant_reservation_availability",
}
Planner = Callable[[str, Task], Any]


def plan_with_solver(name: str, task: Task) -> Any:
    """Return the solver's best plan, as an answer."""
    judge = Judge(task)
    optimum = best_plan(judge, name=name, limits=SearchLimits(seconds=SECONDS))
    if optimum.plan is None:
        raise AttemptFailedError("timeout", "the solver found no plan")
    return encode_plan(judge, optimum.plan)


def plan_earliest_starts(_: str, task: Task) -> Any:
    """Return a plan in which every visit takes the earliest start, as an answer."""
    plans = dict(shortsighted.plans(task))
    return encode_plan(Judge(task), plans["earliest start first"])


PLANNERS: dict[str, Planner] = {"solver": plan_with_solver, "earliest": plan_earliest_starts}


class BlankPictureSource(PictureSource):
    """A source of blank page pictures. The scripted agent does not look at pictures."""

    def pictures(self, pages: Sequence[str]) -> list[bytes]:
        """Return a blank picture for each page."""
        return [b"\x89PNG\r\n\x1a\n" for _ in pages]


class MisreadingAgent:
    """Agent that reads all booking pages, misreads some sold-out starts as available, and plans with what it has read.

    Args:
        opened: the task in its setting.
        planner: function that returns the plan.
        cue: how a page shows the sold-out starts that the agent may misread, such as by grey text; `any` for all.
        share: share of these starts that the agent misreads.
        random: random generator for the misread starts.
    """

    def __init__(self, opened: AgentTask, planner: Planner, cue: str, share: float, random: Random) -> None:
        self._opened, self._planner, self._share, self._random = opened, planner, share, random
        self._cue = cue
        self.met = self.missed = 0

    def answer(self, view: TaskView, desk: Desk) -> Any:
        """Return the planner's plan. Record in a note of the attempt the start times that were read from the pages."""
        task = self._opened.judge.task
        read: dict[tuple[str, ...], dict[str, str]] = {}
        for day in task.givens["trip"]:
            date = show(day, ScalarType.DATE, None)
            for place in task.facts["Place"].rows:
                kind = place.kind  # type: ignore[attr-defined]
                arguments = {kind: place.name, "date": date}  # type: ignore[attr-defined]
                desk.call(CALLS[kind], arguments)
                read.update(list(self._read_page(CALLS[kind], arguments, read)))
        if read:
            desk.note("read", list(read.values()))
        reading = self._opened.reader and self._opened.reader(desk.trace(view.task, "misreading", None, None))
        world = task if not reading or reading.world is None else reading.world
        return self._planner(self._opened.name, world)

    def _read_page(
        self, name: str, arguments: dict[str, str], seen: Mapping[tuple[str, ...], Any]
    ) -> Iterator[tuple[tuple[str, ...], dict[str, str]]]:
        tool = next(tool for tool in self._opened.tools if tool.name == name)
        if not isinstance(tool, PageTool):
            return
        tables = tool.renderer.tables
        lines = {row.line: row for row in tables.rows("entry")}
        met = {WorldCell(file, int(line), column) for file, line, column in seen}
        for spec in tool.pages(arguments):
            for fact in tool.renderer.page(spec).facts:
                if (fact.cell.file, fact.cell.column, fact.form) != (
                    "entry.csv",
                    "left",
                    None,
                ) or fact.cell in met:
                    continue
                met.add(fact.cell)
                entry = lines[fact.cell.line]
                offer = tables.row_where("offer", id=entry["offer"])
                assert offer is not None
                place = tables.row_where("place", id=offer["place"])
                assert place is not None
                gone = availability(entry) == "gone"
                if gone and self._cue in (fact.cue, "any"):
                    self.met += 1
                    if self._random.random() < self._share:
                        self.missed += 1
                        gone = False
                yield (
                    tuple(map(str, fact.cell)),
                    {
                        "place": place["name"],
                        "date": entry["day"],
                        "ticket": offer["name"],
                        "time": entry["at"],
                        "status": SOLD_OUT if gone else AVAILABLE,
                    },
                )


def run_agent(
    suite: Path,
    folder: Path,
    setting: str,
    planner: str,
    cue: str,
    share: float,
    seed: int,
    limit: int | None,
) -> tuple[RunScores, int, int]:
    """Run the agent on a suite.

    Returns:
        The scores, the number of starts that the agent could misread, and the number that it misread.
    """
    random = Random(f"{seed} {share}")
    run = RunFolder(folder)
    if setting == "text" and folder.exists():  # without pages, nothing is misread, so share and cue have no effect
        return run_scores(run, anchors=False), 0, 0
    title = f"reading errors, {planner}" if setting == "text" else f"reading errors, {planner}, {share:g} missed"
    begin(RunOptions(str(suite), AgentSpec.read("empty"), setting, limit=limit, name=title), run)
    met = missed = 0
    workspace = Workspace()
    with run.writing() as file:
        for path in sorted(suite.glob("*.task.yaml"))[:limit]:
            opened = open_task(path, setting, workspace=workspace)
            if setting == "pages":
                tools = (
                    replace(tool, picture_source=BlankPictureSource()) if isinstance(tool, PageTool) else tool
                    for tool in opened.tools
                )
                opened = replace(opened, tools=Toolset(tools))
            reader = MisreadingAgent(opened, PLANNERS[planner], cue, share, random)
            record: Attempt = attempt(
                AttemptSpec(opened.judge.task.id, 0, seed), reader, "misreading", opened, Limits(seconds=600.0)
            )
            file.add(record)
            met, missed = met + reader.met, missed + reader.missed
    return run_scores(run, anchors=False), met, missed


def main() -> None:
    """Print one line for each planner and share."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--missed", type=float, nargs="+", default=[0.0, 0.1, 0.3, 0.5])
    parser.add_argument("--planner", nargs="+", choices=PLANNERS, default=list(PLANNERS))
    parser.add_argument("--cue", choices=("grey", "any"), default="grey")
    parser.add_argument("--city", default="florence")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    suite = Path("tasks") / f"worldtravel-{options.city}"
    with TemporaryDirectory() as folder:
        out = options.out or Path(folder)
        out.mkdir(parents=True, exist_ok=True)
        for planner in options.planner:
            text, *_ = run_agent(
                suite, out / f"{planner}-text", "text", planner, options.cue, 0.0, options.seed, options.limit
            )
            for share in options.missed:
                name = f"{planner}-pages-{options.cue}-{share:g}"
                pages, met, missed = run_agent(
                    suite, out / name, "pages", planner, options.cue, share, options.seed, options.limit
                )
                _print_row(planner, options.cue, share, met, missed, text, pages)


def _print_row(planner: str, cue: str, share: float, met: int, missed: int, text: RunScores, pages: RunScores) -> None:
    readings = [one for one in pages.reading if one.by == "cue" and one.state == SOLD_OUT and cue in (one.name, "any")]
    wrong, right = (sum(getattr(one, name) for one in readings) for name in ("wrong", "right"))
    others = sum(one.wrong for one in pages.reading if one.by == "cue") - wrong
    gap = compare(text, pages).differences[0]
    row = {
        "planner": planner,
        "asked for": share,
        "sold out": met,
        "missed": missed,
        "measured": wrong,
        "measured elsewhere": others,
        "wrong share": round(wrong / (right + wrong), 3),
        "needed and wrong": sum(one.needed_wrong for one in readings),
        "text": f"{text.passed}/{text.wanted}",
        "pages": f"{pages.passed}/{pages.wanted}",
        "gap": [gap.difference, gap.low, gap.high],
        "right as read": pages.metrics["right_as_read"].value,
    }
    sys.stdout.write(json.dumps(row) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
