"""Suites to learn on and to hold out, generated and certified once in a folder."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import planspec
from planspec_train.himap.trips import HELD_OUT, LEARNT, trip_queries
from planspec_train.instances import WHOLES, errands_tasks, schedule_parts

TRAIN_SEED, HELD_OUT_SEED = 1, 2
TRIPS = tuple(map(str, range(1, 13)))
"""Ids of the feasible tasks of `travelplanner-small`."""


@dataclass(frozen=True, slots=True)
class Suites:
    """Suites of one kind.

    Attributes:
        train: file of the suite to learn on.
        held_out: file of the suite on which nothing is learnt.
        shipped: ids or files of shipped tasks of this kind, on which nothing is learnt either.
    """

    train: Path
    held_out: Path
    shipped: Sequence[str]


def prepare_errands(folder: Path) -> Suites:
    """Write errands in invented towns; the library is that of `planspec init`."""
    shipped = folder / "errands"
    if not shipped.exists():
        _planspec("init", str(shipped))
        _planspec("validate", str(shipped / "errands.suite.yaml"), "--certify", "--quiet")
    for name, count, seed in (("train", 60, TRAIN_SEED), ("held-out", 36, HELD_OUT_SEED)):
        place = _emptied(folder / name)
        shutil.copy(shipped / "libraries" / "errands.library.yaml", place)
        tasks = list(errands_tasks(count, seed, name))
        shard = place / "errands.tasks.jsonl"
        planspec.write_tasks(shard, tasks)
        _write_suite(place, "errands", shard.name)
        feasible = _certified(place)
        planspec.write_tasks(shard, [task for task in tasks if task["id"] in feasible])
    files = sorted((shipped / "tasks").glob("*.task.yaml"))
    return Suites(_suite(folder / "train"), _suite(folder / "held-out"), [str(file) for file in files])


def prepare_scheduling(folder: Path) -> Suites:
    """Write parts of shipped schedules."""
    for name, count, seed in (("train", 40, TRAIN_SEED), ("held-out", 20, HELD_OUT_SEED)):
        place = _emptied(folder / name)
        for id_, text in schedule_parts(count, seed, name, held_out=name == "held-out"):
            (place / f"{id_}.task.yaml").write_text(text, "utf-8")
        _write_suite(place, "scheduling", "*.task.yaml")
        feasible = _certified(place)
        for file in place.glob("*.task.yaml"):
            if file.name.removesuffix(".task.yaml") not in feasible:
                file.unlink()
    return Suites(_suite(folder / "train"), _suite(folder / "held-out"), [whole.task for whole in WHOLES])


def prepare_trips(folder: Path) -> Suites:
    """Write trips through the small world that `travelplanner-small` ships."""
    small = Path(planspec.load(TRIPS[0]).span.source.name).parents[1]
    for name, count, seed, cities in (("train", 60, TRAIN_SEED, LEARNT), ("held-out", 36, HELD_OUT_SEED, HELD_OUT)):
        place = _emptied(folder / name)
        queries = folder / f"{name}.jsonl"
        queries.write_text("".join(f"{json.dumps(each)}\n" for each in trip_queries(count, seed, cities)), "utf-8")
        place.rmdir()
        _planspec(
            "import", "travelplanner", "--db", str(small / "database"), "--queries", str(queries), "--out", str(place)
        )
        (place / "suite.yaml").rename(_suite(place))
        feasible = _certified(place)
        listed = _suite(place).read_text("utf-8")
        for file in (place / "tasks").glob("*.yaml"):
            if file.stem not in feasible:
                file.unlink()
                listed = listed.replace(f"  - tasks/{file.name}\n", "")
        _suite(place).write_text(listed, "utf-8")
    return Suites(_suite(folder / "train"), _suite(folder / "held-out"), TRIPS)


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
