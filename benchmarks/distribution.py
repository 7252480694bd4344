"""Overhead of distributing answers: `planspec score --many` in local processes and on a local Ray cluster.

Method: many answers to each task of a suite are written to the command's standard input. They are the answers in the
suite's folder `answers/` or, without one, reference answers with randomly delayed visits. Equal answers are judged
separately.

Each measurement on Ray starts a cluster of one node. Its CPU time is the sum over all processes of the cluster,
including their start-up. CPU time is polled, so the last tenth of a second of a process may be missing. The overhead is
the additional CPU time of the cluster, as a share of the CPU time of the local processes measured last. For a fair
comparison, there must be as many actors as local processes. With few answers, most of the overhead is start-up; the
cost per answer is the slope between the figures for two numbers of answers. The table shows a hash of the verdicts,
which must be equal in all rows with the same number of answers.

    python -m benchmarks.distribution --suite veritrip --answers 20000 1000000 --ways 2 ray
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

from benchmarks.horizon import delay_visits
from planspec import load
from planspec.api.catalog import Catalog, suite_folder
from planspec.dsl.workspace.workspace import Workspace

PORT = 6390
DISTINCT = 40
"""Number of different answers to each task of a suite without the folder `answers/`."""
RATE = 0.3
RAY_PROCESSES = re.compile(r"^ray::|/ray(/| start)")
"""Pattern of the command lines of Ray's own processes. It does not match `planspec score`."""


@dataclass(frozen=True, slots=True)
class CommandTimes:
    """Measurement of one command.

    Attributes:
        cpu: CPU time in seconds.
        wall: wall time in seconds.
        verdicts: hash of the verdicts.
    """

    cpu: float
    wall: float
    verdicts: str


def distinct_answers(suite: str) -> Iterator[tuple[str, list[Any]]]:
    """Yield the id of each task of a suite, with distinct answers to it."""
    catalog, workspace = Catalog(), Workspace()
    shipped = sorted(suite_folder(catalog.suite_path(suite)).glob("answers/*.json"))
    for path in shipped:
        yield path.stem.removesuffix(".reference"), [json.loads(path.read_text(encoding="utf-8"))]
    for path in () if shipped else catalog.suite(suite).tasks:
        task = load(path, workspace=workspace)
        yield (
            task.id,
            [delay_visits(task.reference, Random(f"{task.id} {n}"), RATE)[0] for n in range(DISTINCT)],
        )


def input_lines(suite: str, count: int) -> Iterator[str]:
    """Yield `count` lines of input, each an answer. The tasks take turns."""
    answers = [(json.dumps(task), [_compact(one) for one in texts]) for task, texts in distinct_answers(suite)]
    for n in range(count):
        task, texts = answers[n % len(answers)]
        sample = n // len(answers)
        yield f'{{"task": {task}, "sample": {sample}, "plan": {texts[sample % len(texts)]}}}\n'


def _compact(answer: Any) -> str:
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))


def write_answers(suite: str, count: int, stream: IO[bytes]) -> None:
    buffer: list[str] = []
    for line in input_lines(suite, count):
        buffer.append(line)
        if len(buffer) == 1000:
            stream.write("".join(buffer).encode())
            buffer.clear()
    stream.write("".join(buffer).encode())
    stream.close()


def score(suite: str, count: int, options: list[str], scratch: Path) -> CommandTimes:
    """Score `count` answers, and measure the command together with its child processes."""
    out = scratch / "verdicts.jsonl"
    command = [sys.executable, "-m", "planspec", "score", "-", "--suite", suite, "--many", "--out", str(out), *options]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as running:
        assert running.stdin is not None
        write_answers(suite, count, running.stdin)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if running.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)} ended with {running.returncode}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    digest = hashlib.file_digest(out.open("rb"), "sha256").hexdigest()[:12]
    return CommandTimes(cpu, time.perf_counter() - began, digest)


def score_on_ray(suite: str, count: int, actors: int, score_options: list[str], scratch: Path) -> CommandTimes:
    """Score on a Ray cluster on this machine. The CPU time includes the cluster's own processes."""
    program = str(Path(sys.executable).with_name("ray"))
    options = (
        "--head",
        "--port",
        str(PORT),
        "--num-cpus",
        str(actors),
        "--include-dashboard=false",
        "--disable-usage-stats",
    )
    # The port is open to the network, so the cluster gets a token of its own.
    os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))
    with _ray_processes() as cluster:
        subprocess.run([program, "start", *options], check=True, capture_output=True)
        try:
            measured = score(suite, count, ["--ray", f"127.0.0.1:{PORT}", *score_options], scratch)
        finally:
            subprocess.run([program, "stop", "--force"], check=True, capture_output=True)
    return CommandTimes(measured.cpu + sum(cluster.values()), measured.wall, measured.verdicts)


@contextmanager
def _ray_processes() -> Iterator[dict[tuple[int, float], float]]:
    """Yield the CPU seconds of each Ray process started in the block, by process; updated in the background."""
    before, spent, done = set(psutil.pids()), dict[tuple[int, float], float](), Event()

    def poll() -> None:
        while not done.wait(0.1):
            for one in psutil.process_iter():
                if one.pid not in before:
                    with suppress(psutil.Error):
                        if RAY_PROCESSES.search(" ".join(one.cmdline())):
                            user, system, *_ = one.cpu_times()
                            spent[one.pid, one.create_time()] = user + system

    poller = Thread(target=poll, daemon=True)
    poller.start()
    try:
        yield spent
    finally:
        done.set()
        poller.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--suite", default="worldtravel-berlin")
    parser.add_argument("--answers", type=int, nargs="+", default=[20_000])
    parser.add_argument(
        "--actors",
        type=int,
        default=os.cpu_count() or 1,
        help="actors of the cluster; compare one actor with one local process",
    )
    parser.add_argument("--details", action="store_true", help="write whole verdicts, with all findings")
    parser.add_argument("--ways", nargs="+", choices=("1", "2", "ray"), default=["1", "ray"])
    options = parser.parse_args()
    details = ["--details"] if options.details else []
    print("| answers | way | CPU s | ms each | s | overhead | verdicts |\n|--:|---|--:|--:|--:|--:|---|")
    with tempfile.TemporaryDirectory() as name:
        for count in options.answers:
            local_cpu: float | None = None
            for way in options.ways:
                if way == "ray":
                    measured = score_on_ray(options.suite, count, options.actors, details, Path(name))
                else:
                    measured = score(options.suite, count, ["--jobs", way, *details], Path(name))
                local_cpu = local_cpu if way == "ray" else measured.cpu
                overhead = "-" if local_cpu is None or way != "ray" else f"{measured.cpu / local_cpu - 1:.1%}"
                print(
                    f"| {count:,} | {way} | {measured.cpu:.1f} | {measured.cpu / count * 1000:.3f} | {measured.wall:.0f} | {overhead} | {measured.verdicts} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
