"""Scores of the same answers in each reading of a suite, and answers on which the readings disagree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from planspec.api.catalog import Catalog
from planspec.api.readings import chosen_readings
from planspec.errors import UnsuitableAnswersError
from planspec.scores.answer_lines import AnswersLike, envelope_lines
from planspec.scores.score_text import failure_lines, group_lines, reading_lines
from planspec.traces.metrics import trace_metrics
from planspec.verifiers.answers.envelope import Answer, read_answer
from planspec.verifiers.answers.format import plain_json

if TYPE_CHECKING:
    from planspec.scores.answers import Scores
    from planspec.scores.sampling import SampleScores
    from planspec.verifiers.meaning.verdict import Finding

AnyScores = TypeVar("AnyScores", "Scores", "SampleScores")


@dataclass(frozen=True, slots=True)
class AnswerDifference:
    """An answer that passes in one reading of its task and fails in another.

    Attributes:
        task: id of the task.
        passes: readings in which the answer passes.
        fails: readings in which it fails.
        plan: the answer.
        refused: violations in the first reading in which it fails.
    """

    task: str
    passes: tuple[str, ...]
    fails: tuple[str, ...]
    plan: Any = field(repr=False)
    refused: tuple[Finding, ...] = field(repr=False)

    def __str__(self) -> str:
        """Return the line that `planspec score` prints."""
        why = ", ".join(finding.constraint for finding in self.refused)
        return f"{self.task}: passes in {', '.join(self.passes)}; fails in {', '.join(self.fails)}: {why}"


@dataclass(frozen=True, slots=True)
class ReadingScores(Generic[AnyScores]):
    """The scores of the same answers in several readings of a suite.

    Attributes:
        readings: scores by the name of the reading, in order.
        differences: answers that pass in some of these readings and fail in others.
    """

    readings: Mapping[str, AnyScores] = field(repr=False)
    differences: tuple[AnswerDifference, ...] = field(default=(), repr=False)

    @property
    def passed(self) -> bool:
        """Whether every task has an answer, and every line is an answer that passes, in each reading of the suite."""
        return all(scores.passed for scores in self.readings.values())

    def __str__(self) -> str:
        """Return the text that `planspec score` prints."""
        return "\n".join(_lines(self))


def _lines(scores: ReadingScores[AnyScores]) -> Iterator[str]:
    from planspec.scores.answers import Scores

    yield from reading_lines({name: one.metrics for name, one in scores.readings.items()})
    for name, one in scores.readings.items():
        if isinstance(one, Scores):
            head, *rest = failure_lines(one.verdicts, one.unread)
            yield f"{name}: {head}"
            yield from rest
            yield from group_lines(one.metrics)
    if scores.differences:
        yield f"the readings disagree on {len(scores.differences)} answer{'s' * (len(scores.differences) != 1)}"
        yield from (f"  {difference}" for difference in scores.differences)


def requested_readings(
    suite: str, names: Sequence[str] | None, given: Mapping[str, str], catalog: Catalog | None = None
) -> tuple[str, ...]:
    """Return the names of the requested readings of a suite; empty if answers are judged by the tasks as written.

    Args:
        suite: path, folder or id of the suite.
        names: names of readings, or `all`; None also stands for all.
        given: values of givens from the command line, by name.
        catalog: catalog that finds the suite.

    Raises:
        NotFoundError: there is no such suite or reading.
        UnsuitableAnswersError: the suite's answers are traces, which are scored by the tasks as written.
        ValueError: a value in `given` would be replaced by a requested reading.
    """
    opened = (catalog or Catalog()).suite(suite)
    if trace_metrics(opened.protocol or opened.family) is not None and opened.readings:
        if names:
            raise UnsuitableAnswersError(f"the traces of `{opened.id}` are scored by the tasks as written")
        return ()
    return tuple(reading.name for reading in chosen_readings(tuple(opened.readings.values()), names, given))


def answer_differences(scores: Mapping[str, Scores], answers: AnswersLike) -> Iterator[AnswerDifference]:
    """Yield the answers that pass in one of several readings and fail in another.

    Args:
        scores: scores by reading.
        answers: the same answers, which are read again.
    """
    plans = _plans_by_task(answers)
    verdicts = {name: {verdict.task: verdict for verdict in one.verdicts} for name, one in scores.items()}
    for task in next(iter(verdicts.values())):
        by_reading = {name: own[task] for name, own in verdicts.items()}
        passes = tuple(name for name, verdict in by_reading.items() if verdict.status == "pass")
        fails = tuple(name for name in by_reading if name not in passes)
        if passes and fails:
            violated = (each for each in by_reading[fails[0]].findings if each.status == "violated")
            refused = tuple(each for each in violated if each.level != "soft")
            yield AnswerDifference(task, passes, fails, plans.get(task, plans.get(None)), refused)


def _plans_by_task(answers: AnswersLike) -> dict[str | None, Any]:
    """Return the plan of each answer, by task. The key None is used for a line whose task is unknown."""
    from planspec.scores.answers import task_of_record

    plans: dict[str | None, Any] = {}
    for _, line in envelope_lines(answers):
        read = read_answer(line, lists=True)
        if isinstance(read, Answer):
            plans[read.task or task_of_record(read)] = plain_json(read.plan)
    return plans
