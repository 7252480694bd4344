"""Grounding computes the instances of constraints and the rows of the scope before any plan is known."""

from __future__ import annotations

import pytest

from planspec.dsl.diagnostics.diagnostic import Diagnostic, DiagnosticError
from planspec.dsl.model.traversal import free_variables
from planspec.verifiers.meaning.ground import FieldDomain, Ground, ground
from tests.verifiers.small_tasks import minutes, small_task


def ground_task(sections: str) -> Ground:
    """Return the ground small task with further sections."""
    return ground(small_task(sections))


def ground_scope(text: str) -> Ground:
    """Return the ground small task with this scope."""
    return ground_task("scope:\n" + text)


def check_errors(sections: str) -> list[tuple[str, str]]:
    """Return the code and underlined text of each error of grounding.

    Rows of the scope that are requested later must raise the same errors.
    """
    task = small_task(sections)
    with pytest.raises(DiagnosticError) as caught:
        ground(task)
    with pytest.raises(DiagnosticError) as later:
        len(ground(task, scope=False).rows)
    assert later.value.diagnostics == caught.value.diagnostics
    return [(d.code, d.span.text) for d in caught.value.diagnostics]


def domain_of(text: str, column: str = "start") -> FieldDomain:
    """Return the domain of a column whose entry in the scope is this text."""
    fields = {"place": "museum", "start": "09:00", "end": "20:00", column: text}
    lines = "\n      ".join(f"{name}: {value}" for name, value in fields.items())
    return ground_scope(f"  visits:\n    - {lines}\n").rows["visits"][0].fields[column]


# -- instances ------------------------------------------------------------------------------------


def test_a_constraint_without_for_has_one_instance_of_its_own_id() -> None:
    (instance,) = ground_task("constraints: {few: {hard: count(v for v in visits) <= 3}}\n").instances
    assert (instance.id, instance.applicable, dict(instance.env)) == ("few", True, {})


def test_ids_name_rows_by_key_and_values_as_written() -> None:
    task_ground = ground_task(
        """\
constraints:
  one:
    for: p in Place
    hard: any(v.place == p for v in visits)
  two:
    for: p in Place for d in days if p.open
    hard: any(v.place == p and v.day == d for v in visits)
  slot:
    for: s in Slot if s.left > 0
    hard: any(v.place == s.place for v in visits)
  pair:
    for: a, b in steps(via)
    hard: any(v.note == a for v in visits) implies any(v.note == b for v in visits)
"""
    )
    assert [i.id for i in task_ground.instances] == [
        "one[museum]",
        "one[park]",
        "one[tower]",
        "two[museum, 2026-07-01]",
        "two[museum, 2026-07-02]",
        "two[park, 2026-07-01]",
        "two[park, 2026-07-02]",
        "slot[museum, 09:00]",
        "slot[tower, 10:00]",
        "pair[tower, museum]",
        "pair[museum, park]",
    ]


def test_when_decides_whether_an_instance_applies() -> None:
    task_ground = ground_task(
        """\
constraints:
  early:
    for: p in Place
    when: p.stars > 3
    hard: all(v.start <= 10:00 for v in visits if v.place == p)
"""
    )
    assert [(i.id, i.applicable) for i in task_ground.instances] == [
        ("early[museum]", True),
        ("early[park]", False),
        ("early[tower]", False),
    ]


def test_two_instances_with_the_same_id_are_an_error() -> None:
    text = """\
constraints:
  same:
    for: x in {"a", "a, b"} for y in {"b, c", "c"}
    hard: any(v.note == x or v.note == y for v in visits)
"""
    assert check_errors(text) == [("PS403", '{"a", "a, b"}')]


def test_a_rule_whose_truth_no_plan_can_change_gets_a_warning() -> None:
    task_ground = ground_task(
        """\
constraints:
  sure: {hard: party <= 3}
  never:
    for: p in Place
    hard: p.open
"""
    )
    assert [(d.code, d.span.text) for d in task_ground.diagnostics] == [
        ("PS405", "party <= 3"),
        ("PS406", "p.open"),
    ]


def test_a_weight_is_evaluated_for_each_applicable_instance() -> None:
    rule = """\
constraints:
  plain: {soft: count(v for v in visits) > 1}
  hard: {hard: count(v for v in visits) > 1}
  liked:
    for: p in Place
    when: p.open
    soft: any(v.place == p for v in visits)
    weight: party * (p.stars ?? 0)
"""
    assert [(i.id, i.weight) for i in ground_task(rule).instances] == [
        ("plain", 1),
        ("hard", 0),
        ("liked[museum]", 15),
        ("liked[park]", 0),
        ("liked[tower]", 0),
    ]


@pytest.mark.parametrize(
    ("weight", "message"),
    [("p.stars", "no weight"), ("1 - party", "a weight of -2"), ("1000001", "a weight of 1,000,001")],
)
def test_a_weight_that_is_none_or_out_of_bounds_is_an_error(weight: str, message: str) -> None:
    rule = 'constraints:\n  a:\n    for: p in Place if p.id == "park"\n    soft: any(v.place == p for v in visits)\n'
    (error,) = grounding_errors(f"{rule}    weight: {weight}\n")
    assert (error.code, error.message, error.span.text) == ("PS016", f"`a[park]` has {message}", weight)


# -- scope ----------------------------------------------------------------------------------------


def test_a_constant_is_a_domain_of_one_value() -> None:
    assert domain_of("09:00") == FieldDomain((540,), None, or_none=False, open=False)


def test_a_range_of_any_length_is_an_interval_domain() -> None:
    assert domain_of("08:00..22:00 step 5min").interval == (480, 1320, 5)
    cost = domain_of("0 EUR..9000000 EUR", "cost")
    assert (cost.interval, cost.values, cost.open) == ((0, 900_000_000, 1), None, True)


def test_the_high_end_of_an_interval_lies_on_its_grid() -> None:
    assert domain_of("08:00..08:14 step 5min").interval == (480, 490, 5)


def test_a_range_of_one_value_is_a_constant() -> None:
    assert domain_of("08:00..08:04 step 5min") == FieldDomain((480,), None, or_none=False, open=False)


def test_a_question_mark_adds_none_to_a_domain() -> None:
    choices = domain_of("({bus, foot})?", "mode")
    assert choices == FieldDomain(("bus", "foot"), None, or_none=True, open=True)


def test_repetitions_and_none_are_removed_from_sets() -> None:
    choices = domain_of("(p.from for p in Place)")
    assert choices.values == (minutes("09:00"), minutes("10:00"))
    assert domain_of("{09:00, 10:00, 09:00}").values == (540, 600)


def test_a_table_or_an_enum_is_a_domain() -> None:
    rows = ground_scope("  extras:\n    - {place: Place?}\n").rows["extras"]
    values = rows[0].fields["place"].values
    assert values is not None
    assert [place.id for place in values] == ["museum", "park", "tower"]
    assert domain_of("Mode", "mode").values == ("foot", "bus", "taxi")


def test_a_missing_field_has_its_default_or_none() -> None:
    (row,) = ground_scope("  visits:\n    - {place: museum, start: 09:00, end: 10:00}\n").rows["visits"]
    assert row.fields["fun"] == FieldDomain((False,), None, or_none=False, open=False)
    assert row.fields["cost"] == FieldDomain((), None, or_none=True, open=False)
    assert list(row.fields) == ["place", "start", "end", "cost", "mode", "note", "day", "fun"]


def test_a_for_creates_rows_and_binds_its_variables() -> None:
    rows = ground_scope(
        """\
  visits:
    - for: p in Place if p.from is not none for n in 1..2
      place: p
      start: p.from..12:00
      end: 20:00
      optional: true
"""
    ).rows["visits"]
    assert [(r.fields["place"].values[0].id, r.fields["start"].interval, r.optional) for r in rows] == [  # type: ignore[index]
        ("museum", (540, 720, 1), True),
        ("museum", (540, 720, 1), True),
        ("tower", (600, 720, 1), True),
        ("tower", (600, 720, 1), True),
    ]


def test_a_table_without_scope_has_no_rows() -> None:
    assert ground_scope("  extras:\n    - {place: park}\n").rows["visits"] == ()
    assert ground_scope("  extras:\n    - {place: park}\n").rows["lodging"] == ()


def test_a_definition_that_is_a_range_is_an_interval_domain() -> None:
    task_ground = ground_task(
        "define: {day_long: (00:00..24:00)}\nscope:\n  visits:\n    - {place: park, start: day_long, end: 25:00}\n"
    )
    assert task_ground.rows["visits"][0].fields["start"].interval == (0, 1440, 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "scope:\n  visits:\n    - {place: park, start: 12:00..09:00, end: 20:00}\n",
            [("PS401", "12:00..09:00")],
        ),
        (
            "scope:\n  visits:\n    - for: p in Place\n      place: p\n      start: p.from..12:00\n      end: 20:00\n",
            [("PS401", "p.from..12:00")],
        ),
        (
            "scope:\n  visits:\n    - for: p in Place\n      place: p\n      start: p.from\n      end: 12:00\n",
            [("PS401", "p.from")],
        ),
        (
            "scope:\n  extras:\n    - {place: (p for p in Place if p.stars == 4)}\n",
            [("PS401", "p for p in Place if p.stars == 4")],
        ),
        (
            "scope:\n  extras:\n    - {cost: 0 EUR..2 * 50000000000000 EUR}\n",
            [("PS402", "0 EUR..2 * 50000000000000 EUR")],
        ),
        (
            "scope:\n  visits:\n    - {place: park, start: 00:30 - 60min..12:00, end: 99:30 + 31min}\n",
            [("PS413", "00:30 - 60min..12:00"), ("PS413", "99:30 + 31min")],
        ),
        ("scope:\n  lodging: {for: p in Place, hotel: p}\n", [("PS404", "{for: p in Place, hotel: p}")]),
    ],
)
def test_a_senseless_scope_is_an_error(text: str, expected: list[tuple[str, str]]) -> None:
    assert check_errors(text) == expected


def grounding_errors(sections: str) -> list[Diagnostic]:
    """Return the diagnostics of a task that cannot be grounded."""
    with pytest.raises(DiagnosticError) as caught:
        ground_task(sections)
    return list(caught.value.diagnostics)


def test_a_range_with_reversed_ends_gets_help() -> None:
    text = "define: {evening: (18:00..09:00)}\nscope:\n  visits:\n    - for: p in Place\n      place: p\n"
    errors = grounding_errors(f"{text}      start: evening\n      end: p.from..08:00\n")
    turned = "the wrong way round? a range goes up: `{}`; past midnight 01:00 is `25:00`"
    assert [d.help for d in errors if "`visits.start`" in d.message] == [turned.format("09:00..18:00")]
    assert {d.help for d in errors if "`visits.end`" in d.message} == {turned.format("08:00..p.from")}


TWICE = "scope:\n  visits:\n    - {{place: park, start: 09:00..10:00, end: 10:00{0}}}\n    - {{place: park, start: 11:00, end: 12:00{1}}}\n"


def test_two_required_rows_with_the_same_key_are_an_error() -> None:
    (error,) = grounding_errors(TWICE.format("", ""))
    assert (error.code, error.span.line - error.secondary[0].span.line) == ("PS414", 1)
    assert error.message == "the scope has `visits[park]` twice, and no plan has two rows of one key"


def test_one_entry_that_creates_a_key_twice_is_an_error() -> None:
    (error,) = grounding_errors(
        "scope:\n  visits:\n    - {for: d in days, place: park, start: 09:00, end: 10:00, day: d}\n"
    )
    assert (error.code, error.primary.text, error.secondary) == ("PS414", "makes both", ())


@pytest.mark.parametrize(("first", "second"), [(", optional: true", ""), ("", ", optional: true")])
def test_two_rows_with_the_same_key_are_allowed_if_one_is_optional(first: str, second: str) -> None:
    assert len(ground_task(TWICE.format(first, second)).rows["visits"]) == 2


def test_rows_of_the_scope_with_open_keys_or_without_keys_may_be_equal() -> None:
    assert len(ground_scope("  extras:\n    - {place: park}\n    - {place: park}\n").rows["extras"]) == 2
    rows = "    - {place: Place, start: 09:00, end: 10:00}\n"
    assert len(ground_scope(f"  visits:\n{rows}{rows}").rows["visits"]) == 2


def test_all_errors_are_reported_together() -> None:
    text = "scope:\n  visits:\n    - {place: park, start: 12:00..09:00, end: 20:00..19:00}\n"
    assert [code for code, _ in check_errors(text)] == ["PS401", "PS401"]


# -- pieces ---------------------------------------------------------------------------------------


def test_a_domain_admits_its_choices_and_values_between_them_only_without_grid() -> None:
    interval = FieldDomain(None, (480, 600, 5), or_none=False, open=True)
    assert interval.admits(485)
    assert not interval.admits(483)
    assert interval.admits(483, grid=False)
    assert not interval.admits(605, grid=False)
    assert not interval.admits(None)
    assert FieldDomain(("a",), None, or_none=True, open=True).admits(None)
    sets = FieldDomain((("a", "b"),), None, or_none=False, open=False)
    assert sets.admits(("b", "a"))
    assert not sets.admits(("b",))


def test_free_variables_are_those_that_an_expression_does_not_bind() -> None:
    task = small_task("constraints:\n  c:\n    for: p in Place\n    hard: any(v.place == p for v in visits)\n")
    (constraint,) = task.constraints
    assert [b.name for b in free_variables(constraint.body)] == ["p"]
