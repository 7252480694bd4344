"""Training, validation and held-out suites, generated and certified once in a folder."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import planspec
from planspec_train.himap.trips import trip_queries
from planspec_train.instances import WHOLES, errands_tasks, schedule_parts
from planspec_train.splits import SEEDS, Split

TRIPS = tuple(map(str, range(1, 13)))
"""Ids of the feasible tasks of `travelplanner-small`."""


def prepare_errands(folder: Path, split: Split) -> Path:
    """Write errands in invented towns, and return the suite's file; the library is that of `planspec init`."""
    place = _emptied(folder / split)
    shutil.copy(_example(folder) / "libraries" / "errands.library.yaml", place)
    tasks = list(errands_tasks(60 if split == "train" else 36, SEEDS[split], split))
    shard = place / "errands.tasks.jsonl"
    planspec.write_tasks(shard, tasks)
    _write_suite(place, "errands", shard.name)
    feasible = _certified(place)
    planspec.write_tasks(shard, [task for task in tasks if task["id"] in feasible])
    return _suite(place)


def shipped_errands(folder: Path) -> Sequence[str]:
    """Return the files of the tasks that `planspec init` writes, certified."""
    return [str(file) for file in sorted((_example(folder) / "tasks").glob("*.task.yaml"))]


def _example(folder: Path) -> Path:
    """Return the folder of the suite that `planspec init` writes."""
    example = folder / "errands"
    if not example.exists():
        _planspec("init", str(example))
        _planspec("validate", str(example / "errands.suite.yaml"), "--certify", "--quiet")
    return example


def prepare_scheduling(folder: Path, split: Split) -> Path:
    """Write parts of shipped schedules, and return the suite's file."""
    place = _emptied(folder / split)
    for id_, text in schedule_parts(40 if split == "train" else 20, SEEDS[split], split):
        (place / f"{id_}.task.yaml").write_text(text, "utf-8")
    _write_suite(place, "scheduling", "*.task.yaml")
    feasible = _certified(place)
    for file in place.glob("*.task.yaml"):
        if file.name.removesuffix(".task.yaml") not in feasible:
            file.unlink()
    return _suite(place)


def shipped_schedules(_: Path) -> Sequence[str]:
    """Return the ids of the whole schedules."""
    return [whole.task for whole in WHOLES]


def prepare_trips(folder: Path, split: Split) -> Path:
    """Write trips through the small world that `travelplanner-small` ships, and return the suite's file."""
    small = Path(planspec.load(TRIPS[0]).span.source.name).parents[1]
    place = _emptied(folder / split)
    queries = folder / f"{split}.jsonl"
    listed = trip_queries(60 if split == "train" else 36, SEEDS[split], split)
    queries.write_text("".join(f"{json.dumps(each)}\n" for each in listed), "utf-8")
    place.rmdir()
    _planspec(
        "import", "travelplanner", "--db", str(small / "database"), "--queries", str(queries), "--out", str(place)
    )
    (place / "suite.yaml").rename(_suite(place))
    feasible = _certified(place)
    text = _suite(place).read_text("utf-8")
    for file in (place / "tasks").glob("*.yaml"):
        if file.stem not in feasible:
            file.unlink()
            text = text.replace(f"  - tasks/{file.name}\n", "")
    _suite(place).write_text(text, "utf-8")
    return _suite(place)


def shipped_trips(_: Path) -> Sequence[str]:
    """Return the ids of the feasible shipped trips."""
    return TRIPS


def _emptied(place: Path) -> Path:
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    return place


def _suite(place: Path) -> Path:
    return place / "tasks.suite.yaml"


def _write_suite(place: Path, kind: str, pattern: str) -> None:
    text = f'planspec: suite/1\nid: {kind}-{place.name}\nexpects: feasible\ntasks: ["{pattern}"]\n'
    _suite(place).write_text(text, "utf-8")


def _certified(place: Path) -> set[str]:
    """Certify the suite of a folder, and return the ids of the tasks that have a plan."""
    _planspec("validate", str(_suite(place)), "--certify", "--quiet")
    files = place.rglob("certificates/**/*.json")
    return {file.stem for file in files if json.loads(file.read_text("utf-8")).get("witness")}


def _planspec(*arguments: str) -> None:
    """Run a command of planspec. A task that is infeasible is no failure here."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "planspec", *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr or done.stdout)
