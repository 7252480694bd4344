"""TravelPlanner plans judged per second, in both profiles.

The plans are recorded plans of public agents if the shared data are present, or else hand-written plans in the small
invented world. Tasks are loaded before the measurement. In each round, every plan is decoded and judged twice: with
details of violated rules, as in `planspec score`, and without details. The profiles alternate, and figures are medians
over rounds. Names parsed from texts are cached; each round begins with empty caches. Run it as
`python -m benchmarks.travelplanner`.
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
from planspec.families.travelplanner.official.facts import facts_from_database
from planspec.verifiers.meaning.judge import Details
from tests.paths import ROOT, SHARED

RECORDED = SHARED / "data" / "travelplanner"
QUERY = (
    "org",
    "dest",
    "days",
    "visiting_city_number",
    "date",
    "people_number",
    "local_constraint",
    "budget",
    "query",
    "level",
)
SMALL = ROOT / "tasks" / "travelplanner-small"
JudgedAnswers = Sequence[tuple[planspec.Judge, Any]]


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def answers(out: Path) -> tuple[Path, Path, dict[str, dict[str, Any]], list[tuple[str, Any]]]:
    """Return the plans to judge.

    Returns:
        The folder of the tables, the path for the file of queries, the queries by id, and the plans, each with
        the id of its query.
    """
    if RECORDED.exists():
        records = [
            r for path in sorted(RECORDED.glob("official_verdicts_*.jsonl")) for r in read_lines(path) if r["plan"]
        ]
        ids: dict[str, str] = {}
        plans = [(ids.setdefault(json.dumps([r[name] for name in QUERY]), f"q{len(ids)}"), r["plan"]) for r in records]
        queries = {query_id: dict(zip(QUERY, json.loads(key), strict=True)) for key, query_id in ids.items()}
        return RECORDED / "db", out / "queries.jsonl", queries, plans
    judged = read_lines(ROOT / "tests" / "families" / "travelplanner" / "judged.jsonl")
    queries = {str(q.get("id", q.get("idx"))): q for q in read_lines(SMALL / "queries.jsonl")}
    plans = [(str(r["query"]), r["plan"]) for r in judged if r["plan"]]
    return SMALL / "database", out / "queries.jsonl", queries, plans * 20


def load_judges(out: Path, profile: str) -> JudgedAnswers:
    """Import the tasks into the folder `out`, and return each plan with a judge of its task under a profile."""
    database, path, queries, plans = answers(out)
    if not (out / "suite.yaml").exists():
        path.write_text("\n".join(json.dumps({**q, "id": query_id}) for query_id, q in queries.items()), "utf-8")
        import_travelplanner(database, [path], out)
    workspace = Workspace()
    judges = {
        task.stem: planspec.Judge(planspec.load(task, workspace=workspace), profile)
        for task in (out / "tasks").glob("*.yaml")
    }
    return [(judges[query_id], {"plan": plan}) for query_id, plan in plans if query_id in judges]


def plans_per_second(work: JudgedAnswers, details: Details) -> float:
    """Return the plans judged per second."""
    start = perf_counter()
    for judge, answer in work:
        judge.answer(answer, details=details)
    return len(work) / (perf_counter() - start)


def clear_caches(base: Path) -> None:
    """Clear the caches of names parsed from texts. `base` is the SQLite file of the imported tables."""
    facts = facts_from_database(base)
    for table in (facts.accommodations, facts.restaurants, facts.attractions):
        table.cache.clear()
    travelplanner_tables.clear_caches()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    with TemporaryDirectory() as folder:
        out = Path(folder)
        work = {profile: load_judges(out, profile) for profile in ("official", "strict")}
        print(f"{len(work['strict'])} plans of {len({id(j) for j, _ in work['strict']})} tasks; plans a second")
        contenders: list[tuple[str, Details]] = [("official", "violated"), ("strict", "violated"), ("strict", "none")]
        for profile, _ in contenders:  # warm-up, which compiles the rules of each task
            plans_per_second(work[profile], "none"), plans_per_second(work[profile], "none")
        rounds = []
        for _ in range(args.rounds):
            clear_caches(out / "travelplanner.sqlite")
            rounds.append([plans_per_second(work[profile], details) for profile, details in contenders])
        print("profile   details    plans/s")
        for (profile, details), speeds in zip(contenders, zip(*rounds, strict=True), strict=True):
            print(f"{profile:8}  {details:9}  {median(speeds):7.0f}")


if __name__ == "__main__":
    main()
