"""Whether the measure of reading finds what eyes miss: `python -m benchmarks.eyes --missed 0.3`.

A scripted agent opens the booking and reservation pages of the author's plan of each task of a city, in the setting `pages`, and declares each start. Of those that are
greyed out it takes a share for available, drawn by a seed; the measure is asked what it read right, by cue. The pages' own facts are its eyes.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from random import Random

from planspec.agents.desk import Desk
from planspec.agents.view import Limits, TaskView
from planspec.environments import AgentTask, open_task
from planspec.families.worldtravel.webscape.facts import left
from planspec.families.worldtravel.webscape.page_tools import PageTool
from planspec.families.worldtravel.webscape.reading import StartRead, by_cue, by_kind, starts_read
from planspec.runs.attempting import AttemptSpec, attempt


class Eyes:
    """Opens the pages of a plan, and misses some of what is greyed out.

    Args:
        opened: the task under `pages`.
        plan: the author's itinerary, for what to look at.
        share: of the greyed starts that it misses.
        random: which.
    """

    def __init__(self, opened: AgentTask, plan: str, share: float, random: Random) -> None:
        self._opened, self._plan, self._share, self._random = opened, plan, share, random
        self.greyed = self.missed = 0

    def answer(self, _: TaskView, desk: Desk) -> str:
        """The author's plan; what was read is a note."""
        read: dict[tuple[str, ...], dict[str, str]] = {}
        for day in json.loads(self._plan)["itinerary"]:
            month, number = (int(part) for part in day["date"].split("."))
            date = f"2026-{month:02}-{number:02}"
            for item in day["schedule"]:
                if item["item"] == "attraction":
                    call = (
                        "get_attraction_ticket_availability",
                        {"attraction": item["destination"], "date": date},
                    )
                elif item["item"] == "restaurant":
                    call = (
                        "get_restaurant_reservation_availability",
                        {"restaurant": item["destination"], "date": date},
                    )
                else:
                    continue
                desk.call(*call)
                self._look(*call, read)
        desk.note("read", list(read.values()))
        return self._plan

    def _look(
        self, name: str, arguments: dict[str, str], read: dict[tuple[str, ...], dict[str, str]]
    ) -> None:
        tool = next(tool for tool in self._opened.tools if tool.name == name)
        assert isinstance(tool, PageTool)
        tables = tool.press.tables
        lines = {row.line: row for row in tables.rows("entry")}
        for spec in tool.pages(arguments):
            for fact in tool.press.page(spec).facts:
                if (
                    fact.cell.file != "entry.csv"
                    or fact.cell.column != "left"
                    or fact.form is not None
                    or fact.cell in read
                ):
                    continue
                entry = lines[fact.cell.line]
                offer = tables.one("offer", id=entry["offer"])
                assert offer is not None
                place = tables.one("place", id=offer["place"])
                assert place is not None
                gone = left(entry) == "gone"
                if gone and fact.cue == "grey":
                    self.greyed += 1
                    if self._random.random() < self._share:
                        self.missed += 1
                        gone = False
                read[tuple(map(str, fact.cell))] = {
                    "place": place["name"], "date": entry["day"], "ticket": offer["name"], "time": entry["at"],
                    "status": "sold out" if gone else "available",
                }  # fmt: skip


def main() -> None:
    """Print what was missed, and what the measure says, by cue and by kind of page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--missed", type=float, default=0.3)
    parser.add_argument("--city", default="florence")
    parser.add_argument("--seed", type=int, default=0)
    wanted = parser.parse_args()
    random = Random(wanted.seed)
    folder = Path("tasks") / f"worldtravel-{wanted.city}"
    starts: list[StartRead] = []
    greyed = missed = 0
    for path in sorted(folder.glob("*.task.yaml")):
        name = path.name.partition(".")[0]
        opened = open_task(str(path), "pages")
        plan = (folder / "answers" / f"{name}.reference.json").read_text("utf-8")
        eyes = Eyes(opened, plan, wanted.missed, random)
        made = attempt(AttemptSpec(name, 0, 0), eyes, "eyes", opened, Limits())
        starts += starts_read(opened, made.trace)
        greyed, missed = greyed + eyes.greyed, missed + eyes.missed
    sys.stdout.write(
        f"{greyed} starts greyed out, of which {missed} were missed: {missed / greyed:.3f}; asked for {wanted.missed}\n"
    )
    for what, shares in (("cue", by_cue(starts)), ("kind", by_kind(starts))):
        for (sort, gone), share in shares.items():
            wrong = share.wrong_share
            sys.stdout.write(
                f"{what:4} {sort:12} {'sold out' if gone else 'available':9} right {share.right:5} wrong {share.wrong:5} missing {share.missing:5}"
                f"  wrong share {'-' if wrong is None else f'{wrong:.3f}'}\n"
            )


if __name__ == "__main__":
    main()
