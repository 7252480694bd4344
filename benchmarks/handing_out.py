"""What it costs to hand answers out: `planspec score --many` in one process, and by the actors of a Ray cluster on this machine.

Method: answers to the tasks of a suite, so many to each, flow into the command's standard input; equal ones are judged again. They are the reference
answers, in which visits are late by chance, or those that a suite ships in `answers/`. A cluster of one node is begun for each round, and its
processes are counted whole, with their start: the CPU time of each, as it was at most a tenth of a second before it ended. Verdicts are compared by their
hash. Overhead is what the cluster's CPU time is beyond that of the processes measured last, as a share of the latter; it is fair where there
are as many actors. For few answers the start is most of it, so that two counts tell what a further answer costs.

    python -m benchmarks.handing_out --suite veritrip --answers 20000 1000000 --ways 2 ray
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import resource
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import IO, Any

import psutil

from benchmarks.horizon import spoilt
from planspec import load
from planspec.api.catalog import Catalog, suite_folder
from planspec.dsl.workspace.workspace import Workspace

PORT = 6390
DISTINCT = 40
"""Answers to each task that differ."""
RATE = 0.3
RAYS = re.compile(r"^ray::|/ray(/| start)")
"""Command lines of a cluster's processes; the command that is measured is counted by itself."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One command's costs in seconds, and the hash of its verdicts."""

    cpu: float
    wall: float
    verdicts: str


def answers_of(suite: str) -> Iterator[tuple[str, list[Any]]]:
    """Tasks of a suite, each with answers that differ."""
    catalog, workspace = Catalog(), Workspace()
    shipped = sorted(suite_folder(catalog.suite_path(suite)).glob("answers/*.json"))
    for path in shipped:
        yield path.stem, [json.loads(path.read_text(encoding="utf-8"))]
    for path in () if shipped else catalog.suite(suite).tasks:
        task = load(path, workspace=workspace)
        yield task.id, [spoilt(task.reference, Random(f"{task.id} {n}"), RATE)[0] for n in range(DISTINCT)]


def lines(suite: str, count: int) -> Iterator[str]:
    """So many lines, the tasks in turn."""
    answers = [(json.dumps(task), [_compact(one) for one in made]) for task, made in answers_of(suite)]
    for n in range(count):
        task, own = answers[n % len(answers)]
        sample = n // len(answers)
        yield f'{{"task": {task}, "sample": {sample}, "plan": {own[sample % len(own)]}}}\n'


def _compact(answer: Any) -> str:
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))


def feed(suite: str, count: int, into: IO[bytes]) -> None:
    part: list[str] = []
    for line in lines(suite, count):
        part.append(line)
        if len(part) == 1000:
            into.write("".join(part).encode())
            part.clear()
    into.write("".join(part).encode())
    into.close()


def score(suite: str, count: int, ways: list[str], scratch: Path) -> Measured:
    """Score so many answers; of the command itself and of the processes that it waits for."""
    out = scratch / "verdicts.jsonl"
    command = [sys.executable, "-m", "planspec", "score", "-", "--suite", suite, "--many", "--out", str(out), *ways]  # fmt: skip
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as running:
        assert running.stdin is not None
        feed(suite, count, running.stdin)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if running.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)} ended with {running.returncode}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    digest = hashlib.file_digest(out.open("rb"), "sha256").hexdigest()[:12]
    return Measured(cpu, time.perf_counter() - began, digest)


def by_ray(suite: str, count: int, actors: int, ways: list[str], scratch: Path) -> Measured:
    """The same on a cluster of this machine, its own processes included."""
    program = str(Path(sys.executable).with_name("ray"))
    options = ("--head", "--port", str(PORT), "--num-cpus", str(actors), "--include-dashboard=false", "--disable-usage-stats")  # fmt: skip
    # a token of its own: the port is open to the network, and the user's token may be there or not
    os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))
    with _counted() as cluster:
        subprocess.run([program, "start", *options], check=True, capture_output=True)
        try:
            made = score(suite, count, ["--ray", f"127.0.0.1:{PORT}", *ways], scratch)
        finally:
            subprocess.run([program, "stop", "--force"], check=True, capture_output=True)
    return Measured(made.cpu + sum(cluster.values()), made.wall, made.verdicts)


@contextmanager
def _counted() -> Iterator[dict[tuple[int, float], float]]:
    """CPU seconds of each process of Ray that begins meanwhile; those that have ended do not tell them."""
    before, spent, done = set(psutil.pids()), dict[tuple[int, float], float](), Event()

    def watch() -> None:
        while not done.wait(0.1):
            for one in psutil.process_iter():
                if one.pid not in before:
                    with suppress(psutil.Error):
                        if RAYS.search(" ".join(one.cmdline())):
                            user, system, *_ = one.cpu_times()
                            spent[one.pid, one.create_time()] = user + system

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield spent
    finally:
        done.set()
        watcher.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--suite", default="worldtravel-berlin")
    parser.add_argument("--answers", type=int, nargs="+", default=[20_000])
    parser.add_argument(
        "--actors",
        type=int,
        default=os.cpu_count() or 1,
        help="of the cluster; one process is compared most fairly with one",
    )
    parser.add_argument("--details", action="store_true", help="whole verdicts, with all findings")
    parser.add_argument("--ways", nargs="+", choices=("1", "2", "ray"), default=["1", "ray"])
    wanted = parser.parse_args()
    details = ["--details"] if wanted.details else []
    print("| answers | way | CPU s | ms each | s | overhead | verdicts |\n|--:|---|--:|--:|--:|--:|---|")
    with tempfile.TemporaryDirectory() as name:
        for count in wanted.answers:
            alone: float | None = None
            for way in wanted.ways:
                if way == "ray":
                    made = by_ray(wanted.suite, count, wanted.actors, details, Path(name))
                else:
                    made = score(wanted.suite, count, ["--jobs", way, *details], Path(name))
                alone = alone if way == "ray" else made.cpu
                more = "-" if alone is None or way != "ray" else f"{made.cpu / alone - 1:.1%}"
                print(
                    f"| {count:,} | {way} | {made.cpu:.1f} | {made.cpu / count * 1000:.3f} | {made.wall:.0f} | {more} | {made.verdicts} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
