"""Text of judged cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from planspec.verifiers.meaning.margin import margin_text
from planspec.verifiers.meaning.verdict import shown_file_name

if TYPE_CHECKING:  # `testing` imports this module
    from planspec.api.cases.coverage import ConstraintCoverage
    from planspec.api.cases.expectations import CaseDifference
    from planspec.api.cases.suggestions import MutantSuggestion
    from planspec.api.cases.testing import CaseReport, CaseResult
    from planspec.text import LineFormatter
    from planspec.verifiers.meaning.verdict import SourcePlace

NOTHING = "nothing to count"
MARKS = {True: ("+", "green"), False: ("x", "red"), None: ("?", "yellow")}


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
    """Yield lines on constraints that no case violates or satisfies, and on mutants that no case detects."""
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
    """Describe the result of the search for a case that detects a mutant."""
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
    """Return a remark on tasks with errors, which are left out of the numbers; empty without such tasks."""
    return f"; {_count_phrase(report.unjudged, 'task')} with errors left out" if report.unjudged else ""


def _gap_text(constraint: ConstraintCoverage) -> str:
    """Say that no case violates a constraint, or that no case satisfies it."""
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
