"""Tightening a task removes rows of a table until exactly one plan is left, and as few rows as possible."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from planspec.api.judging import Judge
from planspec.api.overlay import without_rows
from planspec.api.tightening import TightenableTask
from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.documents.documents import task_from_path, task_from_text
from planspec.dsl.workspace.workspace import Workspace
from planspec.errors import KeptPlanError, NotFoundError, NothingToRemoveError, UnremovableRowsError
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.questions import tighten as search
from planspec.solvers.questions.tighten import Tightening, applicability
from planspec.solvers.questions.validation import validate
from planspec.verifiers.answers.tables import read_tables
from planspec.verifiers.meaning.ground import ground
from tests.differential.plans import all_plans
from tests.random_examples import examples

HEAD = """planspec: task/1
id: rounds
query: Two visits, each at a booked time.
types: {Place: museum | tower}
removable: [Slot]
tables:
  Slot:
    columns: {place: key Place, at: key time, left: int}
    rows:
"""
TAIL = """plan:
  visits: {place: key Place, start: time}
scope:
  visits:
    - {place: museum, start: "{10:00, 11:00, 12:00}"}
    - {place: tower, start: "{10:00, 11:00, 12:00}"}
constraints:
  booked:
    hard: all(Slot[v.place, v.start].left > 0 for v in visits)
  apart:
    hard: visits[museum].start RELATION visits[tower].start
""".replace('"{', "{").replace('}"', "}")
TIMES = ("10:00", "11:00", "12:00")


def task_text(slots: list[tuple[str, str, int]], relation: str) -> str:
    """Return the text of a task with these slots. `relation` compares the times of visits."""
    rows = "".join(f"      - {{place: {p}, at: {at}, left: {remaining}}}\n" for p, at, remaining in slots)
    return HEAD + rows + TAIL.replace("RELATION", relation)


@st.composite
def round_texts(draw: st.DrawFn) -> str:
    """Draw the text of a task with slots for visits."""
    slots = [(place, at, draw(st.sampled_from([0, 1, 1, 1]))) for place in ("museum", "tower") for at in TIMES]
    rule = draw(st.sampled_from(RULES))
    return task_text(slots, draw(st.sampled_from(["<", "<=", "!=", "=="]))) + (f"  more:\n{rule}" if rule else "")


RULES = (
    "",
    "    hard: count(s for s in Slot) > 2 or visits[museum].start == 10:00\n",
    "    hard: count(s for s in Slot if s.place == tower) < 3\n",
    "    hard: not any(s.left > 0 and s.at > visits[tower].start for s in Slot if s.place == museum)\n",
    "    hard: (Slot[museum, visits[tower].start].left ?? 1) > 0\n",
    "    hard: all(s.at >= visits[museum].start for s in Slot if s.place == tower)\n",
    "    hard: (visits[museum].start in (s.at for s in Slot if s.place == tower)) == (Slot[tower, 12:00].left > 0)\n",
    "    when: Slot[tower, 12:00].left > 0\n    hard: visits[museum].start == 10:00\n",
    "    for: s in Slot if s.place == tower\n    hard: s.at != visits[museum].start\n",
)


def judge_without(text: str, removed: list[int]) -> Judge:
    """Return a judge of the task without some rows of `Slot`, given by their indices."""
    lines = text.splitlines(keepends=True)
    first = next(i for i, line in enumerate(lines) if "at:" in line and line.startswith("      - "))
    return Judge(task_from_text("".join(x for i, x in enumerate(lines) if i - first not in removed)))


def plans_of(judge: Judge) -> list[dict[str, Any]]:
    """Return the plans in scope that the verifier accepts."""
    return [judge.encode(p) for p in all_plans(judge.ground) if judge.plan(p).status == "pass"]


@settings(max_examples=examples(12), suppress_health_check=list(HealthCheck), deadline=None)
@given(round_texts(), st.randoms(use_true_random=False))
def test_one_plan_is_left_and_no_smaller_removal_leaves_one(
    tmp_path_factory: pytest.TempPathFactory, text: str, random: Any
) -> None:
    whole = judge_without(text, [])
    plans = plans_of(whole)
    assume(plans)
    keep = plans[random.randrange(len(plans))]
    folder = tmp_path_factory.mktemp("tight")
    path = folder / "rounds.task.yaml"
    path.write_text(text)
    file = TightenableTask(path, keep)
    result = file.tighten(file.removable(), limits=Limits(seconds=20))
    least = next(
        (
            len(removed)
            for size in range(7)
            for removed in combinations(range(6), size)
            for judge in [judge_without(text, list(removed))]
            if applicability(judge.ground) == applicability(whole.ground) and plans_of(judge) == [keep]
        ),
        None,
    )
    if least is None:
        assert result.status is Status.INFEASIBLE
        return
    assert result.status is Status.OPTIMAL
    assert result.smallest
    assert len(result.removed) == least
    written = file.write(result.removed, folder / "tight.task.yaml")
    assert plans_of(Judge(written.task)) == [keep]
    assert validate(written).unique.status == "unique"
    assert written.task.reference is not None


FREE = task_text([(p, at, 1) for p in ("museum", "tower") for at in TIMES], "<")
KEEP = {"visits": [{"place": "museum", "start": "10:00"}, {"place": "tower", "start": "11:00"}]}


@pytest.fixture
def file(tmp_path: Path) -> TightenableTask:
    """Return a task file with the plan that tightening must keep."""
    path = tmp_path / "rounds.task.yaml"
    path.write_text(FREE)
    return TightenableTask(path, KEEP)


def test_protected_rows_are_not_removed(file: TightenableTask) -> None:
    free = file.tighten(file.removable(), limits=Limits())
    assert [row.cells for row in free.removed] == [(("place", "tower"), ("at", "12:00"))]
    protected = file.tighten(file.removable(spare=["Slot[tower]"]), limits=Limits())
    assert protected.status is Status.INFEASIBLE
    assert protected.other is not None
    assert all(dict(row.cells)["place"] == "museum" for row in protected.removed)


def test_a_plan_that_fails_cannot_be_the_plan_to_keep(tmp_path: Path) -> None:
    path = tmp_path / "rounds.task.yaml"
    path.write_text(FREE)
    late = {"visits": [{"place": "museum", "start": "12:00"}, {"place": "tower", "start": "11:00"}]}
    file = TightenableTask(path, late)
    with pytest.raises(KeptPlanError, match="does not satisfy apart"):
        file.tighten(file.removable(), limits=Limits())


def test_removable_rows_are_named_or_marked(file: TightenableTask) -> None:
    assert len(file.removable(["Slot"])) == 6
    with pytest.raises(NotFoundError, match="no table of facts `Slots`"):
        file.removable(["Slots"])
    with pytest.raises(NotFoundError, match="names no rows"):
        file.removable(spare=["Slot["])
    with pytest.raises(NothingToRemoveError):
        file.removable(spare=["Slot"])


def test_the_text_lists_removed_rows_in_their_table(file: TightenableTask) -> None:
    result = file.tighten(file.removable(), limits=Limits())
    text = file.text(result.removed)
    assert "    without:\n      - {place: tower, at: 12:00}\n    columns:" in text
    again = without_rows(task_from_text(text).span.source, {"Slot": [[("place", "tower"), ("at", "10:00")]]})
    assert len(task_from_text(again).facts["Slot"].rows) == 4
    assert again.count("without:") == 1


def test_tables_in_braces_cannot_list_removed_rows() -> None:
    source = task_from_text(
        "planspec: task/1\nid: x\nquery: q\ntables: {A: {columns: {n: key int}, rows: [{n: 1}]}}\nplan: {v: {n: int}}\n"
    ).span.source
    with pytest.raises(UnremovableRowsError, match="is written in braces"):
        without_rows(source, {"A": [[("n", 1)]]})


def test_a_rule_that_applies_only_if_rows_exist_still_applies(tmp_path: Path) -> None:
    """One slot is not removed, since a place without slots would require no booking."""
    text = FREE.replace(
        "  booked:\n    hard: all(Slot[v.place, v.start].left > 0 for v in visits)\n",
        "  booked:\n    for: p in Place if any(true for s in Slot if s.place == p)\n"
        "    hard: all(Slot[v.place, v.start].left > 0 for v in visits if v.place == p)\n",
    )
    path = tmp_path / "rounds.task.yaml"
    path.write_text(text)
    file = TightenableTask(path, KEEP)
    result = file.tighten(file.removable(), limits=Limits())
    assert result.status is Status.OPTIMAL
    assert len(result.removed) == 1


def test_that_no_removal_suffices_is_proved_for_rules_of_any_form(tmp_path: Path) -> None:
    path = tmp_path / "rounds.task.yaml"
    path.write_text(FREE + "  more:\n    hard: count(s for s in Slot) > 1\n")
    file = TightenableTask(path, KEEP)
    result = file.tighten(file.removable(spare=["Slot[tower]"]), limits=Limits())
    assert result.status is Status.INFEASIBLE
    assert result.other is not None


def tighten_text(folder: Path, text: str, keep: dict[str, Any], **options: Any) -> tuple[TightenableTask, Tightening]:
    """Write a task and tighten it. Return the file, and the result."""
    path = folder / "some.task.yaml"
    path.write_text(text)
    file = TightenableTask(path, keep)
    return file, file.tighten(file.removable(), limits=Limits(**options))


CALL = """planspec: task/1
id: some
query: A call.
removable: [Line, Day]
tables:
  Line:
    columns: {at: time, free: bool}
    rows: [{id: a, at: 09:00, free: true}, {id: b, at: 09:15, free: true}, {id: c, at: 09:30, free: true}]
  Day:
    columns: {at: key time, open: bool}
    rows: [{at: 09:00, open: true}, {at: 09:15, open: true}]
plan: {call: {one: true, start: time}}
scope:
  call: {start: 09:00..09:30 step 15min}
constraints:
"""
CALLED = {"call": {"start": "09:00"}}


def test_a_missing_row_makes_a_boolean_false(tmp_path: Path) -> None:
    """An equality of two such Booleans is true if both rows are missing, and false if one of them is."""
    text = CALL + "  same:\n    hard: any(n.free for n in Line if n.at == call.start) == Day[call.start].open\n"
    _, result = tighten_text(tmp_path, text + "  soon:\n    hard: call.start < 09:30\n", CALLED)
    assert result.status is Status.OPTIMAL
    assert [row.table for row in result.removed] in (["Line"], ["Day"])


@pytest.mark.parametrize("names", [("Line.a", "Line.b"), ('Line["a"]', 'Line["b"]')])
def test_rows_named_by_a_rule_are_not_removed(tmp_path: Path, names: tuple[str, str]) -> None:
    first, second = names
    text = CALL.replace(", Day]", "]") + f"  named:\n    hard: call.start == {first}.at or call.start == {second}.at\n"
    file, result = tighten_text(tmp_path, text, CALLED)
    assert [row.cells for row in file.removable()] == [(("id", "c"),)]
    assert result.status is Status.INFEASIBLE


def test_rows_that_the_scope_ranges_over_may_be_removed(tmp_path: Path) -> None:
    text = CALL.replace("start: time}", "start: time, line: Line}").replace("step 15min}", "step 15min, line: Line}")
    _, result = tighten_text(
        tmp_path,
        text + "  at:\n    hard: call.line.at == call.start\n",
        {"call": {"start": "09:00", "line": "a"}},
    )
    assert result.status is Status.OPTIMAL
    assert [row.cells for row in result.removed] == [(("id", "b"),), (("id", "c"),)]


def test_a_definition_without_parameters_is_evaluated_again_without_rows(tmp_path: Path) -> None:
    text = FREE.replace("constraints:\n  booked:\n    hard: all(", "define:\n  booked: all(").replace(
        "  apart:", "constraints:\n  booked:\n    hard: booked\n  apart:"
    )
    _, result = tighten_text(tmp_path, text, KEEP)
    assert result.status is Status.OPTIMAL
    assert [row.cells for row in result.removed] == [(("place", "tower"), ("at", "12:00"))]


def test_a_removal_is_not_proved_smallest_if_time_runs_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out_of_time: Any = lambda *_: (Status.UNKNOWN, frozenset())  # noqa: E731
    monkeypatch.setattr(search, "_smallest_removal", out_of_time)
    _, result = tighten_text(tmp_path, FREE, KEEP)
    assert result.status is Status.FEASIBLE
    assert result.validation is not None
    assert result.validation.unique.status == "unique"
    _, result = tighten_text(tmp_path, FREE, KEEP, seconds=0.0)
    assert result.status is Status.UNKNOWN
    assert result.other is None


def test_no_file_is_written_for_a_task_with_errors(file: TightenableTask, tmp_path: Path) -> None:
    """The new file would name a table file that is not in its own folder."""
    path = tmp_path / "uses.task.yaml"
    path.write_text(FREE.replace("tables:\n", "tables:\n  Other: {csv: beside.csv, columns: {name: key text}}\n"))
    (tmp_path / "beside.csv").write_text("name\na\n")
    (tmp_path / "other").mkdir()
    with pytest.raises(DiagnosticError):
        TightenableTask(path, KEEP).write([], tmp_path / "other" / "one.task.yaml")
    assert list((tmp_path / "other").iterdir()) == []


def test_the_world_is_not_changed(tmp_path: Path) -> None:
    """Rows of the world are left out of the task only. Rows to which other rows refer are never removed."""
    (tmp_path / "lib.library.yaml").write_text(
        "planspec: library/1\nid: lib\nremovable: [Slot, Place]\n"
        "tables: {Place: {id: key text}, Slot: {place: key Place, at: key time}}\n"
        "plan: {visits: {one: true, place: Place, start: time}}\n"
        "constraints: {booked: {hard: 'Slot[visits.place, visits.start] is not none'}}\n".replace("'", "").replace(
            "{booked: {hard: Slot[visits.place, visits.start] is not none}}",
            "\n  booked:\n    hard: Slot[visits.place, visits.start].at == visits.start",
        )
    )
    (tmp_path / "w.world.yaml").write_text(
        "planspec: world/1\nid: w\nuses: [lib]\ntables:\n  Place: [{id: a}, {id: b}]\n"
        "  Slot: [{place: a, at: 10:00}, {place: a, at: 11:00}, {place: b, at: 10:00}]\n"
    )
    task = tmp_path / "t.task.yaml"
    task.write_text(
        "planspec: task/1\nid: t\nworld: w\nquery: q\nscope:\n  visits: {place: Place, start: {10:00, 11:00}}\n"
    )
    before = (tmp_path / "w.world.yaml").read_text()
    file = TightenableTask(task, {"visits": {"place": "a", "start": "11:00"}})
    assert {row.table for row in file.removable()} == {"Slot"}
    result = file.tighten(file.removable(), limits=Limits())
    written = file.write(result.removed, tmp_path / "t2.task.yaml")
    assert (tmp_path / "w.world.yaml").read_text() == before
    assert written.task.id == "t2"
    assert [repr(row) for row in written.task.facts["Slot"].rows] == [
        repr(row) for row in task_from_path(tmp_path / "t2.task.yaml", Workspace()).facts["Slot"].rows
    ]
    assert len(written.task.facts["Slot"].rows) == 1
    reference, _ = read_tables(written.task, json.loads((tmp_path / "t2.reference.json").read_text()))
    assert Judge(written.task).plan(reference).status == "pass"
    assert len(ground(task_from_path(task, Workspace())).task.facts["Slot"].rows) == 3


def test_optional_columns_in_braces_are_read_as_the_language_writes_them(tmp_path: Path) -> None:
    """In braces, other YAML parsers do not accept a column such as `text?`."""
    text = CALL.replace("{at: time", "{note: text?, at: time")
    assert text != CALL
    rule = "  listed:\n    hard: any(n.at == call.start for n in Line)\n"
    file, result = tighten_text(tmp_path, text + rule, CALLED)
    assert result.status is Status.OPTIMAL
    assert file.write(result.removed, tmp_path / "new.task.yaml").task.id == "new"
