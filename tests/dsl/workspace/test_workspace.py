"""Documents are found by path or id: first beside the file, then above it, then among the shipped ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.documents.documents import Suite, check_document
from planspec.dsl.workspace.workspace import Workspace
from planspec.dsl.yaml.reader import Scalar

TASK = "planspec: task/1\nid: {id}\nquery: q\nplan: {{visits: {{n: int}}}}\n"


def write_file(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def write_library(path: Path, id_: str = "lib") -> Path:
    return write_file(path, f"planspec: library/1\nid: {id_}\n")


def write_task_with_uses(path: Path, name: str = "lib") -> Path:
    """Write a task that uses the library with this name."""
    return write_file(path, TASK.format(id="x") + f"uses: [{name}]\n")


def resolve_uses(task: Path, shipped: Path) -> tuple[list[Path], list[str]]:
    """Return the file to which `uses:` of a task resolves, and the codes of the diagnostics."""
    workspace, report = Workspace(shipped=shipped), Report()
    document = workspace.open(task, report)
    assert document is not None
    (word,) = document.sections["uses"].items  # type: ignore[union-attr]
    assert isinstance(word, Scalar)
    library_ = workspace.resolve(word, "library", document, report)
    return [library_.path] if library_ is not None and library_.path is not None else [], [
        d.code for d in report.diagnostics
    ]


def test_the_nearest_document_takes_precedence(tmp_path: Path) -> None:
    shipped = write_library(tmp_path / "shipped" / "deep" / "a.yaml")
    task = write_task_with_uses(tmp_path / "suites" / "one" / "tasks" / "t.yaml")
    assert resolve_uses(task, tmp_path / "shipped") == ([shipped], [])
    above = write_library(tmp_path / "libraries" / "b.yaml")
    assert resolve_uses(task, tmp_path / "shipped") == ([above], [])
    nearer = write_library(tmp_path / "suites" / "one" / "libraries" / "sub" / "c.yaml")
    assert resolve_uses(task, tmp_path / "shipped") == ([nearer], [])
    beside = write_library(task.parent / "d.yaml")
    assert resolve_uses(task, tmp_path / "shipped") == ([beside], [])


def test_folders_above_the_suite_are_not_searched(tmp_path: Path) -> None:
    write_library(tmp_path / "libraries" / "b.yaml")
    task = write_task_with_uses(tmp_path / "suites" / "one" / "tasks" / "t.yaml")
    write_file(tmp_path / "suites" / "one" / "my.suite.yaml", "planspec: suite/1\nid: s\ntasks: [x]\n")
    assert resolve_uses(task, tmp_path / "none") == ([], ["PS012"])


def test_two_matches_in_one_place_are_an_error(tmp_path: Path) -> None:
    write_library(tmp_path / "libraries" / "a.yaml")
    write_library(tmp_path / "libraries" / "b.yaml")
    assert resolve_uses(write_task_with_uses(tmp_path / "t.yaml"), tmp_path / "none") == ([], ["PS013"])


def test_a_path_is_relative_to_the_file_that_names_it(tmp_path: Path) -> None:
    expected = write_library(tmp_path / "more" / "a.yaml", "other")
    task = write_task_with_uses(tmp_path / "tasks" / "t.yaml", "../more/a.yaml")
    ((path,), codes) = resolve_uses(task, tmp_path / "none")
    assert (path.resolve(), codes) == (expected, [])


def test_a_file_with_two_names_is_one_document(tmp_path: Path) -> None:
    write_file(tmp_path / "libraries" / "a.yaml", "planspec: library/1\nid: lib\nplan: {visits: {n: int}}\n")
    (tmp_path / "link.yaml").symlink_to(tmp_path / "libraries" / "a.yaml")
    text = "planspec: task/1\nid: x\nquery: q\nscope: {visits: {n: 1}}\nuses: [lib, libraries/a.yaml, libraries/../libraries/a.yaml, link.yaml]\n"
    workspace, report = Workspace(shipped=tmp_path / "none"), Report()
    document = workspace.open(write_file(tmp_path / "t.yaml", text), report)
    assert document is not None
    assert check_document(document, workspace, report) is not None
    assert report.diagnostics == []


@pytest.mark.parametrize("head", ["id: lib", 'id: "lib"', "id: 'lib'", "id:   lib  # the one"])
def test_an_id_is_read_however_it_is_written(head: str, tmp_path: Path) -> None:
    expected = write_file(tmp_path / "libraries" / "a.yaml", f"# first\n\nplanspec: library/1\r\n{head}\r\n")
    assert resolve_uses(write_task_with_uses(tmp_path / "t.yaml"), tmp_path / "none") == ([expected], [])


@pytest.mark.parametrize("name", ["a" * 300 + ".yaml", '"a\\0b.yaml"', "../../../../../../../../no/such.yaml", "/"])
def test_an_invalid_path_is_reported_as_missing(name: str, tmp_path: Path) -> None:
    assert resolve_uses(write_task_with_uses(tmp_path / "t.yaml", name), tmp_path / "none") == ([], ["PS012"])


def check_suite(folder: Path, tasks: str) -> tuple[list[str], list[str]]:
    """Return the names of a suite's tasks in order, and the codes of its diagnostics."""
    path = write_file(folder / "s.suite.yaml", f"planspec: suite/1\nid: s\ntasks: {tasks}\nprotocol: strict\n")
    workspace, report = Workspace(shipped=folder / "none"), Report()
    document = workspace.open(path, report)
    assert document is not None
    suite_ = check_document(document, workspace, report)
    assert isinstance(suite_, Suite)
    assert suite_.protocol == "strict"
    return [task.name for task in suite_.tasks], [diagnostic.code for diagnostic in report.diagnostics]


def test_a_suite_names_tasks_by_path_pattern_or_id(tmp_path: Path) -> None:
    for name in ("t-1", "t-10", "t-2"):
        write_file(tmp_path / "easy" / f"{name}.task.yaml", TASK.format(id=name))
    assert check_suite(tmp_path, "[t-10, easy/t-2.task.yaml, t-1]") == (
        ["t-10.task.yaml", "t-2.task.yaml", "t-1.task.yaml"],
        [],
    )
    assert check_suite(tmp_path, "[easy/*.task.yaml]")[0] == [
        "t-1.task.yaml",
        "t-10.task.yaml",
        "t-2.task.yaml",
    ]
    assert check_suite(tmp_path, "[t-1, easy/t-1*]") == (["t-1.task.yaml", "t-10.task.yaml"], ["PS601"])


@pytest.mark.parametrize("tasks", ["[t-3]", "[no.yaml]", "['*.no']", "['a**']", "[/*]", "['']", "['[']"])
def test_a_missing_task_is_one_mistake(tasks: str, tmp_path: Path) -> None:
    assert check_suite(tmp_path, tasks) == ([], ["PS601"])
