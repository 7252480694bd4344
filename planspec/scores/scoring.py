"""The operations `run_metrics` and `run_scores`, which compute the scores of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

from pydantic import JsonValue

from planspec.runs import RunFolder
from planspec.scores.attempts import AttemptedRun, Row, read_attempts
from planspec.scores.cost import cost_of_run
from planspec.scores.estimates import Estimate
from planspec.scores.failing import (
    applicable_kinds,
    failures_by_boundary,
    failures_by_constraint,
    failures_by_kind,
    violated_kinds,
)
from planspec.scores.horizon import TaskPasses, pass_rate_curve
from planspec.scores.intervals import RESAMPLES, SEED, Pair, ratio
from planspec.scores.known import UNCOUNTED
from planspec.scores.metrics import (
    FamilyMetrics,
    MetricValues,
    estimates,
    perception_metrics,
    reading_metrics,
    verdict_metrics,
)
from planspec.scores.reading import count_readings
from planspec.scores.record import (
    Horizon,
    Resampling,
    RunScores,
    TaskScores,
    WeightedPart,
)
from planspec.scores.run_tables import tables_of_run
from planspec.scores.sample_metrics import REFUSAL, TaskSamples, sample_estimates
from planspec.scores.traces import metrics_of_traces
from planspec.traces.metrics import trace_metrics
from planspec.verifiers.metrics.metric import PASS_RATE
from planspec.verifiers.metrics.scored import Scored


def run_metrics(folder: RunFolder, *, jobs: int = 1, suite: str | None = None) -> dict[str, JsonValue]:
    """Compute the metrics of a run's family over all attempts, including missing ones.

    Args:
        folder: folder of the run.
        jobs: number of processes.
        suite: current file or id of the suite, if it has moved since the run began; else None.

    Returns:
        The document of the family's metrics. For a run with repeats it also has `repeats` and `samples`. `repeats` has
        the mean and standard deviation of each metric over the repeats. `samples` has pass@k, pass^k, best and majority
        over the attempts at each task, with intervals.

    Raises:
        InvalidRunError: the folder is not a run.
        ChangedSuiteError: the suite has changed since the run.
        NotFoundError: the suite no longer exists.
    """
    run = read_attempts(folder, anchors=False, jobs=jobs, suite=suite)
    return _metrics_document(run, family_metrics(run, jobs), _sample_metrics(run, SEED, RESAMPLES))


def run_scores(
    folder: RunFolder,
    *,
    seed: int = SEED,
    resamples: int = RESAMPLES,
    anchors: bool = True,
    jobs: int = 1,
    suite: str | None = None,
) -> RunScores:
    """Score a run.

    Properties of tasks that are slow to compute are stored in the run's folder if it is writable.

    Args:
        folder: folder of the run.
        seed: seed of the bootstrap.
        resamples: number of bootstrap resamples.
        anchors: whether to count temporal anchors (times that facts fix) if their number is not stored yet. If false,
            unstored numbers remain unknown.
        jobs: number of processes.
        suite: current file or id of the suite, if it has moved since the run began; else None.

    Raises:
        InvalidRunError: the folder is not a run.
        ChangedSuiteError: the suite has changed since the run.
        NotFoundError: the suite no longer exists.
    """
    run = read_attempts(folder, anchors=anchors, jobs=jobs, suite=suite)
    repeats, family = run.run.repeats, family_metrics(run, jobs)
    samples = _sample_metrics(run, seed, resamples)
    tasks = tuple(
        _task_scores(run, index, task, row, family)
        for index, (task, row) in enumerate(zip(run.run.tasks, run.rows, strict=True))
    )
    verdicts = [scored.verdict for row in run.rows for scored in row]
    missing = len(verdicts) - len(run.attempts)
    hard: list[TaskPasses] = [(task.hard, task.passed, task.wanted) for task in tasks]
    anchored: list[TaskPasses] = [(task.anchors, task.passed, task.wanted) for task in tasks]
    return RunScores(
        name=folder.path.resolve().name,
        run=run.run,
        protocol=run.facts.protocol,
        wanted=len(verdicts),
        missing=missing,
        passed=sum(verdict.status == "pass" for verdict in verdicts),
        failed=sum(verdict.status == "fail" for verdict in verdicts),
        undelivered=sum(verdict.status == "undelivered" for verdict in verdicts) - missing,
        unreadable=sum(task.unreadable for task in tasks),
        privileged=any(attempt.privileged for attempt in run.attempts.values()),
        uncontained=any(attempt.uncontained for attempt in run.attempts.values()),
        pass_rate=_pass_rate(run, seed, resamples),
        metrics=family.estimates(repeats, seed, resamples),
        groups=family.grouped(repeats, seed, resamples),
        samples=samples,
        tallies=family.tables(repeats, seed, resamples),
        tables=tables_of_run(run),
        document=_metrics_document(run, family, samples),
        kinds=failures_by_kind(run, seed, resamples),
        rules=failures_by_constraint(run, seed, resamples),
        boundaries=failures_by_boundary(run, seed, resamples),
        horizon=Horizon(
            hard=pass_rate_curve("hard", hard, repeats, seed, resamples),
            anchors=pass_rate_curve("anchors", anchored, repeats, seed, resamples),
        ),
        cost=cost_of_run(list(run.attempts.values()), len(verdicts)),
        reading=count_readings(run.attempts.values()),
        tasks=tasks,
        resampling=Resampling(seed=seed, resamples=resamples),
    )


def family_metrics(run: AttemptedRun, jobs: int = 1) -> FamilyMetrics:
    """Return the metrics of a run's family, and of the facts that agents saw and declared if these are recorded.

    Args:
        run: run with all its attempts.
        jobs: number of processes, used in families whose metrics are computed from traces.
    """
    metrics = trace_metrics(run.facts.protocol)
    family = verdict_metrics(run.facts.protocol, run.rows) if metrics is None else metrics_of_traces(run, metrics, jobs)
    for more in (perception_metrics(run.rows), reading_metrics(run.rows)):
        if more is not None:
            family.add(more)
    return family


def _metrics_document(
    run: AttemptedRun, family: FamilyMetrics, samples: Mapping[str, Estimate]
) -> dict[str, JsonValue]:
    if run.run.repeats == 1:
        return family.as_json
    spreads: dict[str, JsonValue] = {
        name: {"mean": spread.mean, "deviation": spread.deviation} for name, spread in family.spreads().items()
    }
    drawn: dict[str, JsonValue] = {
        name: {"value": estimate.value, "low": estimate.low, "high": estimate.high}
        for name, estimate in samples.items()
    }
    return {**family.as_json, "repeats": spreads, "samples": drawn}


def _sample_metrics(run: AttemptedRun, seed: int, resamples: int) -> dict[str, Estimate]:
    """Return pass@k and the other metrics over samples. Each attempt at a task counts as a sample.

    The result is empty for a run with one repeat.
    """
    if run.run.repeats == 1:
        return {}
    tasks = [_summarize_attempts(run, task, row) for task, row in zip(run.run.tasks, run.rows, strict=True)]
    return sample_estimates(tasks, run.run.repeats, seed=seed, resamples=resamples)


def _summarize_attempts(run: AttemptedRun, task: str, row: Row) -> TaskSamples:
    """Return a summary of the attempts at a task, each counted as an answer."""
    summary = TaskSamples(task)
    for repeat, scored in enumerate(row):
        attempt, verdict = run.attempts.get((task, repeat)), scored.verdict
        digest = None if attempt is None else run.facts.of(attempt).plan
        refusal = REFUSAL if digest is None and verdict.status == "pass" else None
        plan = refusal if digest is None else bytes.fromhex(digest)
        summary.add(repeat, verdict.status, verdict.hard, verdict.soft, plan)
    return summary


def _pass_rate(run: AttemptedRun, seed: int, resamples: int) -> Estimate:
    """Return the pass rate: the share of attempts with the verdict `pass`. All families have it."""
    rows, repeats = run.rows, run.run.repeats
    column: list[Pair] = [(Fraction(sum(map(_passes, row))), len(row)) for row in rows]
    alone = tuple(ratio([(Fraction(_passes(row[at])), 1) for row in rows]) for at in range(repeats))
    measured = MetricValues(PASS_RATE, ratio(column), alone, column, len(rows) * repeats)
    return estimates({"pass_rate": measured}, repeats, seed, resamples)["pass_rate"]


def _passes(scored: Scored) -> bool:
    return scored.verdict.status == "pass"


def _task_scores(run: AttemptedRun, index: int, task: str, row: Row, family: FamilyMetrics) -> TaskScores:
    facts, attempts = run.facts.tasks[task], run.at(task)
    verdicts = [scored.verdict for scored in row]
    violated: Counter[str] = Counter()
    for verdict in verdicts:
        violated += violated_kinds(verdict.findings)
    failed: Counter[str] = Counter(attempt.failure.boundary for attempt in attempts if attempt.failure is not None)
    return TaskScores(
        task=task,
        sha256=facts.sha256,
        asked_sha256=facts.asked_sha256,
        labels=facts.labels,
        hard=facts.hard,
        soft=facts.soft,
        anchors=None if facts.anchors == UNCOUNTED else facts.anchors,
        wanted=len(row),
        made=len(attempts),
        passed=sum(verdict.status == "pass" for verdict in verdicts),
        undelivered=sum(attempt.status == "undelivered" for attempt in attempts),
        applicable=applicable_kinds(facts),
        violated=dict(violated),
        unreadable=sum(
            verdict.status == "fail" and any(f.level == "shape" and f.status == "violated" for f in verdict.findings)
            for verdict in verdicts
        ),
        boundaries=dict(failed),
        metrics={
            name: WeightedPart(part=float(measured.column[index][0]), weight=measured.column[index][1])
            for name, measured in family.whole.items()
            if measured.sound
        },
    )
