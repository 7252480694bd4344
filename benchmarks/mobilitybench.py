"""Speed of MobilityBench: replayed calls, scored traces, and the memory of a large generation.

The suite is the shipped one. Figures are medians over rounds.

- Calls: in each round, every recorded call of every episode is sent to the episode's sandbox. "first" uses newly
  opened sandboxes; "again" sends the same texts a second time.
- Traces: each trace has the calls of the reference program and the reference answer. "strict" scores it
  without a verdict on the answer; "with the verdict" also loads the task and judges the answer; "official" computes
  the public toolkit's metrics, if the public sample is beside the checkout.
- Memory: the resident set of a separate process while it generates episodes (Linux only).
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
    """Return the median, over rounds, of the items processed per second.

    `work` returns the number of items it processed.
    """
    rates = []
    for _ in range(rounds):
        start = time.perf_counter()
        done = work()
        rates.append(done / (time.perf_counter() - start))
    return statistics.median(rates)


def measure_replay(episodes: list[Episode], rounds: int) -> tuple[float, float]:
    """Return the tool calls answered per second: when they are sent for the first time, and when they are repeated."""
    requests = [
        [(record.tool, record.arguments) for record in episode.snapshot if record.arguments is not None]
        for episode in episodes
    ]
    fresh = []
    for _ in range(rounds):
        boxes = [sandbox_of(episode) for episode in episodes]
        start = time.perf_counter()
        count = sum(
            1
            for box, calls in zip(boxes, requests, strict=True)
            for name, arguments in calls
            if box.call_text(name, arguments)
        )
        fresh.append(count / (time.perf_counter() - start))

    def replay_again() -> int:
        return sum(
            1
            for _ in range(20)
            for box, calls in zip(boxes, requests, strict=True)
            for name, arguments in calls
            if box.call_text(name, arguments)
        )

    return statistics.median(fresh), per_second(replay_again, rounds)


def reference_trace(episode: Episode) -> Trace:
    """Return a trace with the calls of the reference program and the reference answer."""
    calls = tuple(
        Call(id=f"c{n}", name=call.tool, arguments=call.arguments, result=Result(value={}))
        for n, call in enumerate(episode.program)
    )
    return Trace(task=episode.id, calls=calls, answer=json.dumps(reference_answer(episode), ensure_ascii=False))


def measure_scoring(episodes: list[Episode], rounds: int) -> tuple[float, float]:
    """Return the traces scored per second, without and with the verdict on the answer."""
    runs = [(episode, reference_trace(episode)) for episode in episodes]

    def score_without_verdict() -> int:
        return sum(score_trace(episode, run, None) is not None for _ in range(10) for episode, run in runs)

    def score_with_verdict() -> int:
        verdicts = (
            (episode, run, verdict_of(SUITE / "tasks" / f"{episode.id}.yaml", episode, run)) for episode, run in runs
        )
        return sum(bool(score_trace(*each).metrics["FPR"].value == 1) for each in verdicts)

    assert score_with_verdict() == len(runs)  # a warm-up: the measurement with the verdict shall find the caches filled
    return per_second(score_without_verdict, rounds), per_second(score_with_verdict, rounds)


def measure_official(rounds: int) -> float | None:
    """Return the traces per second with the public toolkit's metrics, or None without the public sample."""
    from planspec.families.mobilitybench.official.evaluator import score, truths_of
    from planspec.families.mobilitybench.traces_reading import trace_of_mobilitybench

    folder = SHARED / "data" / "mobilitybench"
    if not folder.is_dir():
        return None
    csv.field_size_limit(1 << 26)
    with (folder / "sample_dev.csv").open(encoding="utf-8-sig", newline="") as file:
        truths = {truth.case: truth for truth in truths_of(list(csv.DictReader(file)))}
    with (folder / "official_metrics_dev.jsonl").open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    for record in records:  # the public sample contains every second row of the table
        record["raw_result"]["case_id"] = f"case_{record['row'] // 2 + 1}"
    traces = [trace_of_mobilitybench(record["raw_result"]) for record in records]
    pairs = [(truths[trace.task], trace) for trace in traces if trace.task in truths]
    assert pairs
    return per_second(lambda: sum(score(truth, trace) is not None for truth, trace in pairs), rounds)


def measure_memory(episodes: int) -> list[tuple[int, int]]:
    """Generate episodes in a separate process.

    Return pairs of the episodes written so far and the resident set in MB.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "suite"
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
        process = subprocess.Popen(program, stdout=subprocess.DEVNULL)
        samples: list[tuple[int, int]] = []
        step = max(1, episodes // 5)
        while process.poll() is None:
            written = sum(1 for _ in (out / "tasks").glob("*.yaml")) if (out / "tasks").is_dir() else 0
            status = Path(f"/proc/{process.pid}/status")
            if written >= step * (len(samples) + 1) and status.is_file():
                line = next((x for x in status.read_text().splitlines() if x.startswith("VmRSS")), None)
                if line:
                    samples.append((written, int(line.split()[1]) // 1024))
            time.sleep(0.2)
        assert process.returncode == 0, process.returncode
        return samples


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--generate", type=int, default=400, help="episodes of the memory measurement; 100000 take hours"
    )
    arguments = parser.parse_args()
    episodes = list(read_episodes(SUITE))
    first, again = measure_replay(episodes, arguments.rounds)
    print(f"replayed calls a second   first {first:>9,.0f}   again {again:>9,.0f}")
    strict, judged = measure_scoring(episodes, arguments.rounds)
    official_rate = measure_official(arguments.rounds)
    print(
        f"traces scored a second    strict {strict:>8,.0f}   with the verdict {judged:>6,.0f}   "
        f"official {'-' if official_rate is None else format(official_rate, ',.0f')}"
    )
    if official_rate is None:
        print("the official figure needs the public sample, which does not lie beside the checkout")
    for written, rss in measure_memory(arguments.generate):
        print(f"generating                {written:>7} episodes written, {rss} MB")


if __name__ == "__main__":
    main()
