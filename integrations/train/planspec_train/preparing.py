"""Generation of the training, validation and held-out suites in a folder. Tasks that have no plan are left out."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import planspec
from planspec_train.himap.trips import trip_queries
from planspec_train.instances import SCHEDULES, errands_tasks, schedule_parts
from planspec_train.splits import SEEDS, Split

TRIPS = tuple(map(str, range(1, 13)))
"""Ids of the feasible tasks of `travelplanner-small`."""


def prepare_errands(folder: Path, split: Split) -> Path:
    """Write a suite of errands in invented towns, and return its file.

    `planspec init` writes its library.
    """
    place = _new_folder(folder / split)
    shutil.copy(_init_folder(folder) / "libraries" / "errands.library.yaml", place)
    tasks = list(errands_tasks(60 if split == "train" else 36, SEEDS[split], split))
    shard = place / "errands.tasks.jsonl"
    planspec.write_tasks(shard, tasks)
    _write_suite(place, "errands", shard.name)
    feasible = _certified_ids(place)
    planspec.write_tasks(shard, [task for task in tasks if task["id"] in feasible])
    return _suite(place)


def shipped_errands(folder: Path) -> Sequence[str]:
    """Return the files of the errands tasks that `planspec init` writes."""
    return [str(file) for file in sorted((_init_folder(folder) / "tasks").glob("*.task.yaml"))]


def _init_folder(folder: Path) -> Path:
    """Return the folder of the certified suite that `planspec init` writes; create it on first use."""
    example = folder / "errands"
    if not example.exists():
        _planspec("init", str(example))
        _planspec("validate", str(example / "errands.suite.yaml"), "--certify", "--quiet")
    return example


def prepare_scheduling(folder: Path, split: Split) -> Path:
    """Write a suite of parts of shipped schedules, and return its file."""
    place = _new_folder(folder / split)
    for id_, text in schedule_parts(40 if split == "train" else 20, SEEDS[split], split):
        (place / f"{id_}.task.yaml").write_text(text, "utf-8")
    _write_suite(place, "scheduling", "*.task.yaml")
    feasible = _certified_ids(place)
    for file in place.glob("*.task.yaml"):
        if file.name.removesuffix(".task.yaml") not in feasible:
            file.unlink()
    return _suite(place)


def shipped_schedules(_: Path) -> Sequence[str]:
    """Return the ids of the complete shipped schedules."""
    return [schedule.task for schedule in SCHEDULES]


def prepare_trips(folder: Path, split: Split) -> Path:
    """Write a suite of trips in the world of `travelplanner-small`, and return its file."""
    small = Path(planspec.load(TRIPS[0]).span.source.name).parents[1]
    place = _new_folder(folder / split)
    queries = folder / f"{split}.jsonl"
    listed = trip_queries(60 if split == "train" else 36, SEEDS[split], split)
    queries.write_text("".join(f"{json.dumps(each)}\n" for each in listed), "utf-8")
    place.rmdir()
    _planspec(
        "import", "travelplanner", "--db", str(small / "database"), "--queries", str(queries), "--out", str(place)
    )
    (place / "suite.yaml").rename(_suite(place))
    feasible = _certified_ids(place)
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


def _new_folder(place: Path) -> Path:
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    return place


def _suite(place: Path) -> Path:
    return place / "tasks.suite.yaml"


def _write_suite(place: Path, kind: str, pattern: str) -> None:
    text = f'planspec: suite/1\nid: {kind}-{place.name}\nexpects: feasible\ntasks: ["{pattern}"]\n'
    _suite(place).write_text(text, "utf-8")


def _certified_ids(place: Path) -> set[str]:
    """Certify the tasks of the suite in a folder, and return the ids of those that have a plan."""
    _planspec("validate", str(_suite(place)), "--certify", "--quiet")
    files = place.rglob("certificates/**/*.json")
    return {file.stem for file in files if json.loads(file.read_text("utf-8")).get("witness")}


def _planspec(*arguments: str) -> None:
    """Run a command of planspec. Exit status 1, for example because a task is infeasible, is accepted."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "planspec", *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr or done.stdout)
