"""Comparison of two runs over their common tasks: changed outcomes, significance, and differences of metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from planspec.scores.intervals import (
    RESAMPLES,
    SEED,
    Interval,
    Pair,
    mcnemar,
    newcombe,
    paired_bootstrap,
    ratio,
)
from planspec.scores.metrics import metrics_of_family
from planspec.scores.record import Comparison, Difference, Flip, Resampling, RunScores, Side, TaskScores
from planspec.verifiers.metrics.metric import PASS_RATE, Kind

CHANCE = Fraction(5, 100)
"""Significance level. A difference with a smaller p-value is reported as unlikely to be due to chance."""
LEADING_METRIC = "pass_rate"
"""Metric whose difference is listed first."""
TaskPairs = Sequence[tuple[TaskScores, TaskScores]]


def compare(first: RunScores, second: RunScores, *, seed: int = SEED, resamples: int = RESAMPLES) -> Comparison:
    """Compare two runs task by task.

    Attempts that failed or have no record count as not passed. Tasks that are in only one run, or that changed between
    the runs, are listed and left out.

    Args:
        first: scores of the baseline run.
        second: scores of the run compared with it.
        seed: seed of the bootstrap.
        resamples: number of bootstrap resamples.
    """
    ours, theirs = ({task.task: task for task in run.tasks} for run in (first, second))
    shared = [task for task in ours if task in theirs]
    changed = tuple(task for task in shared if not _have_same_request(ours[task], theirs[task]))
    common_tasks = [(ours[task], theirs[task]) for task in shared if task not in set(changed)]
    flips = [(task.passed * other.wanted - other.passed * task.wanted, task, other) for task, other in common_tasks]
    gained = tuple(_flip(task, other) for more, task, other in flips if more < 0)
    lost = tuple(_flip(task, other) for more, task, other in flips if more > 0)
    single = all(task.wanted == 1 == other.wanted for task, other in common_tasks)
    sides = (
        _side(first, [task for task, _ in common_tasks]),
        _side(second, [other for _, other in common_tasks]),
    )
    p = mcnemar(len(lost), len(gained))
    return Comparison(
        first=sides[0],
        second=sides[1],
        tasks=len(common_tasks),
        only_first=tuple(task for task in ours if task not in theirs),
        only_second=tuple(task for task in theirs if task not in ours),
        changed=changed,
        gained=gained,
        lost=lost,
        same=len(common_tasks) - len(gained) - len(lost),
        discordant=len(gained) + len(lost),
        test="mcnemar" if single else "sign",
        p=float(p),
        differences=_differences(common_tasks, first.protocol, second.protocol, seed, resamples),
        said=_summary(sides, len(common_tasks), len(lost), len(gained), p, single=single) + _caveats(sides),
        resampling=Resampling(seed=seed, resamples=resamples),
    )


def _have_same_request(task: TaskScores, other: TaskScores) -> bool:
    """Return whether two tasks are equal except for tables of evidence, which no constraint reads."""
    if task.asked_sha256 is None or other.asked_sha256 is None:
        return task.sha256 == other.sha256
    return task.asked_sha256 == other.asked_sha256


def _flip(task: TaskScores, other: TaskScores) -> Flip:
    return Flip(task=task.task, first=(task.passed, task.wanted), second=(other.passed, other.wanted))


def _side(run: RunScores, tasks: Sequence[TaskScores]) -> Side:
    return Side(
        name=run.name,
        agent=run.run.agent,
        suite=run.run.suite,
        setting=run.run.setting,
        repeats=run.run.repeats,
        privileged=run.privileged,
        passed=sum(task.passed for task in tasks),
        wanted=sum(task.wanted for task in tasks),
        missing=sum(task.wanted - task.made for task in tasks),
    )


def _differences(
    common_tasks: TaskPairs, first: str | None, second: str | None, seed: int, resamples: int
) -> tuple[Difference, ...]:
    """Return the difference of the pass rates, then of each metric that all common tasks have."""
    if not common_tasks:
        return ()
    names = [
        name
        for name in common_tasks[0][0].metrics
        if name != LEADING_METRIC and all(name in task.metrics for pair in common_tasks for task in pair)
    ]
    columns: list[list[list[Pair]]] = [
        [
            [(Fraction(pair[side].passed), pair[side].wanted) for pair in common_tasks],
            *([_contribution(pair[side], name) for pair in common_tasks] for name in names),
        ]
        for side in (0, 1)
    ]
    metrics = {**metrics_of_family(second), **metrics_of_family(first), LEADING_METRIC: PASS_RATE}
    bootstraps = paired_bootstrap(columns[0], columns[1], seed, resamples)
    differences = []
    for index, name in enumerate([LEADING_METRIC, *names]):
        one, other = ratio(columns[0][index]), ratio(columns[1][index])
        pairs = list(zip(columns[0][index], columns[1][index], strict=True))
        bounds, method = _interval(metrics[name].kind, pairs, bootstraps[index])
        differences.append(
            Difference(
                metric=name,
                first=_float_or_none(one),
                second=_float_or_none(other),
                difference=None if one is None or other is None else float(other - one),
                low=bounds[0] if bounds else None,
                high=bounds[1] if bounds else None,
                method=method if bounds else None,
                better=metrics[name].better,
            )
        )
    return tuple(differences)


def _interval(
    kind: Kind, pairs: Sequence[tuple[Pair, Pair]], bootstrap: Interval | None
) -> tuple[Interval | None, Literal["newcombe", "bootstrap"]]:
    """Return the confidence interval of a difference, and the method that computed it.

    A rate of single attempts has Newcombe's interval. Other differences have the bootstrap interval, or None if the
    bootstrap is degenerate.
    """
    single = all(weight == 1 and part in (0, 1) for pair in pairs for part, weight in pair)
    if single and kind == "rate":
        cells = Counter((int(one[0]), int(other[0])) for one, other in pairs)
        return newcombe(cells[1, 1], cells[1, 0], cells[0, 1], cells[0, 0]), "newcombe"
    return (None if bootstrap is None or bootstrap[0] == bootstrap[1] else bootstrap), "bootstrap"


def _contribution(task: TaskScores, name: str) -> Pair:
    weighed = task.metrics[name]
    return Fraction(weighed.part), weighed.weight


def _float_or_none(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


# -------------------------------------------------------------------------------------------------- in words


def _summary(sides: tuple[Side, Side], tasks: int, lost: int, gained: int, p: Fraction, *, single: bool) -> str:
    if not tasks:
        return "The runs have no task in common."
    one, other = _names(sides)
    discordant = lost + gained
    opening = f"Both runs have {tasks} {'task' if tasks == 1 else 'tasks'}"
    if single:
        text = f"{opening}; {one} passes {sides[0].passed} and {other} {sides[1].passed}. "
        text += f"{_count_phrase(gained)} passed by {other} alone, {_count_phrase(lost, short=True)} by {one} alone."
    else:
        text = f"{opening}; {other} passes {gained} more often than {one} does, and {lost} less often."
    if not discordant:
        return f"{text} By what they pass, nothing tells them apart."
    name = "McNemar's exact test" if single else "exact sign test over tasks"
    differing = f"{discordant} differing {'task' if discordant == 1 else 'tasks'}"
    chance = f"If neither were better, {differing} would split at least this unevenly {_frequency_phrase(p)} ({name})"
    if p < CHANCE:
        return f"{text} {chance}: chance alone is unlikely."
    if Fraction(2, 2**discordant) >= CHANCE:
        return f"{text} {chance}: with {differing}, no result could be significant."
    return f"{text} {chance}: this does not tell them apart."


def _caveats(sides: tuple[Side, Side]) -> str:
    """Return caveats about a comparison as sentences."""
    text = ""
    for side, name in zip(sides, _names(sides), strict=True):
        if side.missing:
            text += f" {name[:1].upper()}{name[1:]} lacks {side.missing} of {side.wanted} attempts, which do not pass."
        if side.privileged:
            text += f" {name[:1].upper()}{name[1:]} is given the tasks themselves: it is a reference."
    return text


def _names(sides: tuple[Side, Side]) -> tuple[str, str]:
    """Return a name for each run: its agent or, if both have the same agent, its setting or else its folder."""
    for one, other in (
        (sides[0].agent, sides[1].agent),
        (sides[0].setting, sides[1].setting),
        (sides[0].name, sides[1].name),
    ):
        if one != other:
            return f"`{one}`", f"`{other}`"
    return "the first run", "the second run"


def _count_phrase(n: int, *, short: bool = False) -> str:
    if short:
        return str(n) if n else "none"
    return f"{n} {'is' if n == 1 else 'are'}" if n else "None is"


def _frequency_phrase(p: Fraction) -> str:
    if p == 1:
        return "every time"
    share = float(p) * 100
    if share < 0.1:
        return "less than once in a thousand times"
    return f"in {share:.1f} % of cases" if share < 10 else f"in {share:.0f} % of cases"
