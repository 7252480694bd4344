"""MobilityBench's speed: replayed calls, traces scored, and the memory of a large generation.

Method: the suite that ships. Calls: every recorded call of every episode is asked of its episode's sandbox, once for each of so
many rounds; "first" has sandboxes that were just opened, "again" sends the same calls in the same words. Traces: runs that
make the calls of the standard program and give the reference answer; "strict" without the library's verdict, "with the
verdict" with a task loaded and judged for each, "official" the public toolkit's numbers, where the public sample lies
beside the checkout. Printed are medians of the rounds. Memory: a process of its own generates so many episodes; its
resident set is read off as it goes (Linux).
"""

from __future__ import annotations

import argparse
import csv
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from planspec.families.mobilitybench.episode import Episode
from planspec.families.mobilitybench.metrics import score_trace
from planspec.families.mobilitybench.metrics.trace_metrics import verdict_of
from planspec.families.mobilitybench.reference import reference_answer
from planspec.families.mobilitybench.suite import read_episodes, sandbox_of
from planspec.traces.record import Call, Result, Trace
from tests.paths import SHARED

SUITE = Path(__file__).parent.parent / "tasks" / "mobilitybench"


def per_second(work: Callable[[], int], rounds: int) -> float:
    """How much of something is done in a second: the median of the rounds."""
    rates = []
    for _ in range(rounds):
        began = time.perf_counter()
        done = work()
        rates.append(done / (time.perf_counter() - began))
    return statistics.median(rates)


def replayed(episodes: list[Episode], rounds: int) -> tuple[float, float]:
    """Calls per second, first and again."""
    asked = [
        [(record.tool, record.arguments) for record in episode.snapshot if record.arguments is not None]
        for episode in episodes
    ]
    fresh = []
    for _ in range(rounds):
        boxes = [sandbox_of(episode) for episode in episodes]
        began = time.perf_counter()
        count = sum(
            1
            for box, calls in zip(boxes, asked, strict=True)
            for name, said in calls
            if box.call_text(name, said)
        )
        fresh.append(count / (time.perf_counter() - began))

    def again() -> int:
        return sum(
            1
            for _ in range(20)
            for box, calls in zip(boxes, asked, strict=True)
            for name, said in calls
            if box.call_text(name, said)
        )

    return statistics.median(fresh), per_second(again, rounds)


def run_of(episode: Episode) -> Trace:
    """A run that does what the standard program does."""
    calls = tuple(
        Call(id=f"c{n}", name=call.tool, arguments=call.arguments, result=Result(value={}))
        for n, call in enumerate(episode.program)
    )
    return Trace(
        task=episode.id, calls=calls, answer=json.dumps(reference_answer(episode), ensure_ascii=False)
    )


def scored(episodes: list[Episode], rounds: int) -> tuple[float, float]:
    """Traces per second, without and with the library's verdict."""
    runs = [(episode, run_of(episode)) for episode in episodes]

    def strict() -> int:
        return sum(1 for _ in range(10) for episode, run in runs if score_trace(episode, run, None))

    def judged() -> int:
        return sum(
            score_trace(episode, run, verdict_of(SUITE / "tasks" / f"{episode.id}.yaml", episode, run))
            .metrics["FPR"]
            .value
            == 1
            for episode, run in runs
        )

    assert judged() == len(runs)  # which also warms up
    return per_second(strict, rounds), per_second(judged, rounds)


def official(rounds: int) -> float | None:
    """Traces of the public sample per second by the public toolkit's metrics; None without it."""
    from planspec.families.mobilitybench.official.evaluator import score, truths_of
    from planspec.families.mobilitybench.traces_reading import trace_of_mobilitybench

    folder = SHARED / "data" / "mobilitybench"
    if not folder.is_dir():
        return None
    csv.field_size_limit(1 << 26)
    with (folder / "sample_dev.csv").open(encoding="utf-8-sig", newline="") as opened:
        truths = {truth.case: truth for truth in truths_of(list(csv.DictReader(opened)))}
    with (folder / "official_metrics_dev.jsonl").open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    for record in records:  # the sample has every second row of the table
        record["raw_result"]["case_id"] = f"case_{record['row'] // 2 + 1}"
    traces = [trace_of_mobilitybench(record["raw_result"]) for record in records]
    known = [(truths[trace.task], trace) for trace in traces if trace.task in truths]
    assert known
    return per_second(lambda: sum(1 for truth, trace in known if score(truth, trace)), rounds)


def memory(episodes: int) -> list[tuple[int, int]]:
    """Episodes written and the resident set in MB, as a generation goes."""
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "suite"
        program = [
            sys.executable,
            "-m",
            "planspec",
            "generate",
            "mobilitybench",
            "--out",
            str(out),
            "--size",
            str(episodes),
        ]
        going = subprocess.Popen(program, stdout=subprocess.DEVNULL)
        found: list[tuple[int, int]] = []
        step = max(1, episodes // 5)
        while going.poll() is None:
            written = sum(1 for _ in (out / "tasks").glob("*.yaml")) if (out / "tasks").is_dir() else 0
            status = Path(f"/proc/{going.pid}/status")
            if written >= step * (len(found) + 1) and status.is_file():
                line = next((x for x in status.read_text().splitlines() if x.startswith("VmRSS")), None)
                if line:
                    found.append((written, int(line.split()[1]) // 1024))
            time.sleep(0.2)
        assert going.returncode == 0, going.returncode
        return found


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--generate", type=int, default=400, help="episodes of the memory run; 100000 takes hours"
    )
    arguments = parser.parse_args()
    episodes = list(read_episodes(SUITE))
    first, again = replayed(episodes, arguments.rounds)
    print(f"replayed calls a second   first {first:>9,.0f}   again {again:>9,.0f}")
    strict, judged = scored(episodes, arguments.rounds)
    theirs = official(arguments.rounds)
    print(
        f"traces scored a second    strict {strict:>8,.0f}   with the verdict {judged:>6,.0f}   "
        f"official {'-' if theirs is None else format(theirs, ',.0f')}"
    )
    if theirs is None:
        print("the official figure needs the public sample, which does not lie beside the checkout")
    for written, rss in memory(arguments.generate):
        print(f"generating                {written:>7} episodes written, {rss} MB")


if __name__ == "__main__":
    main()
