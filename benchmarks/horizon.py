"""The planning horizon of an agent whose error rate is known: answers to `worldtravel` in which each visit may go wrong.

Answers are the references, each visit of which begins seven minutes late with a given probability, independently of the others: no ticket has such
a start. So the share that passes is (1 - rate) to the power of the visits, and the report's curves have to fall like that. Run it as

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

LATE = 7
"""Minutes."""
VISITS = ("attraction", "restaurant")


def later(span: str) -> str:
    """A time such as `9:00-10:30`, seven minutes later."""
    ends = [
        int(hour) * 60 + int(minute) + LATE for hour, minute in (end.split(":") for end in span.split("-"))
    ]
    return "-".join(f"{end // 60}:{end % 60:02d}" for end in ends)


def spoilt(answer: Any, random: Random, rate: float) -> tuple[Any, int]:
    """A copy of an answer, each visit of which is late with a probability; and how many visits it has."""
    copy = json.loads(json.dumps(answer, default=float))
    visits = [item for day in copy["itinerary"] for item in day["schedule"] if item["item"] in VISITS]
    for visit in visits:
        if random.random() < rate:
            visit["time"] = later(visit["time"])
    return copy, len(visits)


def main() -> None:
    """Write the answers, and print what share of them should pass by the number of visits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=float, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--suite", default="worldtravel")
    parser.add_argument("--out", type=Path, required=True)
    wanted = parser.parse_args()
    workspace, counted = Workspace(), Counter[int]()
    with wanted.out.open("w", encoding="utf-8") as file:
        for path in Catalog().suite(wanted.suite).tasks:
            task = load(path, workspace=workspace)
            answer, visits = spoilt(task.reference, Random(f"{wanted.seed} {task.id}"), wanted.rate)
            counted[visits] += 1
            print(json.dumps({"task": task.id, "answer": answer}, ensure_ascii=False), file=file)
    for visits, tasks in sorted(counted.items()):
        print(f"{visits} visits: {tasks} tasks, {(1 - wanted.rate) ** visits:.2f} should pass")
    share = sum(tasks * (1 - wanted.rate) ** visits for visits, tasks in counted.items()) / counted.total()
    print(f"all: {share:.2f}")


if __name__ == "__main__":
    main()
