"""Latency of the calls `check` and `commit` of the monitor (a plan shared by agents), with 1 and 8 concurrent writers.

The task is one of the small TravelPlanner trips, with a week, three cities and 16 guards (rules that the monitor checks
at each call). First, a plan is found and split into actions of one row each. A writer repeatedly draws an action,
checks it and commits it. About half of the actions add a row that the plan already has; they take the same work. The
first writer rolls the plan back after every 100 rounds. A latency is the time of one call as its caller sees it,
including the wait for the lock and the socket. With 8 writers, it therefore includes calls of the other seven.
Processes reach the monitor over a Unix socket. Look-ahead is measured separately: each day of the plan is committed,
and CP-SAT proves that the plan can still be completed. Run it as `python -m benchmarks.monitor`.
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from statistics import median, quantiles
from time import perf_counter
from typing import Any

from planspec import load
from planspec.dsl.model.task import Task
from planspec.monitor import Accepted, Client, Monitor, Refusal, connect, serve
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.questions.completion import CompletionSearch
from planspec.verifiers.answers.tables import write_tables
from planspec.verifiers.meaning.ground import ground

TASK = Path(__file__).resolve().parent.parent / "tasks" / "travelplanner-small" / "tasks" / "7.yaml"
Action = dict[str, Any]
Times = dict[str, list[float]]


def good_plan(task: Task) -> dict[str, Any]:
    """Return the tables of a plan that satisfies every constraint."""
    grounded = ground(task)
    completions = CompletionSearch(grounded, limits=Limits(seconds=120.0))
    completion = completions.ask(Monitor(task).plan())
    assert completion.plan is not None, "the task has a plan"
    return write_tables(task, completion.plan)


def run_writer(monitor: Monitor | Client, actions: Sequence[Action], rounds: int, seed: int) -> Times:
    """Run one writer, and return the latencies of its calls in seconds."""
    random = Random(seed)
    times: Times = {"check": [], "commit": []}
    token = monitor.checkpoint() if seed == 0 else None
    for number in range(rounds):
        action = random.choice(actions)
        for name, call in (("check", monitor.check), ("commit", monitor.commit)):
            start = perf_counter()
            reply = call(action)
            times[name].append(perf_counter() - start)
            assert isinstance(reply, Accepted) or reply.code == "DUPLICATE_VENUE", reply
        if isinstance(token, int) and number % 100 == 99:
            with monitor.hold():
                assert not isinstance(monitor.rollback(token), Refusal)
                token = monitor.checkpoint()
    return times


def run_writer_in_process(
    address: str, actions: Sequence[Action], rounds: int, seed: int, ready: Any, out: Any
) -> None:
    with connect(address) as client:
        ready.wait()
        start = perf_counter()
        times = run_writer(client, actions, rounds, seed)
        out.put((start, perf_counter(), times))


def measure_alone(task: Task, actions: Sequence[Action], rounds: int) -> tuple[float, list[Times]]:
    monitor = Monitor(task)
    run_writer(monitor, actions, 50, 0)
    start = perf_counter()
    times = run_writer(monitor, actions, rounds, 0)
    return perf_counter() - start, [times]


def measure_threads(task: Task, actions: Sequence[Action], rounds: int, writers: int) -> tuple[float, list[Times]]:
    monitor = Monitor(task, timeout_s=60.0)
    run_writer(monitor, actions, 50, 0)
    times: list[Times] = []
    writer_threads = [
        threading.Thread(target=lambda seed=seed: times.append(run_writer(monitor, actions, rounds // writers, seed)))
        for seed in range(writers)
    ]
    start = perf_counter()
    for thread in writer_threads:
        thread.start()
    for thread in writer_threads:
        thread.join()
    return perf_counter() - start, times


def measure_processes(task: Task, actions: Sequence[Action], rounds: int, writers: int) -> tuple[float, list[Times]]:
    monitor = Monitor(task, timeout_s=60.0)
    run_writer(monitor, actions, 50, 0)
    spawn = multiprocessing.get_context("spawn")
    ready, out = spawn.Barrier(writers), spawn.Queue()
    with tempfile.TemporaryDirectory() as folder, serve(monitor, Path(folder) / "monitor") as server:
        writer_processes = [
            spawn.Process(
                target=run_writer_in_process,
                args=(str(server.address), actions, rounds // writers, seed, ready, out),
            )
            for seed in range(writers)
        ]
        for process in writer_processes:
            process.start()
        reports = [out.get() for _ in writer_processes]
        for process in writer_processes:
            process.join()
    return max(end for _, end, _ in reports) - min(start for start, _, _ in reports), [times for *_, times in reports]


def print_latencies(name: str, seconds: float, times_of_writers: Sequence[Times]) -> None:
    calls = sum(len(times) for each in times_of_writers for times in each.values())
    line = f"{name:14}  {calls / seconds:10.0f}"
    for kind in ("check", "commit"):
        times = [second * 1e6 for each in times_of_writers for second in each[kind]]
        line += f"  {median(times):9.0f}  {quantiles(times, n=20)[-1]:9.0f}"
    print(line)


def measure_look_ahead(task: Task, tables: dict[str, Any]) -> None:
    start = perf_counter()
    monitor = Monitor(task, look_ahead=True, limits=Limits(seconds=60.0))
    setup_s = perf_counter() - start
    times, proved = [], 0
    for row in tables["days"]:
        same = {name: [r for r in rows if r["day"] == row["day"]] for name, rows in tables.items()}
        start = perf_counter()
        reply = monitor.commit(same)
        times.append((perf_counter() - start) * 1e3)
        proved += isinstance(reply, Accepted) and bool(reply.proved)
    print(
        f"\nlook-ahead: made in {setup_s * 1e3:.0f} ms; a day: median {median(times):.0f} ms, most {max(times):.0f} ms; "
        f"{proved} of {len(times)} proved"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=4_000, help="checks and commits of all writers together")
    parser.add_argument("--writers", type=int, default=8)
    args = parser.parse_args()
    task = load(TASK)
    tables = good_plan(task)
    keyed = {table.name for table in task.plan_tables if table.key}
    actions = [{name: [row]} for name, rows in tables.items() for row in rows if name in keyed]
    print(f"{len(actions)} actions; latencies in microseconds")
    print("writers         calls a second  check p50        p95  commit p50        p95")
    ways: list[tuple[str, Callable[[], tuple[float, list[Times]]]]] = [
        ("1 thread", lambda: measure_alone(task, actions, args.rounds)),
        (f"{args.writers} threads", lambda: measure_threads(task, actions, args.rounds, args.writers)),
        ("1 process", lambda: measure_processes(task, actions, args.rounds, 1)),
        (f"{args.writers} processes", lambda: measure_processes(task, actions, args.rounds, args.writers)),
    ]
    for name, measure in ways:
        print_latencies(name, *measure())
    measure_look_ahead(task, tables)


if __name__ == "__main__":
    main()
