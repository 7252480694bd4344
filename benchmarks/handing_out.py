"""What it costs to hand answers out: `planspec score --many` in one process, and by the actors of a Ray cluster on this machine.

Method: answers to the tasks of a suite, each a reference answer in which visits are late by chance, flow into the command's standard input, so many
to each task; equal ones are judged again. A cluster of one node is begun for each round, and its processes are counted whole: CPU time of them and of their
ended children, with their start. Both ways' verdicts are compared by their hash. Overhead is what the cluster's CPU time is beyond that
of one process, as a share of the latter. For few answers the start is most of it, so that two counts tell what a further answer costs.

    python -m benchmarks.handing_out --suite worldtravel-berlin --answers 20000 1000000 --ways 1 ray
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import IO

import psutil

from benchmarks.horizon import spoilt
from planspec import load
from planspec.api.catalog import Catalog
from planspec.dsl.workspace.workspace import Workspace

PORT = 6390
DISTINCT = 40
"""Answers to each task that differ."""
RATE = 0.3


@dataclass(frozen=True, slots=True)
class Measured:
    """One command's costs in seconds, and the hash of its verdicts."""

    cpu: float
    wall: float
    verdicts: str


def lines(suite: str, count: int) -> Iterator[str]:
    """So many lines, the tasks in turn."""
    workspace, answers = Workspace(), list[tuple[str, list[str]]]()
    for path in Catalog().suite(suite).tasks:
        task = load(path, workspace=workspace)
        made = [spoilt(task.reference, Random(f"{task.id} {n}"), RATE)[0] for n in range(DISTINCT)]
        answers.append((json.dumps(task.id), [json.dumps(one, separators=(",", ":")) for one in made]))
    for n in range(count):
        task_id, own = answers[n % len(answers)]
        sample = n // len(answers)
        yield f'{{"task": {task_id}, "sample": {sample}, "plan": {own[sample % DISTINCT]}}}\n'


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


def by_ray(suite: str, count: int, nodes: int, scratch: Path) -> Measured:
    """The same on a cluster of this machine, its own processes included."""
    program = str(Path(sys.executable).with_name("ray"))
    options = ("--head", "--port", str(PORT), "--num-cpus", str(nodes), "--include-dashboard=false", "--disable-usage-stats")  # fmt: skip
    before = set(psutil.pids())
    subprocess.run([program, "start", *options], check=True, capture_output=True)
    try:
        made = score(suite, count, ["--ray", f"127.0.0.1:{PORT}"], scratch)
        cluster = [one for one in psutil.process_iter() if one.pid not in before and "ray" in _command(one)]
        own = sum(sum(one.cpu_times()[:4]) for one in cluster)
    finally:
        subprocess.run([program, "stop", "--force"], check=True, capture_output=True)
    return Measured(made.cpu + own, made.wall, made.verdicts)


def _command(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--suite", default="worldtravel-berlin")
    parser.add_argument("--answers", type=int, nargs="+", default=[20_000])
    parser.add_argument("--ways", nargs="+", choices=("1", "2", "ray"), default=["1", "ray"])
    wanted = parser.parse_args()
    print("| answers | way | CPU s | ms each | s | overhead | verdicts |\n|--:|---|--:|--:|--:|--:|---|")
    with tempfile.TemporaryDirectory() as name:
        for count in wanted.answers:
            alone: float | None = None
            for way in wanted.ways:
                if way == "ray":
                    made = by_ray(wanted.suite, count, os.cpu_count() or 1, Path(name))
                else:
                    made = score(wanted.suite, count, ["--jobs", way], Path(name))
                alone = made.cpu if way == "1" else alone
                more = "-" if alone is None or way == "1" else f"{made.cpu / alone - 1:.1%}"
                print(
                    f"| {count:,} | {way} | {made.cpu:.1f} | {made.cpu / count * 1000:.3f} | {made.wall:.0f} | {more} | {made.verdicts} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
