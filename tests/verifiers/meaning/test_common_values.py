"""Tasks that use the same library share values of its definitions."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

from planspec.dsl.documents.documents import task_from_path
from planspec.dsl.model import tree as t
from planspec.dsl.model.task import Task
from planspec.dsl.workspace.workspace import Workspace
from planspec.verifiers.meaning import common_values
from planspec.verifiers.meaning.interpret import EVALUATION_METHODS, Env, Interpreter
from planspec.verifiers.meaning.meter import Meter, StepLimitError

LIBRARY = """\
planspec: library/1
id: lib
given: {least: int = 0, dear: Place?}
tables:
  Place: {stars: int}
  Wish: {place: Place}
plan: {visits: {place: Place}}
define:
  good: (p for p in Place if p.stars >= least)
  wished: (w.place for w in Wish)
  spare: (p for p in good if p not in wished)
constraints:
  some: {hard: all(v.place in good and v.place not in spare for v in visits)}
"""
WORLD = """\
planspec: world/1
id: w
tables:
  Place: [{id: a, stars: 1}, {id: b, stars: 2}, {id: c, stars: 3}]
"""


@pytest.fixture(autouse=True)
def _store_every_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """Store values even if they took few steps."""
    monkeypatch.setattr(common_values, "MIN_STORED_STEPS", 0)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Write the library and the world, and return a workspace."""
    (tmp_path / "lib.yaml").write_text(LIBRARY)
    (tmp_path / "w.yaml").write_text(WORLD)
    return Workspace()


def task(
    folder: Path, workspace: Workspace, name: str, givens_text: str = "", tables: str = "Wish: [{place: a}]"
) -> Task:
    path = folder / f"{name}.task.yaml"
    path.write_text(
        f"planspec: task/1\nid: {name}\nquery: q\nworld: w.yaml\nuses: [lib.yaml]\n{givens_text}\ntables: {{{tables}}}\n"
    )
    return task_from_path(path, workspace)


def names(task_: Task, definition: str) -> list[str]:
    """Return the ids of the rows in the value of a definition."""
    return [row.id for row in Interpreter(task_).defined(task_.definitions[definition])]


def is_common(task_: Task, definition: str) -> bool:
    """Return whether tasks share the value of a definition."""
    key = common_values.origin(task_.definitions[definition], task_)
    return key is not None and common_values.stored_value(key, task_) is not None


def test_a_value_is_computed_once_for_the_same_givens(tmp_path: Path, workspace: Workspace) -> None:
    one = task(tmp_path, workspace, "one", "given: {least: 2}")
    two = task(tmp_path, workspace, "two", "given: {least: 2, dear: a}")
    three = task(tmp_path, workspace, "three", "given: {least: 3}")
    assert not is_common(one, "good")
    assert names(one, "good") == ["b", "c"]
    assert is_common(two, "good")
    assert not is_common(three, "good")
    assert names(two, "good") == ["b", "c"]
    assert names(three, "good") == ["c"]


def test_a_value_that_depends_on_own_rows_is_not_shared(tmp_path: Path, workspace: Workspace) -> None:
    one = task(tmp_path, workspace, "one")
    two = task(tmp_path, workspace, "two", tables="Wish: [{place: b}]")
    more = task(tmp_path, workspace, "more", tables="Wish: [{place: b}], Place: {rows: [{id: d, stars: 4}]}")
    assert (names(one, "wished"), names(one, "spare")) == (["a"], ["b", "c"])
    assert (names(two, "wished"), names(two, "spare")) == (["b"], ["a", "c"])
    assert names(more, "good") == ["a", "b", "c", "d"]
    assert not any(is_common(two, name) for name in ("wished", "spare"))
    assert not is_common(more, "good")


def test_a_shared_value_counts_as_many_steps_as_a_computed_one(tmp_path: Path, workspace: Workspace) -> None:
    one, two = task(tmp_path, workspace, "one"), task(tmp_path, workspace, "two")
    spent = []
    for task_ in (one, two):
        meter = Meter(1_000)
        Interpreter(task_, meter=meter).defined(task_.definitions["good"])
        spent.append(meter.left)
    assert spent[0] == spent[1] < 1_000
    with pytest.raises(StepLimitError):
        Interpreter(two, meter=Meter(3)).defined(two.definitions["good"])


def test_the_number_of_stored_values_is_bounded(
    tmp_path: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(common_values, "MAX_STORED", 2)
    tasks = [task(tmp_path, workspace, f"t{least}", f"given: {{least: {least}}}") for least in range(4)]
    assert [len(names(each, "good")) for each in tasks] == [3, 3, 2, 1]
    assert [is_common(each, "good") for each in tasks] == [False, False, True, True]


def test_every_kind_of_expression_has_a_method_of_the_interpreter() -> None:
    assert set(EVALUATION_METHODS) == set(get_args(t.Expr))
    assert all(callable(getattr(Interpreter, name)) for name in EVALUATION_METHODS.values())


def test_a_subclass_can_override_the_meaning_of_a_kind_of_expression(tmp_path: Path, workspace: Workspace) -> None:
    """The interpreter calls the overridden method."""

    class Contrary(Interpreter):
        def _compare(self, expr: t.Compare, env: Env) -> bool | None:
            return not super()._compare(expr, env)

    task_ = task(tmp_path, workspace, "t", "given: {least: 2}")
    good = Contrary(task_).defined(task_.definitions["good"])
    assert [row._key for row in good] == [("a",)]


def test_four_kinds_of_expressions_name_a_table_directly() -> None:
    named = {kind for kind in get_args(t.Expr) if any(field.name == "table" for field in fields(kind))}
    assert named == {t.AllRows, t.Lookup, t.OnlyRow, t.RowNamed}
