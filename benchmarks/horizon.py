"""Answers of a simulated agent with a known error rate, for a check of the report's curves over the number of visits.

The answers are the references of `worldtravel`, in which each visit independently starts seven minutes late with a
given probability. No ticket allows such a start. Therefore the expected share of passing answers is (1 - rate) to the
power of the number of visits, and the report's curves must decrease accordingly. Run it as

    python -m benchmarks.horizon --rate 0.1 --out answers.jsonl
    planspec run worldtravel --agent replay:file=answers.jsonl --out run
    planspec report run -o report.html
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from planspec import load
from planspec.api.catalog import Catalog
from planspec.dsl.workspace.workspace import Workspace

DELAY_MIN = 7
"""Delay of a visit, in minutes."""
VISITS = ("attraction", "restaurant")


def shift_span(span: str) -> str:
    """Shift a time span such as `9:00-10:30` by `DELAY_MIN`."""
    ends = [int(hour) * 60 + int(minute) + DELAY_MIN for hour, minute in (end.split(":") for end in span.split("-"))]
    return "-".join(f"{end // 60}:{end % 60:02d}" for end in ends)


def delay_visits(answer: Any, random: Random, rate: float) -> tuple[Any, int]:
    """Return a copy of an answer with randomly delayed visits, and the number of all visits."""
    copy = json.loads(json.dumps(answer, default=float))
    visits = [item for day in copy["itinerary"] for item in day["schedule"] if item["item"] in VISITS]
    for visit in visits:
        if random.random() < rate:
            visit["time"] = shift_span(visit["time"])
    return copy, len(visits)


def main() -> None:
    """Write the answers, and print the expected share of passing answers by the number of visits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=float, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--suite", default="worldtravel")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    workspace, tasks_by_visits = Workspace(), Counter[int]()
    with options.out.open("w", encoding="utf-8") as file:
        for path in Catalog().suite(options.suite).tasks:
            task = load(path, workspace=workspace)
            answer, visits = delay_visits(task.reference, Random(f"{options.seed} {task.id}"), options.rate)
            tasks_by_visits[visits] += 1
            print(json.dumps({"task": task.id, "answer": answer}, ensure_ascii=False), file=file)
    for visits, tasks in sorted(tasks_by_visits.items()):
        print(f"{visits} visits: {tasks} tasks, {(1 - options.rate) ** visits:.2f} should pass")
    share = (
        sum(tasks * (1 - options.rate) ** visits for visits, tasks in tasks_by_visits.items()) / tasks_by_visits.total()
    )
    print(f"all: {share:.2f}")


if __name__ == "__main__":
    main()
