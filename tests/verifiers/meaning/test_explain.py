"""Findings have messages, expressions that are *none*, margins, and the rows that cause them. Verdicts combine
findings.
"""

from __future__ import annotations

from dataclasses import replace
from textwrap import indent
from typing import Any

import pytest
from pydantic import TypeAdapter

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.verifiers.meaning.explain import explain
from planspec.verifiers.meaning.ground import Ground, ground
from planspec.verifiers.meaning.judge import judge
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.plan_shape import maximum_matching
from planspec.verifiers.meaning.verdict import Finding, Tally, Verdict
from tests.verifiers.small_tasks import plan_of, small_task, visit


def rule(text: str) -> str:
    """Return the section `constraints` with one constraint `c`."""
    return f"constraints:\n  c:\n{indent(text, '    ')}\n"


def findings_of(constraint: str, extra: str = "", **tables: Any) -> list[Finding]:
    """Return the findings of a constraint on a plan. The interpreter determines each status."""
    task = small_task(rule(constraint) + extra)
    task_ground = ground(task)
    plan = plan_of(task, **tables)
    interpreter = task_ground.interpreter.on(plan)
    return [
        explain(task_ground, i, plan, i.applicable and interpreter.holds(i.constraint.body, i.env))
        for i in task_ground.instances
    ]


def only_finding(constraint: str, extra: str = "", **tables: Any) -> Finding:
    """Return the only finding of a constraint on a plan."""
    (finding,) = findings_of(constraint, extra, **tables)
    return finding


def finding_of_hard(expression: str, **tables: Any) -> Finding:
    """Return the finding of a hard constraint with this expression."""
    return only_finding(f"hard: >-\n  {expression}", **tables)


TWO = [visit("museum", "09:30", "11:00", cost=1250), visit("park", "10:30", "12:00", cost=0)]

# -- message --------------------------------------------------------------------------------------


def test_the_default_message_is_the_rule_with_its_values() -> None:
    finding = finding_of_hard("visits[museum].start >= 10:00", visits=TWO)
    assert finding.message == "visits[museum].start >= 10:00 does not hold: 09:30 against 10:00"
    assert finding_of_hard("visits[park].start >= 10:00", visits=TWO).message == "visits[park].start >= 10:00 holds"


def test_the_default_message_names_the_failing_comparison_and_its_values() -> None:
    finding = finding_of_hard("all(09:00 <= v.start <= 10:00 for v in visits)", visits=TWO)
    assert finding.message.endswith(" does not hold: 10:30 against 10:00 where v = park")
    finding = finding_of_hard("all(v.start in 09:00..10:00 for v in visits)", visits=TWO)
    assert finding.message.endswith(" does not hold: 10:30 is not in 09:00..10:00 where v = park")
    finding = finding_of_hard("visits[park].place.id not in via", visits=TWO)
    assert finding.message.endswith(" does not hold: park is in {tower, museum, park}")
    finding = finding_of_hard("not visits[park].start in 09:00..11:00", visits=TWO)
    assert finding.message.endswith(" does not hold: 10:30 is in 09:00..11:00")
    finding = finding_of_hard("visits[tower].start >= 10:00", visits=TWO)
    assert finding.message.endswith(" does not hold: visits[tower] is none")


def test_placeholders_use_the_first_case_of_an_all_different_that_repeats_or_is_none() -> None:
    text = 'hard: all_different(v.cost for v in visits)\nmessage: "{v.place.id} costs {v.cost} again"'
    rows = [*TWO, visit("tower", "12:30", "13:00", cost=1250)]
    assert only_finding(text, visits=rows).message == "tower costs 12.50 EUR again"
    assert only_finding(text, visits=[TWO[0], visit("tower", "12:30", "13:00")]).message == "tower costs none again"
    plain = "all_different({v.mode, v.mode} for v in visits)"
    message = finding_of_hard(
        plain, visits=[visit(p, "09:00", "10:00", mode="bus") for p in ("museum", "park")]
    ).message
    assert message == f"{plain} does not hold where v = park"


def test_placeholders_use_the_for_variables_and_the_first_failing_case_of_the_outermost_all() -> None:
    text = """\
for: p in Place if p.stars is not none
hard: all(v.start >= p.from + 1h for v in visits if v.place == p)
message: "{p} ({p.stars}): {v.start} on {v.day} is too early, {p.price} {{sic}}"
"""
    museum, tower = findings_of(text, visits=TWO)
    assert museum.message == "Old Museum (5): 09:30 on none is too early, 12.50 EUR {sic}"
    assert (
        tower.message == "all(v.start >= p.from + 1h for v in visits if v.place == p) holds"
    )  # the message of `rule` describes failing visits only


@pytest.mark.parametrize(
    "expression",
    ["all(v.start >= 09:00 for v in visits)", "visits[museum].start == 09:30", "soon(visits[museum])"],
)
def test_a_satisfied_rule_is_described_by_its_text_and_not_by_its_message(expression: str) -> None:
    define = 'define:\n  soon(v visits):\n    is: v.start <= 10:00\n    message: "{v.place} is late"\n'
    text = f'hard: {expression}\nmessage: "too early"'
    assert only_finding(text, define, visits=TWO).message == f"{expression} holds"
    assert only_finding(f"hard: {expression}", define, visits=TWO).message == f"{expression} holds"


def test_equal_values_that_should_differ_are_named_once() -> None:
    finding = finding_of_hard("visits[museum].start != 09:30", visits=TWO)
    assert finding.message.endswith(" does not hold: both are 09:30")
    finding = finding_of_hard("not visits[museum].start != visits[park].start", visits=TWO)
    assert finding.message.endswith(" does not hold: 09:30 against 10:30")


def test_a_call_of_a_predicate_inherits_message_and_kind() -> None:
    define = """\
define:
  not_before(p Place, t time):
    is: all(v.start >= t for v in visits if v.place == p)
    kind: opening
    message: "{p} opens at {t}, not at {v.start}"
  early(p Place): not_before(p, p.from + 2h)
"""
    finding = only_finding("hard: not_before(Place.museum, 10:00)", define, visits=TWO)
    assert (finding.kind, finding.message) == ("opening", "Old Museum opens at 10:00, not at 09:30")
    finding = only_finding("hard: early(Place.museum)", define, visits=TWO)
    assert finding.message == "Old Museum opens at 11:00, not at 09:30"
    finding = only_finding('hard: not_before(Place.museum, 10:00)\nkind: own\nmessage: "no"', define, visits=TWO)
    assert (finding.kind, finding.message) == ("own", "no")


def test_a_placeholder_for_an_unknown_name_shows_the_name_in_the_answer() -> None:
    text = 'hard: all(e.place is not unknown for e in extras)\nmessage: "there is no {e.place}"'
    assert only_finding(text, extras=[{"unknown": {"place": "Museo"}}]).message == 'there is no "Museo"'


def test_the_message_of_a_rule_that_does_not_apply_states_this() -> None:
    finding = only_finding("when: party > 5\nhard: all(v.start >= 10:00 for v in visits)", visits=TWO)
    assert (finding.status, finding.margin, finding.rows) == ("not-applicable", None, ())
    assert finding.message == "does not apply: party > 5 is false"


# -- none -----------------------------------------------------------------------------------------

GAP = [visit("museum", "09:30", "11:00"), visit("park", "10:30", None)]


@pytest.mark.parametrize(
    ("expression", "none"),
    [
        ("visits[tower].start >= 10:00", "visits[tower]"),
        ("visits[park].end - visits[park].start >= 1h", "visits[park].end"),
        ("not visits[park].start < visits[museum].end", None),
        ("visits[park].start < 09:00", None),
        ("all(v.end <= 20:00 for v in visits)", "v.end"),
        ("any(Slot[v.place, v.start].left > 0 for v in visits)", "Slot[Old Museum, 09:30]"),
        ("count(v for v in visits if v.end < 12:00) > 2", None),
        ("sum(v.cost for v in visits) <= 10 EUR", "v.cost"),
        ("(visits[park].end ?? visits[tower].end) < 10:00", "visits[tower]"),
        ("(visits[park].end ?? 12:00) < 10:00", None),
        ("max(e.cost for e in extras) <= 10 EUR", "max(e.cost for e in extras)"),
        ("lodging.cost <= 10 EUR", "lodging"),
        ("visits[park].mode in {bus, foot}", "visits[park].mode"),
        ("Mode.bus in {taxi, visits[park].mode}", "visits[park].mode"),
        ("09:00 in 08:00..visits[park].end", "visits[park].end"),
        ("all_different(v.end for v in visits)", "v.end"),
        ("visits[tower].fun", "visits[tower]"),
        ("10 // (count(v for v in visits) - 2) > 1", "10 // (count(v for v in visits) - 2)"),
        ("1 < 2 and visits[park].mode == bus and visits[tower].fun", "visits[park].mode"),
        ("visits[park].start > 10:00 implies visits[park].end > 11:00", "visits[park].end"),
        (
            "first(v for v in visits, by=v.start).end > last(v for v in visits, by=v.start).end",
            "last(v for v in visits, by=v.start).end",
        ),
        ("first(e for e in extras, by=e.cost).cost > 1 EUR", "first(e for e in extras, by=e.cost)"),
        ("(visits[park].end if 1 < 2 else 10:00) < 11:00", "visits[park].end"),
        ("min(visits[park].end, 10:00) < 09:00", "visits[park].end"),
        ("the(v.end for v in visits if v.place == park) < 11:00", "v.end"),
        ("the(v.end for v in visits) < 11:00", "the(v.end for v in visits)"),
    ],
)
def test_a_violated_rule_names_the_first_none_expression(expression: str, none: str | None) -> None:
    finding = finding_of_hard(expression, visits=GAP)
    assert finding.none == none
    assert none is None or finding.status == "violated"


def test_none_expressions_inside_definitions_are_found() -> None:
    define = "define:\n  length(v visits): v.end - v.start\n  long(v visits): length(v) >= 1h\n"
    assert only_finding("hard: all(long(v) for v in visits)", define, visits=GAP).none == "v.end"
    assert only_finding("hard: long(visits[tower])", define, visits=GAP).none == "visits[tower]"


def test_the_none_expression_belongs_to_the_row_in_the_message() -> None:
    late = [visit("museum", "09:30", "11:00"), visit("park", None, "12:00")]
    text = 'hard: all(v.start >= 10:00 for v in visits)\nmessage: "{v.place} is early"'
    finding = only_finding(text, visits=late)
    assert (finding.message, finding.none) == ("Old Museum is early", None)
    define = "define:\n  late(v visits): v.start >= 10:00\n"
    assert only_finding("hard: all(late(v) for v in visits)", define, visits=late).none is None
    assert only_finding("hard: all(late(v) for v in visits)", define, visits=late[1:]).none == "v.start"


def test_a_satisfied_rule_reports_no_none_expression() -> None:
    finding = finding_of_hard("not visits[tower].start >= 10:00", visits=GAP)
    assert (finding.status, finding.none) == ("satisfied", None)


# -- margin ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "margin", "unit"),
    [
        ("visits[museum].start >= 10:00", -30, "min"),
        ("visits[museum].start <= 10:00", 30, "min"),
        ("visits[museum].start < 10:00", 29, "min"),
        ("visits[museum].start < 09:30", -1, "min"),
        ("visits[museum].start > 09:30", -1, "min"),
        ("visits[museum].start == 09:30", 0, "min"),
        ("visits[museum].start == 10:00", -30, "min"),
        ("visits[museum].start != 09:30", -1, "min"),
        ("visits[museum].end - visits[museum].start >= 2h", -30, "min"),
        ("09:00 <= visits[museum].start <= 09:40", 10, "min"),
        ("visits[museum].start in 09:00..12:00", 30, "min"),
        ("visits[museum].start in 10:00..12:00", -30, "min"),
        ("visits[museum].start in 06:00..08:00", -90, "min"),
        ("visits[museum].start not in 09:00..12:00", -31, "min"),
        ("visits[museum].start not in 10:00..12:00", 29, "min"),
        ("visits[museum].start in 09:00..12:00 step 1h", None, None),
        ("visits[museum].start in 09:00..12:00 step 30min", 30, "min"),
        ("sum(v.cost for v in visits) <= 10 EUR", -250, "1/100 EUR"),
        ("1.1 * sum(v.cost for v in visits) <= 13.75 EUR", 0, "1/100 EUR"),
        ("1.1 * sum(v.cost for v in visits) < 13.75 EUR", None, None),
        ("0.123 * sum(v.cost for v in visits) <= 2 EUR", "46.25", "1/100 EUR"),
        ("count(v for v in visits) >= 3", -1, "1"),
        ("2026-07-03 <= 2026-07-01 + count(v for v in visits)", 0, "d"),
        ("1km * count(v for v in visits) <= 2500m", 500, "m"),
        ("all(v.start >= 10:00 for v in visits)", -30, "min"),
        ("any(v.start >= 10:00 for v in visits)", 30, "min"),
        ("all(v.start >= 09:00 for v in visits)", 30, "min"),
        ("all(v.start >= 09:00 for v in visits if v.place == tower)", None, None),
        ("any(v.start >= 09:00 for v in visits if v.place == tower)", None, None),
        ("visits[museum].start >= 09:00 and visits[park].start >= 11:00", -30, "min"),
        ("visits[museum].start >= 09:00 or visits[park].start >= 11:00", 30, "min"),
        ("not visits[museum].start >= 10:00", 29, "min"),
        ("visits[museum].start >= 10:00 implies visits[park].start >= 11:00", 29, "min"),
        ("visits[museum].start >= 09:00 implies visits[park].start >= 11:00", -30, "min"),
        ("visits[museum].start >= 09:00 and sum(v.cost for v in visits) <= 10 EUR", None, None),
        ("visits[museum].place == museum", None, None),
        ("visits[museum].place == museum and visits[museum].start >= 10:00", -30, "min"),
        ("visits[museum].place == park and visits[museum].start >= 10:00", None, None),
        ("visits[museum].place == park or visits[museum].start >= 10:00", -30, "min"),
        ("visits[tower].start >= 10:00", None, None),
        ("visits[tower].start >= 10:00 or visits[museum].start >= 10:00", -30, "min"),
        ("visits[museum].start >= 10:00 if 1 < 2 else visits[park].start >= 10:00", -30, "min"),
    ],
)
def test_a_margin_follows_from_the_structure_of_the_expression(
    expression: str, margin: int | str | None, unit: str | None
) -> None:
    finding = finding_of_hard(expression, visits=TWO)
    assert (finding.margin, finding.unit) == (margin, unit)
    if isinstance(margin, int):
        assert (margin >= 0) == (finding.status == "satisfied")


def test_a_margin_follows_calls_of_predicates() -> None:
    define = "define:\n  late(v visits, t time): v.start >= t\n"
    assert only_finding("hard: all(late(v, 10:00) for v in visits)", define, visits=TWO).margin == -30
    assert only_finding("hard: late(visits[tower], 10:00)", define, visits=TWO).margin is None


def test_a_declared_margin_is_the_minimum_over_the_outermost_all() -> None:
    text = "hard: all(v.start >= 10:00 for v in visits)\nmargin: (v.start - 10:00) // 10"
    assert (only_finding(text, visits=TWO).margin, only_finding(text, visits=TWO).unit) == (-3, "min")
    text = "hard: all(v.start >= 10:00 for v in visits)\nmargin: count(w for w in visits) - 3"
    assert (only_finding(text, visits=TWO).margin, only_finding(text, visits=TWO).unit) == (-1, "1")


# -- rows -----------------------------------------------------------------------------------------


def rows_to_blame(expression: str, **tables: Any) -> list[tuple[str, str | None]]:
    """Return table and key of each row that causes the violation of a rule."""
    finding = finding_of_hard(expression, **tables)
    assert finding.status == "violated"
    return [(row.table, row.key) for row in finding.rows]


PLAIN = [{"place": "park", "cost": 700}, {"place": "park", "cost": 500}, {"place": "museum", "cost": 100}]


@pytest.mark.parametrize(
    ("expression", "rows"),
    [
        ("visits[museum].start >= 10:00", [("visits", "museum")]),
        ("all(v.start >= 10:00 for v in visits)", [("visits", "museum")]),
        ("all(v.start >= 11:00 for v in visits)", [("visits", "museum"), ("visits", "park")]),
        (
            "all(a.end <= b.start for a, b in steps(v for v in visits, by=v.start))",
            [("visits", "museum"), ("visits", "park")],
        ),
        ("count(v for v in visits if v.place == park) > 1", [("visits", "park")]),
        ("any(v.start >= 11:00 for v in visits if v.place == park)", [("visits", "park")]),
        ("any(1 < 2 for v in visits if v.place == tower)", []),
        ("sum(e.cost for e in extras if e.place == park) <= 5 EUR", [("extras", "0"), ("extras", "1")]),
        ("first(v for v in visits, by=v.start).start >= 10:00", [("visits", "museum")]),
        ("lodging.cost <= 5 EUR", [("lodging", None)]),
        ("1 < 2 and visits[park].start < 10:00 and visits[museum].start < 09:00", [("visits", "park")]),
        ("visits[museum].start < 10:00 implies visits[park].start < 10:00", [("visits", "park")]),
        (
            "not (visits[museum].start < 10:00 and visits[park].start < 11:00)",
            [("visits", "museum"), ("visits", "park")],
        ),
        ("visits[tower].start >= 10:00", []),
    ],
)
def test_the_rows_to_blame_are_those_that_the_failing_conditions_read(
    expression: str, rows: list[tuple[str, str | None]]
) -> None:
    assert rows_to_blame(expression, visits=TWO, extras=PLAIN, lodging=[{"cost": 900}]) == rows


def test_rows_to_blame_are_found_inside_definitions() -> None:
    task = small_task("define: {total: sum(e.cost for e in extras)}\n" + rule("hard: total <= 5 EUR"))
    task_ground = ground(task)
    plan = plan_of(task, extras=PLAIN)
    task_ground.interpreter.on(plan).defined(task.definitions["total"])  # caches the value
    finding = explain(task_ground, task_ground.instances[0], plan, holds=False)
    assert [row.key for row in finding.rows] == ["0", "1", "2"]


def test_a_finding_has_the_place_of_its_rule() -> None:
    finding = finding_of_hard("visits[museum].start >= 10:00", visits=TWO)
    assert finding.source is not None
    assert (finding.source.file, finding.source.column) == ("task.yaml", 7)


# -- verdicts -------------------------------------------------------------------------------------

TASK = """\
define:
  total: sum(v.cost ?? 0 EUR for v in visits)
  stops: count(v for v in visits)
measures: [total, stops]
constraints:
  early:
    for: p in Place
    when: p.stars is not none
    hard: any(v.start <= 10:00 for v in visits if v.place == p)
    kind: time
  cheap:
    soft: total <= 10 EUR
scope:
  visits:
    - {place: museum, start: 09:00..12:00 step 30min, end: 08:00..24:00, cost: 0 EUR..20 EUR}
    - {place: (p for p in Place), start: 09:00..12:00 step 30min, end: 08:00..24:00, cost: 0 EUR..20 EUR, optional: true}
  lodging: {hotel: Place?, cost: 0 EUR..90 EUR}
"""
LODGED: dict[str, Any] = {"lodging": [{"hotel": "park", "cost": 100}]}


def verdict(text: str = TASK, reading: tuple[Finding, ...] = (), **tables: Any) -> Verdict:
    """Return the verdict on a plan with these tables."""
    task_ground, plan = ground_and_plan(text, **tables)
    return judge(task_ground, plan, reading)


def ground_and_plan(text: str = TASK, **tables: Any) -> tuple[Ground, Plan]:
    """Return the ground task of a text, and a plan with these tables."""
    task = small_task(text)
    return ground(task), plan_of(task, **tables)


def test_a_verdict_has_counts_of_applicable_rules_and_measures() -> None:
    result = verdict(visits=TWO, **LODGED)
    assert (result.task, result.profile, result.status) == ("small", "strict", "fail")
    assert result.hard == Tally(satisfied=1, total=2)
    assert result.soft == Tally(satisfied=0, total=1)
    assert result.metrics == {"total": "12.50 EUR", "stops": 2}
    assert [(f.constraint, f.level, f.status) for f in result.findings] == [
        ("early[museum]", "hard", "satisfied"),
        ("early[park]", "hard", "not-applicable"),
        ("early[tower]", "hard", "violated"),
        ("cheap", "soft", "violated"),
    ]


def test_a_violated_soft_constraint_does_not_fail_a_plan() -> None:
    visits = [visit("museum", "09:30", "11:00", cost=1250), visit("tower", "10:00", "12:00", cost=0)]
    result = verdict(visits=visits, **LODGED)
    assert (result.status, result.soft.satisfied, result.in_scope) == ("pass", 0, True)


def test_a_verdict_uses_statuses_that_another_verifier_has_computed() -> None:
    task_ground, plan = ground_and_plan(visits=TWO, **LODGED)
    result = judge(task_ground, plan, statuses=(True, None, True, True))
    assert (result.status, result.soft.satisfied) == ("pass", 1)


def test_details_are_computed_only_on_request() -> None:
    task_ground, plan = ground_and_plan(visits=TWO, **LODGED)
    findings = {f.constraint: f for f in judge(task_ground, plan, details="violated").findings}
    assert findings["early[museum]"].margin is None
    assert findings["cheap"].margin == -250
    assert all(f.margin is None and f.rows == () for f in judge(task_ground, plan, details="none").findings)


def test_a_verdict_as_json_has_the_documented_keys_in_order() -> None:
    document = TypeAdapter(Verdict).dump_python(verdict(visits=TWO, **LODGED), mode="json")
    assert list(document) == [
        "task",
        "profile",
        "status",
        "hard",
        "soft",
        "metrics",
        "in_scope",
        "findings",
        "objectives",
        "refusal",
    ]
    finding = document["findings"][-1]
    assert list(finding)[:11] == [
        "constraint",
        "level",
        "kind",
        "status",
        "none",
        "message",
        "margin",
        "unit",
        "rows",
        "source",
        "since",
    ]
    assert (finding["margin"], finding["unit"]) == (-250, "1/100 EUR")
    assert finding["rows"] == [{"table": "visits", "key": "museum"}, {"table": "visits", "key": "park"}]
    assert TypeAdapter(Verdict).dump_python(TypeAdapter(Verdict).validate_python(document), mode="json") == document


# -- shape ----------------------------------------------------------------------------------------


def shape_findings(text: str = TASK, **tables: Any) -> list[tuple[str, str | None, str]]:
    """Return constraint, kind and message of each finding on the shape of a plan."""
    result = verdict(text, **tables)
    findings = [f for f in result.findings if f.level == "shape"]
    assert all(f.status == "violated" for f in findings)
    assert not findings or result.status == "fail"
    return [(f.constraint, f.kind, f.message) for f in findings]


SOUND = [visit("museum", "09:30", "11:00"), visit("tower", "09:30", "11:00")]


def test_a_duplicate_key_fails_a_plan() -> None:
    assert shape_findings(visits=SOUND, **LODGED) == []
    assert shape_findings(visits=[*SOUND, *SOUND[:1]], **LODGED) == [
        ("visits", "duplicate-key", "visits[museum] stands 2 times")
    ]


def test_unreadable_keys_are_not_duplicates() -> None:
    nameless = {"start": "09:30", "unknown": {"place": "Museo"}}
    assert shape_findings(visits=[*SOUND, nameless, nameless], **LODGED) == []


def test_rows_of_a_table_without_a_key_may_be_equal() -> None:
    assert shape_findings(visits=SOUND, extras=[{"cost": 5}, {"cost": 5}], **LODGED) == []


def test_a_single_row_table_needs_exactly_one_row() -> None:
    assert shape_findings(visits=SOUND) == [("lodging", "one", "lodging has exactly one row; the plan has none")]
    assert [kind for _, kind, _ in shape_findings(visits=SOUND, lodging=LODGED["lodging"] * 2)] == ["one"]


def test_a_finding_of_the_reader_fails_the_plan_and_is_not_counted() -> None:
    unread = Finding(constraint="visits", level="shape", kind="unreadable", status="violated", message="25 is no time")
    result = verdict(reading=(unread,), visits=SOUND, **LODGED)
    assert (result.status, result.hard.satisfied, result.hard.total) == ("fail", 2, 2)
    assert result.findings[0] == unread


CLOSED = TASK + "closed: true\n"


def test_a_closed_task_fixes_its_rows_but_values_may_be_between_the_steps_of_ranges() -> None:
    assert (
        shape_findings(CLOSED, visits=[visit("museum", "09:33", "07:00"), visit("tower", "09:33", "07:00")], **LODGED)
        == []
    )
    lacking = shape_findings(
        CLOSED, visits=[visit("tower", "09:30", "11:00"), visit("park", "09:30", "11:00")], **LODGED
    )
    assert lacking == [
        ("visits", "closed", "visits[park] is not among the rows that the task allows"),
        ("visits", "closed", "visits lacks a row that the task demands: place museum"),
    ]
    beside = shape_findings(CLOSED, visits=SOUND, extras=[{"cost": 1}], **LODGED)
    assert beside == [("extras", "closed", "extras[0] is not among the rows that the task allows")]


def test_an_open_task_allows_rows_outside_its_scope() -> None:
    result = verdict(visits=[*SOUND, visit("park", "09:30", "11:00")], **LODGED)
    assert (result.status, result.in_scope) == ("pass", False)


# -- scope ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("visits", "expected"),
    [
        (SOUND, False),  # in the scope, no cost is none
        ([visit("museum", "09:30", "11:00", cost=0)], True),
        ([visit("tower", "09:30", "11:00", cost=0)], False),  # the museum is mandatory
        ([visit("tower", "09:30", "11:00", cost=0), visit("museum", "09:30", "11:00", cost=0)], True),
        ([visit("museum", "09:33", "11:00", cost=0)], False),  # a start off the scope's grid
        ([visit("museum", "08:30", "11:00", cost=0)], False),
        ([visit("museum", "09:30", "11:00", cost=2001)], False),
        ([visit("museum", "09:30", "11:00", cost=0, mode="bus")], False),
        ([visit("museum", "09:30", "11:00", cost=0, fun=True)], False),
        ([{"start": "09:30", "end": "11:00", "cost": 0, "unknown": {"place": "Museo"}}], False),
    ],
)
def test_a_plan_is_in_scope_if_its_rows_can_be_assigned(visits: list[dict[str, Any]], expected: bool) -> None:
    assert verdict(visits=visits, **LODGED).in_scope is expected


def test_without_details_the_rows_in_scope_are_not_evaluated() -> None:
    task = small_task("scope: {visits: [{place: museum, start: 12:00..09:00, end: 13:00}]}\n")
    task_ground, plan = ground(task, scope=False), plan_of(task, visits=TWO)
    assert judge(task_ground, plan, details="none").in_scope is None
    with pytest.raises(DiagnosticError, match="no value to take"):
        judge(task_ground, plan)


def test_details_for_reasons_equal_those_of_violated_rules_but_not_whether_the_plan_is_in_scope() -> None:
    task_ground, plan = ground_and_plan(visits=TWO, **LODGED)
    brief, full = judge(task_ground, plan, details="reasons"), judge(task_ground, plan, details="violated")
    assert any(finding.rows for finding in brief.findings)
    assert (full.in_scope is None, brief) == (False, replace(full, in_scope=None))


def test_a_plan_without_the_row_of_a_single_row_table_is_out_of_scope() -> None:
    assert verdict(visits=[visit("museum", "09:30", "11:00", cost=0)]).in_scope is False


@pytest.mark.parametrize(
    ("edges", "size"),
    [
        ([], 0),
        ([[]], 0),
        ([[0], [0]], 1),
        ([[0, 1], [0]], 2),
        ([[0, 1], [1, 2], [0], [1]], 3),
        ([[0, 1, 2], [0], [0, 1]], 3),
    ],
)
def test_rows_are_assigned_to_the_scope_by_a_maximum_matching(edges: list[list[int]], size: int) -> None:
    pairs = maximum_matching(edges)
    assert len(pairs) == size == len(set(pairs.values()))
    assert all(right in edges[left] for left, right in pairs.items())
