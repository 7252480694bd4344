"""JUnit XML for judged cases, as read by code hosts and CI servers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from planspec.api.cases.report import failure_lines
from planspec.dsl.diagnostics.excerpts import visible

if TYPE_CHECKING:
    from planspec.api.cases.report import CaseReport, CaseResult


def junit_report(report: CaseReport, failed: Iterable[str] = ()) -> str:
    """Return JUnit XML with a test case for each case. It fails if the verdict is not as expected.

    Args:
        report: report on the judged cases.
        failed: names of tasks with errors, whose cases were not judged.
    """
    cases, errors = report.cases, tuple(failed)
    counts = {
        "tests": str(len(cases) + len(errors)),
        "failures": str(sum(case.as_expected is False for case in cases)),
        "errors": str(len(errors) + sum(case.as_expected is None for case in cases)),
    }
    root = ET.Element("testsuites", counts)
    suite = ET.SubElement(root, "testsuite", {"name": "planspec test", **counts})
    for case in cases:
        _add_test_case(suite, case)
    for name in errors:
        element = ET.SubElement(suite, "testcase", {"classname": "planspec", "name": visible(name)})
        ET.SubElement(element, "error", {"type": "task", "message": "the task has errors"})
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _add_test_case(suite: ET.Element, case: CaseResult) -> None:
    place = {"file": visible(case.source.file), "line": str(case.source.line)}
    head = {"classname": visible(case.task), "name": visible(case.name), **place}
    element = ET.SubElement(suite, "testcase", head)
    if case.differences:
        kind = "failure" if case.as_expected is False else "error"
        lines = [visible(line) for line in failure_lines(case.differences)]
        ET.SubElement(element, kind, {"type": "case", "message": lines[0]}).text = "\n".join(lines)
