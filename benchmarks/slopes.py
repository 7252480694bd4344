"""Slope of the dense reward: how it decreases with the number of wrong edits to a right answer, as a Markdown table.

An edit gives one field of the right plan another value from the task's scope. Each edit alone makes the answer fail.
The edits of a series, up to eight, are undone one by one, and each intermediate answer is rewarded. A task gets about
200 answers in this way, in as many series as necessary. The columns are:

- `different`: minimum, over tasks, of the number of different rewards of a task;
- `rank`: Spearman's correlation between the reward and the negated number of remaining edits. `mean` and `least` are
  the mean and the minimum over tasks. `with right answers` is the mean if each series ends with the right answer;
- `earn`: share of the edited answers with a reward above 0;
- `random`: mean reward of failing answers of the agent `random`, with ten seeds;
- `blind`: maximum reward of failing worthless answers: the empty answer, right answers to other tasks, and answers of
  the agent `random` with other seeds;
- `floor s`: maximum CPU time for measuring the floor of a task, in seconds. The floor is the share of satisfied hard
  constraints up to which a failing plan earns nothing. It is measured with worthless answers.

Run it as `python -m benchmarks.slopes [--tasks N] [--suite SUITE]`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from statistics import correlation, mean
from time import process_time
from typing import Any

from benchmarks.rewards import SETTINGS, tasks_of
from planspec import Environment, InexpressiblePlanError, Judge
from planspec.agents.baselines import encode_plan, random_answer
from planspec.api import certificates
from planspec.dsl.model.rows import make_row
from planspec.environments.floors import DRAWS, NEIGHBOURS
from planspec.verifiers.meaning.ground import FieldDomain
from planspec.verifiers.meaning.plan_rows import Plan

SUITES = (*SETTINGS, "scheduling", "examples")
ANSWERS, EDITS, SEEDS = 200, 8, range(100, 110)
COLUMNS = (
    "suite",
    "tasks",
    "answers",
    "different",
    "rank, mean",
    "rank, least",
    "rank with right answers",
    "earn",
    "random",
    "blind",
    "floor s",
)


@dataclass(frozen=True, slots=True)
class Edit:
    """A new value for one field of a plan."""

    table: str
    index: int
    column: str
    value: Any


@dataclass(slots=True)
class RewardSlope:
    """Rewards of answers to one task, by the number of wrong edits in them.

    The floor of a task is the share of satisfied hard constraints up to which a failing plan earns nothing.

    Attributes:
        remaining_edits: number of wrong edits left in each answer.
        rewards: reward of each answer.
        series: number of series of edits.
        random: rewards of failing answers of the agent `random`.
        blind: rewards of failing worthless answers, such as the empty answer.
        floor_s: CPU seconds for measuring the floor.
    """

    remaining_edits: list[int] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    series: int = 0
    random: list[float] = field(default_factory=list)
    blind: list[float] = field(default_factory=list)
    floor_s: float = 0.0

    @property
    def distinct_rewards(self) -> int:
        return len({round(reward, 9) for reward in self.rewards})

    def rank(self, *, with_right_answers: bool = False) -> float:
        """Return the rank correlation of reward and negated number of remaining edits; 0 if either is constant.

        If `with_right_answers`, each series also includes the right answer, with 0 edits and reward 1.
        """
        more = self.series if with_right_answers else 0
        undone = [-count for count in self.remaining_edits] + [0] * more
        rewards = self.rewards + [1.0] * more
        if len(set(rewards)) < 2 or len(set(undone)) < 2:
            return 0.0
        return correlation(ranks(undone), ranks(rewards))


def ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value. Equal values have the mean of their ranks."""
    places: dict[float, list[int]] = {}
    for place, value in enumerate(sorted(values)):
        places.setdefault(value, []).append(place)
    return [mean(places[value]) for value in values]


def right_plan(judge: Judge, certificate: certificates.Certificate | None) -> Plan | None:
    """Return the reference or, without one, the certificate's witness."""
    reference = judge.reference_plan()
    if reference is not None or certificate is None or certificate.witness is None:
        return reference
    return judge.read(certificate.witness)


def editable_fields(judge: Judge, plan: Plan) -> list[tuple[str, int, str, Sequence[FieldDomain]]]:
    """Return the fields of a plan with several values in scope, as (table, row index, column, domains).

    A key field is returned only if no other field of its row can be edited.
    """
    fields: list[tuple[str, int, str, Sequence[FieldDomain]]] = []
    for name, rows in plan.tables.items():
        domains: dict[str, list[FieldDomain]] = {}
        for offered in judge.ground.rows.get(name, ()):
            for column, domain in offered.fields.items():
                domains.setdefault(column, []).append(domain)
        opened = {column: some for column, some in domains.items() if any(domain.open for domain in some)}
        for index, row in enumerate(rows):
            free = {column for column in opened if column not in row._table.key} or set(opened)
            fields += [(name, index, column, opened[column]) for column in sorted(free)]
    return fields


def drawn_value(domains: Sequence[FieldDomain], random: Random) -> Any:
    domain = random.choice(domains)
    if domain.interval is not None:
        low, high, step = domain.interval
        return random.randrange(low, high + 1, step)
    return random.choice(domain.values) if domain.values else None


def edited(plan: Plan, edits: Sequence[Edit]) -> Plan:
    """Return a copy of a plan with edits applied."""
    tables = {name: list(rows) for name, rows in plan.tables.items()}
    for edit in edits:
        row = tables[edit.table][edit.index]
        values = {column: getattr(row, column) for column in row._table.columns} | {edit.column: edit.value}
        tables[edit.table][edit.index] = make_row(row._table, values, edit.index)
    return Plan({name: tuple(rows) for name, rows in tables.items()})


def drawn_edits(judge: Judge, plan: Plan, random: Random) -> list[Edit]:
    """Return up to `EDITS` edits of different fields. Each edit alone makes the answer fail."""
    edits: list[Edit] = []
    fields = editable_fields(judge, plan)
    for table, index, column, domains in random.sample(fields, len(fields)):
        edit = Edit(table, index, column, drawn_value(domains, random))
        if edit.value == getattr(plan.tables[table][index], column):
            continue
        try:
            answer = judge.encode(edited(plan, [edit]))
        except InexpressiblePlanError:
            continue
        if judge.decoded(answer, details="none").status == "fail":
            edits.append(edit)
        if len(edits) == EDITS:
            break
    return edits


def failing_rewards(episode: Environment, answers: Sequence[Any]) -> list[float]:
    """Submit answers, and return the rewards of those that fail."""
    outcomes = [episode.copy().submit(answer) for answer in answers]
    return [outcome["reward"] for outcome in outcomes if not outcome["pass"]]


def slope_of(judge: Judge, episode: Environment, others: Mapping[str, Any]) -> RewardSlope | None:
    """Measure the slope of a task. Return None if it has no right plan with at least two editable fields.

    `others` holds the certificates of all tasks of the suite, by task.
    """
    own = others.get(judge.task.id)
    plan = right_plan(judge, own)
    if plan is None:
        return None
    random, slope = Random(f"slope {judge.task.id}"), RewardSlope()
    began = process_time()
    if episode.floor is None:
        return None
    slope.floor_s = process_time() - began
    for _ in range(ANSWERS):
        edits = drawn_edits(judge, plan, random)
        if len(edits) < 2:
            continue
        answers = [encode_plan(judge, edited(plan, edits[undone:])) for undone in range(len(edits))]
        slope.remaining_edits += range(len(edits), 0, -1)
        slope.rewards += [episode.copy().submit(answer)["reward"] for answer in answers]
        slope.series += 1
        if len(slope.rewards) + len(edits) > ANSWERS:
            break
    if not slope.series:
        return None
    turn = episode.turns - 1
    slope.random = failing_rewards(episode, [random_answer(judge, seed, turn) for seed in SEEDS])
    copied = [each.witness for each in others.values() if each.task != judge.task.id and each.witness is not None]
    drawn = [random_answer(judge, seed, turn) for seed in range(DRAWS)]
    slope.blind = failing_rewards(episode, [{}, *copied[:NEIGHBOURS], *drawn])
    return slope


def slopes(suite: str, count: int) -> Iterator[tuple[str, RewardSlope]]:
    """Yield the slopes of a suite's tasks, each with the task's id."""
    tasks = tasks_of(suite, SETTINGS.get(suite, (None,))[0], count)
    others = {}
    for path in sorted({path.parent / certificates.FOLDER for path, _, _ in tasks}):
        for file in sorted(path.glob("*.json")):
            certificate = certificates.read(file)
            others[certificate.task] = certificate
    for _, opened, episode in tasks:
        if episode.turns == 1 and (slope := slope_of(opened.judge, episode, others)) is not None:
            yield episode.task, slope


def line(suite: str, measured: Sequence[RewardSlope]) -> str:
    """Format a row of the table."""
    if not measured:
        return f"| `{suite}` | 0 |{' |' * (len(COLUMNS) - 2)}"
    cells = (
        f"`{suite}`",
        len(measured),
        sum(len(slope.rewards) for slope in measured),
        min(slope.distinct_rewards for slope in measured),
        f"{mean(slope.rank() for slope in measured):.2f}",
        f"{min(slope.rank() for slope in measured):.2f}",
        f"{mean(slope.rank(with_right_answers=True) for slope in measured):.2f}",
        f"{mean(reward > 0 for slope in measured for reward in slope.rewards):.2f}",
        f"{mean([reward for slope in measured for reward in slope.random] or [0]):.3f}",
        f"{max([reward for slope in measured for reward in slope.blind] or [0]):.3f}",
        f"{max(slope.floor_s for slope in measured):.2f}",
    )
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tasks", type=int, default=12, help="tasks of each suite (0: all)")
    parser.add_argument("--suite", choices=sorted(SUITES), action="append", help="suite to measure; may be repeated")
    parser.add_argument("--each", action="store_true", help="also print a row for each task")
    options = parser.parse_args()
    print(f"| {' | '.join(COLUMNS)} |\n|---|{'--:|' * (len(COLUMNS) - 1)}")
    for suite in options.suite or SUITES:
        measured = dict(slopes(suite, options.tasks))
        for task, slope in measured.items() if options.each else ():
            print(line(f"{suite} {task}", [slope]), flush=True)
        print(line(suite, list(measured.values())), flush=True)


if __name__ == "__main__":
    main()
