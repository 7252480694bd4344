"""Shards of JSON lines: ids and mistakes of their tasks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.documents.documents import check_document
from planspec.dsl.workspace.workspace import Workspace

TASK: dict[str, Any] = {"planspec": "task/1", "id": "a", "query": "q", "plan": {"v": {"n": "int"}}}


def mistakes(folder: Path, *tasks: Any) -> list[tuple[str, int]]:
    """Return the code and line of each mistake of a shard and its tasks."""
    path = folder / "x.tasks.jsonl"
    path.write_text("".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in tasks))
    workspace, report = Workspace(), Report()
    for name in workspace.names_in(path, report) or ():
        document = workspace.open(path.with_name(f"{path.name}#{name}"), report)
        if document is not None:
            check_document(document, workspace, report)
    return [(each.code, each.span.line) for each in report.ordered() if each.severity.value == "error"]


@pytest.mark.parametrize(
    ("task", "code"),
    [
        ({**TASK, "id": "a/b"}, "PS011"),
        ({**TASK, "id": "../b"}, "PS011"),
        ({**TASK, "id": "a#b"}, "PS011"),
        ({**TASK, "id": "a "}, "PS011"),
        ({**TASK, "id": ""}, "PS011"),
        ({**TASK, "id": [1]}, "PS011"),
        ({key: value for key, value in TASK.items() if key != "id"}, "PS010"),
        ({**TASK}, "PS602"),
        ({"id": "b", **TASK, "query": "q"}, "PS008"),
        ({**TASK, "id": "b", "planspec": "suite/1"}, "PS017"),
        ('{"planspec": "task/1", "id": "\\ud800"}', "PS015"),
        ("nothing", "PS015"),
    ],
)
def test_a_mistake_is_reported_at_its_line(tmp_path: Path, task: Any, code: str) -> None:
    assert (code, 2) in mistakes(tmp_path, TASK, task)


def test_tasks_are_found_by_their_ids(tmp_path: Path) -> None:
    assert mistakes(tmp_path, TASK, {**TASK, "id": "b.1"}, {**TASK, "id": "c"}) == []
    workspace, path = Workspace(), tmp_path / "x.tasks.jsonl"
    assert workspace.names_in(path, Report()) == ("a", "b.1", "c")
    assert [workspace.has_task(path, name) for name in ("b.1", "d")] == [True, False]
    assert workspace.has_task(tmp_path / "absent.tasks.jsonl", "a") is None
