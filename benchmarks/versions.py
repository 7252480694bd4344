"""Speed of this checkout compared with another checkout, usually of an earlier version, on the same tasks.

Method: each checkout has a process. Both take turns to measure a task, or a line of `benchmarks.suites`, so that other
load on the machine affects both. Seconds are CPU seconds of the process. A figure is the minimum over `--rounds` rounds
of `--pairs` pairs of processes. A ratio is the new figure divided by the former one. Medians and maxima are over tasks
or lines. Both checkouts measure the tasks of OTHER with its libraries, since later versions read earlier tasks; only in
lines of `benchmarks.suites`, each version uses its own libraries. Run it as `python -m benchmarks.versions OTHER`,
for example with a worktree of a commit.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import IO, cast

from tests.paths import ROOT, SHARED

WORKER = Path(__file__).with_name("version_worker.py")

Figures = dict[str, float]
"""Seconds by name of the measurement."""


class VersionProcess:
    """A process that measures with the code of a checkout.

    Args:
        process: the process.
    """

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def answer(self, request: Sequence[str]) -> Figures:
        """Return the figures that the process measures for a request.

        Raises:
            ChildProcessError: the process has ended, after it printed the reason.
        """
        print(json.dumps(request), file=cast(IO[str], self._process.stdin), flush=True)
        line = cast(IO[str], self._process.stdout).readline()
        if not line:
            raise ChildProcessError(f"the process of {request} ended")
        return cast(Figures, json.loads(line))


@contextmanager
def version_process(checkout: Path, tasks: Path, seed: int) -> Iterator[VersionProcess]:
    """Start a process that measures with the code of a checkout; end it when the context closes.

    Args:
        checkout: the checkout.
        tasks: folder of the measured tasks and their libraries.
        seed: value of `PYTHONHASHSEED`.
    """
    paths = {"PYTHONPATH": str(checkout), "PLANSPEC_SHARED": str(SHARED)}
    environment = {**os.environ, **paths, "PYTHONHASHSEED": str(seed)}
    command = [sys.executable, "-P", str(WORKER), str(tasks)]
    process = subprocess.Popen(
        command, cwd=checkout, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        yield VersionProcess(process)
    finally:
        process.stdin.close()  # type: ignore[union-attr]
        process.wait()


def measure(former: Path, requests: Sequence[Sequence[str]], rounds: int, pairs: int) -> list[tuple[Figures, Figures]]:
    """Return, for each request, the minimum figures of the other checkout and of this one.

    A pair of processes measures all rounds of a request before the next request. The first round does not count. The
    processes of a pair share a `PYTHONHASHSEED`, which differs between pairs.
    """
    least: list[tuple[Figures, Figures]] = [({}, {}) for _ in requests]
    for seed in range(pairs):
        with ExitStack() as stack:
            pair = [stack.enter_context(version_process(path, former / "tasks", seed)) for path in (former, ROOT)]
            for request, figures in zip(requests, least, strict=True):
                for number in range(rounds + 1):
                    for place in (0, 1) if number % 2 else (1, 0):
                        for name, figure in pair[place].answer(request).items():
                            if number:
                                figures[place][name] = min(figure, figures[place].get(name, figure))
    return least


def task_requests(tasks: Path, suites: Sequence[str], every: int, kind: str) -> list[tuple[str, str, str]]:
    """Return requests to measure the tasks with a reference: the kind, and the paths of the task and its reference.

    Args:
        tasks: folder of the suites.
        suites: their names.
        every: step through the sorted tasks of a suite; with 3, every third task is measured.
        kind: `judging` or `solving`.
    """
    requests = []
    for suite in suites:
        answered = [
            (path, answer)
            for path in sorted([*(tasks / suite).glob("*.task.yaml"), *(tasks / suite).glob("tasks/*.yaml")])
            for answer in (_reference(path, tasks / suite / "answers"),)
            if answer is not None
        ]
        requests += [(kind, str(path), str(answer)) for path, answer in answered[::every]]
    return requests


def _reference(path: Path, answers: Path) -> Path | None:
    name = path.name.removesuffix(".yaml").removesuffix(".task")
    return next(
        (each for each in (answers / f"{name}.reference.json", answers / f"{name}.json") if each.exists()), None
    )


def print_ratios(title: str, pairs: Mapping[str, tuple[float, float]], unit: str) -> None:
    """Print the median and the maximum of the ratios new / former. `pairs` has (former, new) by task or line."""
    ratios = {name: new / former for name, (former, new) in pairs.items() if former}
    worst = max(ratios, key=lambda name: ratios[name])
    former, new = (median(pair[place] for pair in pairs.values()) for place in (0, 1))
    print(
        f"{title:<28}{len(ratios):>5}{former * 1e3:>10.2f}{new * 1e3:>10.2f} {unit}{median(ratios.values()):>8.2f}"
        f"{ratios[worst]:>8.2f}  {worst}",
        flush=True,
    )


def main() -> None:
    """Print a table: one row for each step of each kind of task, and one for each line of `benchmarks.suites`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="folder of the other checkout")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--pairs", type=int, default=3, help="pairs of processes")
    parser.add_argument("--every", type=int, default=3, help="measure each n-th task of a suite")
    parser.add_argument("--suites", nargs="*", help="names of folders of `tasks/`; default: all with references")
    parser.add_argument("--lines", nargs="*", help="lines of `benchmarks.suites`; default: all")
    parser.add_argument("--kinds", nargs="*", default=["judging", "solving", "suites"])
    args = parser.parse_args()
    former = args.other.resolve()
    tasks = former / "tasks"
    suites = args.suites or sorted(path.parent.name for path in tasks.glob("*/answers"))
    print(f"{'figure':<28}{'tasks':>5}{'before':>10}{'now':>10}     median   worst")
    for kind in ("judging", "solving"):
        requests = task_requests(tasks, suites, args.every, kind) if kind in args.kinds else []
        steps: dict[tuple[str, str], dict[str, tuple[float, float]]] = {}
        for (_, path, _), (before, now) in zip(
            requests, measure(former, requests, args.rounds, args.pairs), strict=True
        ):
            suite = Path(path).relative_to(tasks).parts[0].split("-")[0]
            for step in before.keys() & now.keys():
                for name in ("all", suite):
                    steps.setdefault((step, name), {})[Path(path).name.split(".")[0]] = before[step], now[step]
        for (step, name), pairs in sorted(steps.items()):
            print_ratios(f"{step}, {name}", pairs, "ms")
    if "suites" in args.kinds:
        from benchmarks.suites import LINES

        chosen = args.lines or list(LINES)
        figures = measure(former, [("line", name) for name in chosen], args.rounds, args.pairs)
        for before, now in figures:
            for name in before:
                print_ratios(name, {name: (before[name], now[name])}, "ms")


if __name__ == "__main__":
    main()
