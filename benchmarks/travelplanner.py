"""How many TravelPlanner plans are judged in a second, by both profiles.

The plans are recorded ones of public agents where the shared data is there, else hand-written ones of the small
invented world. Tasks are loaded before the clock runs. In each round every plan is decoded and judged once as
`planspec score` does it (details of violated rules alone), and without any details; profiles take turns, and figures
are medians over rounds. What texts name is looked up once in a round: each round begins without what was remembered.
Run it as `python -m benchmarks.travelplanner`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import planspec
from planspec.dsl.workspace.workspace import Workspace
from planspec.families.travelplanner.format import tables as travelplanner_tables
from planspec.families.travelplanner.importing.suite import import_travelplanner
from planspec.families.travelplanner.official.facts import base_facts
from tests.paths import ROOT, SHARED

RECORDED = SHARED / "data" / "travelplanner"
QUERY = (
    "org", "dest", "days", "visiting_city_number", "date", "people_number", "local_constraint", "budget", "query", "level",
)  # fmt: skip
SMALL = ROOT / "tasks" / "travelplanner-small"
Judged = Sequence[tuple[planspec.Judge, Any]]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def answers(out: Path) -> tuple[Path, Path, dict[str, dict[str, Any]], list[tuple[str, Any]]]:
    """The public tables, a file of queries, the queries by id, and plans with the ids of their queries."""
    if RECORDED.exists():
        records = [
            r for path in sorted(RECORDED.glob("official_verdicts_*.jsonl")) for r in lines(path) if r["plan"]
        ]
        ids: dict[str, str] = {}
        plans = [
            (ids.setdefault(json.dumps([r[name] for name in QUERY]), f"q{len(ids)}"), r["plan"])
            for r in records
        ]
        queries = {of: dict(zip(QUERY, json.loads(key), strict=True)) for key, of in ids.items()}
        return RECORDED / "db", out / "queries.jsonl", queries, plans
    judged = lines(ROOT / "tests" / "verifiers" / "travelplanner_judged.jsonl")
    queries = {str(q.get("id", q.get("idx"))): q for q in lines(SMALL / "queries.jsonl")}
    plans = [(str(r["query"]), r["plan"]) for r in judged if r["plan"]]
    return SMALL / "database", out / "queries.jsonl", queries, plans * 20


def loaded(out: Path, profile: str) -> Judged:
    """A judge of each plan's task, and the plan."""
    database, path, queries, plans = answers(out)
    if not (out / "suite.yaml").exists():
        path.write_text("\n".join(json.dumps({**q, "id": of}) for of, q in queries.items()), "utf-8")
        import_travelplanner(database, [path], out)
    workspace = Workspace()
    judges = {
        task.stem: planspec.Judge(planspec.load(task, workspace=workspace), profile)
        for task in (out / "tasks").glob("*.yaml")
    }
    return [(judges[of], {"plan": plan}) for of, plan in plans if of in judges]


def a_second(work: Judged, details: str) -> float:
    """Plans judged in a second."""
    start = perf_counter()
    for judge, answer in work:
        judge.answer(answer, details=details)
    return len(work) / (perf_counter() - start)


def forget(base: Path) -> None:
    """Drop what earlier rounds remembered of texts."""
    facts = base_facts(base)
    for table in (facts.accommodations, facts.restaurants, facts.attractions):
        table.known.clear()
    travelplanner_tables.forget()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    with TemporaryDirectory() as folder:
        out = Path(folder)
        work = {profile: loaded(out, profile) for profile in ("official", "strict")}
        print(
            f"{len(work['strict'])} plans of {len({id(j) for j, _ in work['strict']})} tasks; plans a second"
        )
        contenders = [("official", "violated"), ("strict", "violated"), ("strict", "none")]
        for profile, _ in contenders:  # compiles each task's rules
            a_second(work[profile], "none"), a_second(work[profile], "none")
        rounds = []
        for _ in range(args.rounds):
            forget(out / "travelplanner.sqlite")
            rounds.append([a_second(work[profile], details) for profile, details in contenders])
        print("profile   details    plans/s")
        for (profile, details), speeds in zip(contenders, zip(*rounds, strict=True), strict=True):
            print(f"{profile:8}  {details:9}  {median(speeds):7.0f}")


if __name__ == "__main__":
    main()
