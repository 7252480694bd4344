"""Rewards and verdicts of agents without a language model, for each family, as a Markdown table.

Each agent solves tasks as in `planspec run`. Its calls and answers are then replayed in an environment of the
task, which gives the reward. The agent `copied` answers with the next task's witness, taken from its certificate.
Run it as `python -m benchmarks.rewards [--tasks N] [--suite SUITE]`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean

from planspec import Environment, environments_of
from planspec.agents import Limits, agent
from planspec.api.catalog import Catalog
from planspec.environments import AgentTask, open_task
from planspec.environments.environment import Outcome
from planspec.runs.attempting import AttemptSpec, attempt

SETTINGS: dict[str, tuple[str | None, ...]] = {
    "worldtravel-berlin": (None,),
    "travelplanner-small": (None,),
    "veritrip": ("facts", "paper-facts"),
    "mobilitybench": (None,),
}
"""Settings of each suite, with None for the first setting."""
AGENTS = {
    "empty": "empty",
    "constant": "constant:text=A lovely trip: day 1 the museum and day 2 the zoo.",
    "random": "random",
    "greedy": "greedy",
    "oracle": "oracle:seconds=40",
}
COLUMNS = ("suite", "agent", "tasks", "delivered", "passes", "hard", "reward", "of those that fail", "calls")


def tasks_of(suite: str, setting: str | None, count: int) -> list[tuple[Path, AgentTask, Environment]]:
    """Return the path, the opened task and the environment of `count` tasks, evenly spread over a suite.

    If `count` is 0, return all tasks.
    """
    catalog = Catalog()
    folder, paths = catalog.suite_path(suite).parent, catalog.suite(suite).tasks
    step = max(1, len(paths) // count) if count else 1
    chosen = set(paths[::step][: count or None])
    episodes = environments_of(suite, setting)
    return [
        (path, open_task(path, setting, folder=folder), episode)
        for path, episode in zip(paths, episodes, strict=True)
        if path in chosen
    ]


def replayed_outcome(spec: str, opened: AgentTask, episode: Environment) -> Outcome:
    """Let an agent attempt a task, replay the attempt in the task's environment, and return the outcome."""
    record = attempt(AttemptSpec(episode.task, 0, 0), agent(spec), spec, opened, Limits(seconds=120.0))
    replay = episode.copy()
    outcome: Outcome | None = None
    calls = list(record.trace.calls)
    for turn in record.turns:
        for call in calls[: turn.calls]:
            assert call.name is not None
            replay.call(call.name, call.arguments or {})
        calls = calls[turn.calls or 0 :]
        outcome = replay.submit(turn.answer)
    assert outcome is not None
    return outcome


def copied_outcome(paths: Sequence[Path], index: int, episode: Environment) -> Outcome:
    """Answer a task with the witness of the next task that has one, and return the outcome."""
    for path in (*paths[index + 1 :], *paths[:index]):
        certificate = json.loads(
            (path.parent / "certificates" / f"{path.stem.removesuffix('.task')}.json").read_text("utf-8")
        )
        if certificate.get("witness") is not None:
            return episode.copy().submit(certificate["witness"])
    raise LookupError("no other task has a witness")


def rows(suite: str, setting: str | None, count: int) -> Iterator[tuple[str, list[Outcome]]]:
    """Yield each agent's name with its outcomes on the tasks of a suite."""
    tasks = tasks_of(suite, setting, count)
    paths = [path for path, _, _ in tasks]
    for name, spec in AGENTS.items():
        if name == "random":
            yield (
                "copied",
                [copied_outcome(paths, index, episode) for index, (_, _, episode) in enumerate(tasks)],
            )
        yield name, [replayed_outcome(spec, opened, episode) for _, opened, episode in tasks]


def line(suite: str, name: str, outcomes: Sequence[Outcome]) -> str:
    """Format a row of the table."""
    failing = [outcome["reward"] for outcome in outcomes if not outcome["pass"]]
    cells = (
        suite,
        f"`{name}`" if name in AGENTS else name,
        len(outcomes),
        sum(o["delivered"] for o in outcomes),
        sum(o["pass"] for o in outcomes),
        f"{mean(o['hard'] for o in outcomes):.2f}",
        f"{mean(o['reward'] for o in outcomes):.2f}",
        f"{mean(failing):.2f}" if failing else "-",
        f"{mean(o['calls'] for o in outcomes):.1f}",
    )
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tasks", type=int, default=12, help="tasks of each suite (0: all)")
    parser.add_argument(
        "--suite",
        choices=sorted(SETTINGS),
        action="append",
        help="suite to measure; may be repeated (default: all)",
    )
    options = parser.parse_args()
    print(f"| {' | '.join(COLUMNS)} |\n|---|---|{'--:|' * (len(COLUMNS) - 2)}")
    for suite in options.suite or SETTINGS:
        for setting in SETTINGS[suite]:
            shown = f"`{suite}`" if setting is None else f"`{suite}`, `{setting}`"
            for name, outcomes in rows(suite, setting, options.tasks):
                print(line(shown, name, outcomes), flush=True)


if __name__ == "__main__":
    main()
