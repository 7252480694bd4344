"""A condition that may depend on *none* (a missing value) is reported if and only if this could hide a violation."""

from __future__ import annotations

import pytest

from planspec.dsl.diagnostics.diagnostic import Report, Severity
from planspec.dsl.documents.documents import check_document
from planspec.dsl.structure.document import document
from planspec.dsl.workspace.workspace import Workspace
from planspec.dsl.yaml.source_files import source_from_text

HEAD = """\
types: {Mode: foot | bus}
tables: {Hotel: {cheap: bool, stars: int?, city: text}}
plan:
  days: {day: key date, hotel: Hotel?, mode: Mode?, cost: money?, open: bool, start: time}
"""
DEFINE = """\
define:
  sleeps(d days): d.hotel is not none
  rides(d days): d.mode == bus
  walks(m Mode): m == foot
  known(m Mode?): m is not none and m == foot
  moved(d days): d.hotel is not none and d.hotel.stars != 3 or d.hotel is not none and d.hotel.stars is none
  price(d days): d.cost + d.cost
  fine(m Mode?): m == foot
  later(x time?): x + 1h > 12:00
  fourth(h Hotel): h.stars > 4
  good(d days): sleeps(d) and d.hotel.cheap
"""


def conditions_with_none(rule: str, kind: str = "library") -> list[tuple[str, str]]:
    """Return each warning as a pair: the condition, and the part of the condition that may be *none*."""
    text = f"planspec: library/1\nid: x\n{HEAD}{DEFINE}constraints:\n  a:\n    hard: >-\n      {rule}\n"
    report = Report()
    library = document(source_from_text(text, "lib.yaml"), None, report)
    assert library is not None
    check_document(library, Workspace(), report)
    assert {d.code for d in report.diagnostics} <= {"PS309"}, report.diagnostics
    return [(d.span.text, d.primary.text.partition(" may be none")[0].strip("`")) for d in report.ordered()]


UNGUARDED = """\
all(not d.mode == bus for d in days)                                     | d.mode == bus | d.mode
all(not d.mode != bus for d in days)                                     | d.mode != bus | d.mode
all(not d.mode in {bus} for d in days)                                   | d.mode in {bus} | d.mode
all(d.mode == bus implies d.open for d in days)                          | d.mode == bus | d.mode
all(d.open for d in days if d.mode == bus)                               | d.mode == bus | d.mode
count(d for d in days if d.mode == bus) <= 3                             | d.mode == bus | d.mode
not any(d.mode == bus for d in days)                                     | d.mode == bus | d.mode
not any(d.open for d in days if d.mode == bus)                           | d.mode == bus | d.mode
all(not d.hotel.cheap for d in days)                                     | d.hotel.cheap | d.hotel
all(not d.hotel.stars > 3 for d in days if d.hotel is not none)          | d.hotel.stars > 3 | d.hotel.stars
all(not contains(d.hotel.city, "x") for d in days)                       | contains(d.hotel.city, "x") | d.hotel
not all_different(d.hotel for d in days)                                 | all_different(d.hotel for d in days) | d.hotel
not min(d.start for d in days) > 09:00                                   | min(d.start for d in days) > 09:00 | min(d.start for d in days)
not days[2026-07-01].start > 09:00                                       | days[2026-07-01].start > 09:00 | days[2026-07-01]
all(not (d.open and d.mode == bus) for d in days)                        | d.mode == bus | d.mode
all(not (d.mode == bus and d.mode is not none) for d in days)            | d.mode == bus | d.mode
all(not (d.mode == bus or d.mode is not none) for d in days)             | d.mode == bus | d.mode
all(not (d.mode == bus if d.open else true) for d in days)               | d.mode == bus | d.mode
all(not price(d) > 3 EUR for d in days)                                  | price(d) > 3 EUR | price(d)
all(not rides(d) for d in days)                                          | rides(d) | d.mode
all(not walks(d.mode) for d in days)                                     | walks(d.mode) | d.mode
all(not fine(d.mode) for d in days)                                      | fine(d.mode) | m
all(not fourth(d.hotel) for d in days if d.hotel is not none)            | fourth(d.hotel) | h.stars
all(sleeps(d) implies not d.mode == bus for d in days)                   | d.mode == bus | d.mode
all(not sleeps(d) implies not d.hotel.cheap for d in days)               | d.hotel.cheap | d.hotel
"""


@pytest.mark.parametrize("line", UNGUARDED.splitlines())
def test_a_condition_without_a_guard_is_reported(line: str) -> None:
    rule, atom, cause = (part.strip() for part in line.split(" | "))
    assert conditions_with_none(rule) == [(atom, cause)]


GUARDED = """\
all((d.cost if d.open else none) is not none and not (d.cost if d.open else none) > 3 EUR for d in days)
all(d.mode == bus for d in days)
any(d.open for d in days if d.mode == bus)
sum(1 for d in days if d.mode == bus) <= 3
all(not d.open for d in days)
all(not d.start > 09:00 for d in days)
all(not (d.mode ?? foot) == bus for d in days)
all(d.mode is not none and not d.mode == bus for d in days)
all(d.mode is none or not d.mode == bus for d in days)
all(d.mode is not none implies not d.mode == bus for d in days)
all(not d.mode == bus for d in days if d.mode is not none)
all(not (d.mode is not none and d.mode == bus) for d in days)
all(not d.mode == bus if d.mode is not none else true for d in days)
all(not (d.mode == bus or d.mode is none) for d in days)
all(d.open for d in days if d.mode is not none and d.mode == bus)
all(d.hotel is not none implies (d.hotel.cheap implies d.open) for d in days)
all(d.hotel.stars is not none implies not d.hotel.cheap for d in days)
all(sleeps(d) implies not d.hotel.cheap for d in days)
all(not d.hotel.cheap for d in days if sleeps(d))
all(d.open for d in days if good(d))
all(good(d) implies not d.hotel.cheap for d in days)
all(not good(d) for d in days)
all(d.open for d in days if moved(d))
all(not known(d.mode) for d in days)
all(not fine(d.mode) for d in days if d.mode is not none)
all(not fine(foot) for d in days)
all(not later(d.start) for d in days)
not fourth(Hotel.adlon)
all(not fourth(d.hotel) for d in days if d.hotel.stars is not none)
all(d.cost is not none implies not price(d) > 3 EUR for d in days)
all(price(d) > 3 EUR implies not price(d) > 9 EUR for d in days if d.cost is not none)
all(d.mode == bus and (d.mode == bus implies d.open) for d in days)
all(d.mode in {foot} implies d.mode != bus for d in days if d.mode is not none)
not count(d for d in days if d.open) > 3
not all_different(d.start for d in days)
all((d.mode == bus) == d.open for d in days)
"""


@pytest.mark.parametrize("rule", GUARDED.splitlines())
def test_a_condition_with_a_guard_or_a_default_or_in_a_positive_position_is_not_reported(rule: str) -> None:
    assert conditions_with_none(rule) == []


def test_a_missing_guard_is_an_error_in_a_library_and_a_warning_in_a_task() -> None:
    rule = "constraints:\n  a: {hard: all(not d.mode == bus for d in days)}\n"
    plan = "types: {Mode: foot | bus}\nplan: {days: {mode: Mode?}}\n"
    own = "query: q\nscope: {days: {mode: Mode?}}\n"
    for kind, more, severity in (("library", "", Severity.ERROR), ("task", own, Severity.WARNING)):
        report = Report()
        text = f"planspec: {kind}/1\nid: x\n{more}{plan}{rule}"
        opened = document(source_from_text(text, "x"), None, report)
        assert opened is not None
        check_document(opened, Workspace(), report)
        assert [(d.code, d.severity) for d in report.diagnostics] == [("PS309", severity)]
