"""Results of judged cases, with their text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from planspec.text import PlainFormatter
from planspec.verifiers.meaning.margin import margin_text
from planspec.verifiers.meaning.verdict import shown_file_name

if TYPE_CHECKING:
    from planspec.api.cases.coverage import ConstraintCoverage
    from planspec.api.cases.expectations import CaseDifference
    from planspec.api.cases.mutation import MutantResult
    from planspec.api.cases.suggestions import MutantSuggestion, Suggestions
    from planspec.text import LineFormatter
    from planspec.verifiers.meaning.verdict import SourcePlace

NOTHING = "nothing to count"
MARKS = {True: ("+", "green"), False: ("x", "red"), None: ("?", "yellow")}


VerdictStatus: TypeAlias = Literal["pass", "fail", "undelivered"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """Result of a case.

    Attributes:
        task: id of the task, with the turn if the task has turns.
        name: name of the case.
        source: place of the case in the source.
        status: status of the verdict on its answer.
        differences: differences between the expected and the actual verdict.
    """

    task: str
    name: str
    source: SourcePlace
    status: VerdictStatus
    differences: tuple[CaseDifference, ...]

    @property
    def as_expected(self) -> bool | None:
        """Whether the verdict is as expected; None if judging takes too long."""
        if any(difference.aspect == "time" for difference in self.differences):
            return None
        return not self.differences

    def __repr__(self) -> str:
        word = {True: "as expected", False: "differs", None: "unknown"}[self.as_expected]
        return f"<CaseResult {self.name} of {self.task}: {word}>"

    def __str__(self) -> str:
        """Return the text that `planspec test` prints."""
        return "\n".join(case_lines(self, PlainFormatter()))


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskTest:
    """Results of the cases of a task, over all its turns.

    Attributes:
        task: id of the task.
        cases: results in the order of the source, turn by turn.
        coverage: coverage of each constraint; empty unless requested.
        mutants: mutants of each constraint; empty unless requested.
    """

    task: str
    cases: tuple[CaseResult, ...]
    coverage: tuple[ConstraintCoverage, ...] = ()
    mutants: tuple[MutantResult, ...] = ()

    def __repr__(self) -> str:
        return f"<TaskTest of {self.task}: {len(self.cases)} cases>"


@dataclass(frozen=True, slots=True)
class CaseReport:
    """Results of the cases of several tasks.

    Attributes:
        tasks: results of the tasks with cases, in order.
        without: number of tasks without cases.
        unjudged: number of tasks that were not judged because they have errors.
        coverage: coverage of each constraint over all tasks; None if not requested. Constraints at the same place in
            the source count as one.
        mutants: mutants of all tasks; None if not requested. A mutant counts as detected if a case of any task detects
            it.
        suggestions: suggested cases for the mutants that no case detects; None if not requested.
    """

    tasks: tuple[TaskTest, ...]
    without: int = 0
    coverage: tuple[ConstraintCoverage, ...] | None = None
    mutants: tuple[MutantResult, ...] | None = None
    unjudged: int = 0
    suggestions: Suggestions | None = None

    @property
    def cases(self) -> tuple[CaseResult, ...]:
        """All cases in order."""
        return tuple(case for task in self.tasks for case in task.cases)

    @property
    def as_expected(self) -> bool | None:
        """Whether all verdicts are as expected; None if some are undecided and all others are as expected."""
        results = {case.as_expected for case in self.cases}
        return False if False in results else None if None in results else True

    def __repr__(self) -> str:
        return f"<CaseReport: {summary(self)}>"

    def __str__(self) -> str:
        """Return the text that `planspec test` prints."""
        cases = (str(case) for case in self.cases)
        return "\n".join((*cases, *gap_lines(self), *suggestion_lines(self), summary(self)))


def case_lines(case: CaseResult, paper: LineFormatter) -> Iterator[str]:
    """Yield the lines that `planspec test` prints for a case: its place, and the differences."""
    mark, color = MARKS[case.as_expected]
    head = f"{paper.style(mark, fg=color, bold=True)} {case.task}: {case.name}"
    yield paper.line(head, "", place_text(case.source)) if case.differences else head
    for difference in case.differences:
        yield paper.line("   ", difference_text(difference), _constraint_place(difference))


def difference_text(difference: CaseDifference) -> str:
    """Return a line such as `slot[tv_tower]: expected violated, found satisfied (+30min)`."""
    name = {"delivery": "", "time": ""}.get(difference.aspect, f"{difference.aspect} {difference.name}: ")
    return f"{name}expected {difference.expected}, found {difference.found}{_details(difference)}"


def _details(difference: CaseDifference) -> str:
    """Return the margin and the message of the difference's finding."""
    finding = difference.finding
    if finding is None or difference.aspect == "margin":
        return ""
    margin = "" if finding.margin is None else f" ({margin_text(finding.margin, finding.unit)})"
    message = f": {finding.message}" if finding.message and finding.status != "satisfied" else ""
    return margin + message


def gap_lines(report: CaseReport) -> Iterator[str]:
    """Yield lines about gaps: constraints that no case violates or no case satisfies, and undetected mutants."""
    if report.coverage is not None:
        never = [c for c in report.coverage if not c.violated or not c.satisfied]
        counted = f"{len(report.coverage) - len(never)} of {len(report.coverage)} constraints are violated in one case and satisfied in another"
        yield f"coverage: {counted if report.coverage else NOTHING}{_left_out_remark(report)}"
        width = max((len(c.constraint) for c in never), default=0)
        for each in never:
            yield f"  {each.constraint:<{width}}  {_gap_text(each)}  {place_text(each.source)}"
    if report.mutants is not None:
        missed = [mutant for mutant in report.mutants if mutant.noticed is not True]
        counted = f"{len(report.mutants) - len(missed)} of {len(report.mutants)} are noticed"
        yield f"mutants: {counted if report.mutants else NOTHING}{_left_out_remark(report)}"
        width = max((len(m.constraint) for m in missed), default=0)
        searched = () if report.suggestions is None else report.suggestions.mutants
        results = {(m.constraint, m.change, m.source): m for m in searched}
        for mutant in missed:
            what = "not noticed" if mutant.noticed is False else "not decided in time"
            found = results.get(mutant.key)
            yield f"  {mutant.constraint:<{width}}  {what}: {_shorten(mutant.change)}  {place_text(mutant.source)}"
            if found is not None:
                yield f"  {'':<{width}}  {_search_text(found)}"


def _search_text(result: MutantSuggestion) -> str:
    """Return a text on the result of the search for a case that detects a mutant."""
    match result.status:
        case "suggested":
            return f"  the case `{result.case}` below would notice it"
        case "equal":
            scope = "the scope" if result.scopes == 1 else "each scope"
            return f"  equal within {scope}, proved by {' and '.join(result.by)}"
        case _:
            return f"  unknown: {result.reason}"


def suggestion_lines(report: CaseReport) -> Iterator[str]:
    """Yield the suggested cases, file by file, and the command that adds them."""
    cases = () if report.suggestions is None else report.suggestions.cases
    for file in dict.fromkeys(case.file for case in cases):
        own = [case for case in cases if case.file == file]
        yield from ("", f"{_count_phrase(len(own), 'suggested case')} for {shown_file_name(file)}:")
        for case in own:
            yield from ("", *case.text.splitlines())
    if cases:
        yield ""
        yield "paste them under `cases:`; if a verdict is not what you mean, correct the constraint"


def _left_out_remark(report: CaseReport) -> str:
    """Return a remark on tasks with errors, which the numbers leave out; empty if there are none."""
    return f"; {_count_phrase(report.unjudged, 'task')} with errors left out" if report.unjudged else ""


def _gap_text(constraint: ConstraintCoverage) -> str:
    """Return the text that no case violates a constraint, or that no case satisfies it."""
    if not constraint.violated and not constraint.satisfied:
        return "neither violated nor satisfied"
    return "never violated" if not constraint.violated else "never satisfied"


def summary(report: CaseReport) -> str:
    """Return a summary such as `12 cases of 5 tasks: 11 as expected, 1 differs`."""
    cases = report.cases
    broken = f"; {_count_phrase(report.unjudged, 'task')} with errors" if report.unjudged else ""
    if not cases:
        none = "the task has no cases" if report.without == 1 and not broken else "no task has cases"
        return f"no case was judged{broken}" if broken else none
    counts = Counter(case.as_expected for case in cases)
    outcomes = [f"{counts[True]} as expected"]
    outcomes += [f"{counts[False]} {'differs' if counts[False] == 1 else 'differ'}"] * bool(counts[False])
    outcomes += [f"{counts[None]} not decided in time"] * bool(counts[None])
    others = f"; {_count_phrase(report.without, 'task')} without" if report.without else ""
    of = f"{_count_phrase(len(cases), 'case')} of {_count_phrase(len(report.tasks), 'task')}"
    return f"{of}: {', '.join(outcomes)}{others}{broken}"


def place_text(source: SourcePlace) -> str:
    """Return a place such as `trip.task.yaml:12`."""
    return f"{shown_file_name(source.file)}:{source.line}"


def failure_lines(differences: Iterable[CaseDifference]) -> Iterator[str]:
    """Yield a line for each difference."""
    for difference in differences:
        yield "  ".join(filter(None, (difference_text(difference), _constraint_place(difference))))


def _constraint_place(difference: CaseDifference) -> str:
    """Return the place of the constraint in the source; empty for a finding on the plan's shape."""
    finding = difference.finding
    return "" if finding is None or finding.source is None else place_text(finding.source)


def _count_phrase(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _shorten(text: str, max_length: int = 90) -> str:
    return text if len(text) <= max_length else f"{text[: max_length - 4]} ...`"
