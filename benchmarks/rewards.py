"""What agents earn that need no model: rewards beside verdicts, for each family, as a Markdown table.

Each agent makes its attempts as `planspec run` does; its calls and its answers are then given to an environment of the task, whose
reward it is. `copied` is the right answer of the next task, as its certificate has it. Run it as
`python -m benchmarks.rewards [--tasks N] [--suite SUITE]`.
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

SETTINGS = {
    "worldtravel-berlin": None,
    "travelplanner-small": None,
    "veritrip": "facts",
    "mobilitybench": None,
}
"""The setting of each suite; its first if None."""
AGENTS = {
    "empty": "empty", "constant": "constant:text=A lovely trip: day 1 the museum and day 2 the zoo.", "random": "random", "greedy": "greedy",
    "oracle": "oracle:seconds=40",
}  # fmt: skip
COLUMNS = ("suite", "agent", "tasks", "delivered", "passes", "hard", "reward", "of those that fail", "calls")


def tasks_of(suite: str, count: int) -> list[tuple[Path, AgentTask, Environment]]:
    """So many tasks of a suite, spread over it; all if 0."""
    catalog = Catalog()
    folder, paths = catalog.suite_path(suite).parent, catalog.suite(suite).tasks
    step = max(1, len(paths) // count) if count else 1
    wanted = set(paths[::step][: count or None])
    episodes = environments_of(suite, SETTINGS[suite])
    return [
        (path, open_task(path, SETTINGS[suite], folder=folder), episode)
        for path, episode in zip(paths, episodes, strict=True)
        if path in wanted
    ]


def by_agent(spec: str, opened: AgentTask, episode: Environment) -> Outcome:
    """What an agent earns at a task."""
    made = attempt(AttemptSpec(episode.task, 0, 0), agent(spec), spec, opened, Limits(seconds=120.0))
    again = episode.copy()
    outcome: Outcome | None = None
    calls = list(made.trace.calls)
    for turn in made.turns:
        for call in calls[: turn.calls]:
            assert call.name is not None
            again.call(call.name, call.arguments or {})
        calls = calls[turn.calls or 0 :]
        outcome = again.submit(turn.answer)
    assert outcome is not None
    return outcome


def copied(paths: Sequence[Path], place: int, episode: Environment) -> Outcome:
    """What the right answer of the next task that has one earns."""
    for path in (*paths[place + 1 :], *paths[:place]):
        said = json.loads(
            (path.parent / "certificates" / f"{path.stem.removesuffix('.task')}.json").read_text("utf-8")
        )
        if said.get("witness") is not None:
            return episode.copy().submit(said["witness"])
    raise LookupError("no other task has a right answer")


def rows(suite: str, count: int) -> Iterator[tuple[str, list[Outcome]]]:
    """What each agent earns at the tasks of a suite."""
    tasks = tasks_of(suite, count)
    paths = [path for path, _, _ in tasks]
    for name, spec in AGENTS.items():
        if name == "random":
            yield "copied", [copied(paths, place, episode) for place, (_, _, episode) in enumerate(tasks)]
        yield name, [by_agent(spec, opened, episode) for _, opened, episode in tasks]


def line(suite: str, name: str, found: Sequence[Outcome]) -> str:
    """A row of the table."""
    failing = [outcome["reward"] for outcome in found if not outcome["pass"]]
    cells = (
        suite, f"`{name}`" if name in AGENTS else name, len(found), sum(o["delivered"] for o in found), sum(o["pass"] for o in found),
        f"{mean(o['hard'] for o in found):.2f}", f"{mean(o['reward'] for o in found):.2f}",
        f"{mean(failing):.2f}" if failing else "-", f"{mean(o['calls'] for o in found):.1f}",
    )  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tasks", type=int, default=12, help="of each suite; 0 is all")
    parser.add_argument(
        "--suite", choices=sorted(SETTINGS), action="append", help="may be given several times; else all"
    )
    asked = parser.parse_args()
    print(f"| {' | '.join(COLUMNS)} |\n|---|---|{'--:|' * (len(COLUMNS) - 2)}")
    for suite in asked.suite or SETTINGS:
        for name, found in rows(suite, asked.tasks):
            print(line(suite, name, found), flush=True)


if __name__ == "__main__":
    main()
