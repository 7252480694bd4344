"""Selection of a suite's readings, and plans on which two readings of a task differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from planspec.api.catalog import TaskReference
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.model.reading import ALL_READINGS, Reading
from planspec.errors import NotFoundError
from planspec.verifiers.answers.format import plain_json
from planspec.verifiers.meaning.verdict import Finding

if TYPE_CHECKING:
    from planspec.api.judging import Judge
    from planspec.api.outputs.claims import ReadingDifferenceOutput, ValidateOutput
    from planspec.solvers.backends.outcome import Limits


def select_readings(
    tasks: Iterable[TaskReference], names: Sequence[str] | None, given: Mapping[str, str]
) -> list[TaskReference]:
    """Return tasks restricted to the requested readings of their suites.

    Args:
        tasks: tasks with all readings of their suites.
        names: names of readings, or `all`; None or empty also stands for all.
        given: values of givens from the command line, by name.

    Raises:
        NotFoundError: a suite has no such reading, or a task was not found through a suite.
        ValueError: a value of `given` would be replaced by a requested reading.
    """
    return [replace(task, readings=chosen_readings(task.readings, names, given)) for task in tasks]


def chosen_readings(
    readings: Sequence[Reading], names: Sequence[str] | None, given: Mapping[str, str]
) -> tuple[Reading, ...]:
    """Return the requested readings of a suite, in the order of the suite; see `select_readings`."""
    own = [reading.name for reading in readings]
    for name in names or ():
        if not own:
            raise NotFoundError(f"there is no reading `{name}`: no suite with `readings` was named")
        if name not in (*own, ALL_READINGS):
            hint = did_you_mean(name, own) or f"it has {', '.join(f'`{each}`' for each in own)}"
            raise NotFoundError(f"the suite has no reading `{name}`; {hint}")
    everything = not names or ALL_READINGS in names
    chosen = tuple(reading for reading in readings if everything or reading.name in (names or ()))
    for reading in chosen:
        for name in given:
            if name in reading.given:
                raise ValueError(f"the reading `{reading.name}` sets `{name}`, for which another value is given")
    return chosen


@dataclass(frozen=True, slots=True)
class ReadingDifference:
    """Result of comparing two readings of a task: a plan that passes in only one of them, if one was found.

    Attributes:
        first: name of one reading.
        second: name of the other.
        passes: reading in which the plan passes; None without such a plan.
        plan: the plan as an answer; None without one.
        refused: violations of the plan in the other reading.
        same: whether both are proved to accept the same plans in scope; None if undecided.
    """

    first: str
    second: str
    passes: str | None = None
    plan: Any = None
    refused: tuple[Finding, ...] = field(default=(), repr=False)
    same: bool | None = None

    @property
    def fails(self) -> str | None:
        """Reading in which the plan fails; None without such a plan."""
        return None if self.passes is None else self.second if self.passes == self.first else self.first


def tell_apart(
    first: Judge,
    second: Judge,
    answers: Iterable[Any] = (),
    *,
    backends: Sequence[str] | None = None,
    limits: Limits | None = None,
) -> ReadingDifference:
    """Find a plan that passes, by the verifier, in only one of two readings of a task.

    Args:
        first: judge of the task in one reading.
        second: judge of the task in the other reading.
        answers: answers to try before a search.
        backends: back ends of the search; None for all provers.
        limits: limits of the search.
    """
    names = (first.task.reading or "", second.task.reading or "")
    judges = dict(zip(names, (first, second), strict=True))
    for answer in answers:
        difference = difference_on(answer, judges)
        if difference is not None:
            return difference
    from planspec.api.comparison import Comparer, ComparisonRequest
    from planspec.api.comparison_report import TaskPair
    from planspec.solvers.backends.outcome import Limits as SearchLimits
    from planspec.solvers.backends.register import PROVERS

    pair = TaskPair(first.task.id, first.task, second.task)
    compared = Comparer()(ComparisonRequest(pair, tuple(backends or PROVERS), limits or SearchLimits()))
    if compared.accepted_by is None:
        return ReadingDifference(*names, same=True if compared.same else None)
    plan = compared.rows if compared.answer is None else compared.answer
    return ReadingDifference(*names, names[compared.accepted_by == "second"], plan, compared.refused, False)


def difference_on(answer: Any, judges: Mapping[str, Judge]) -> ReadingDifference | None:
    """Return the difference between two readings on an answer; None if it passes or fails in both.

    Args:
        answer: the answer as JSON.
        judges: judges of the task, by reading.
    """
    from planspec.api.comparison import violated_findings

    verdicts = {name: judge.answer(answer, details="violated") for name, judge in judges.items()}
    passing = [name for name, verdict in verdicts.items() if verdict.status == "pass"]
    if len(passing) != 1:
        return None
    refused = next(verdict for name, verdict in verdicts.items() if name != passing[0])
    first, second = judges
    return ReadingDifference(first, second, passing[0], plain_json(answer), violated_findings(refused), False)


def differences_by_reading(
    rows: Sequence[tuple[Judge, ValidateOutput]], *, backends: Sequence[str], limits: Limits
) -> list[ValidateOutput]:
    """Return the outputs of one task in several readings, extended by plans on which the readings differ.

    Two readings have the same result if their claims are equal and, if each has only one plan, these plans are equal.
    A reading with a new result is compared with one earlier reading of each other result. Undecided readings are
    left out.

    Args:
        rows: judge and output of each reading, in order.
        backends: back ends that search for such a plan if the outputs contain none.
        limits: limits of each search.
    """
    outputs: list[ValidateOutput] = []
    before: list[tuple[Judge, ValidateOutput]] = []
    for judge, output in rows:
        if "unknown" in (output.feasible.status, output.unique.status):
            outputs.append(output)
            continue
        others = [] if any(_have_same_result(output, *each) for each in before) else list(before)
        if len(others) == len(before):
            before.append((judge, output))
        differences = [
            difference_output(tell_apart(other, judge, _plans(earlier, output), backends=backends, limits=limits))
            for other, earlier in others
        ]
        outputs.append(output.model_copy(update={"differences": differences}))
    return outputs


def _have_same_result(output: ValidateOutput, other: Judge, earlier: ValidateOutput) -> bool:
    """Return whether two readings have the same claims and, if both plans are unique, the same plan."""
    claims = [(one.feasible.status, one.unique.status) for one in (output, earlier)]
    if claims[0] != claims[1]:
        return False
    if output.unique.status != "unique" or output.witness is None:
        return True
    return other.answer(output.witness, details="none").status == "pass"


def _plans(*outputs: ValidateOutput) -> Iterator[Any]:
    for output in outputs:
        yield from (plan for plan in (output.witness, output.unique.second) if plan is not None)


def difference_output(difference: ReadingDifference) -> ReadingDifferenceOutput:
    """Return the difference between two readings as JSON output, for the output of the second."""
    from planspec.api.outputs.claims import ReadingDifferenceOutput

    return ReadingDifferenceOutput(
        reading=difference.first,
        passes=difference.passes,
        fails=difference.fails,
        plan=difference.plan,
        refused=list(difference.refused),
        same=difference.same,
    )
