"""Lines of long files are found by id. The files are found in the folders of a task's suite."""

from __future__ import annotations

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from planspec.environments import line_index as beside
from planspec.environments.line_index import folder_with, line_of


def write_lines(path: Path, *lines: str) -> Path:
    """Write lines to a file, and return its path."""
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def test_a_line_is_found_by_the_id_of_its_object(tmp_path: Path) -> None:
    lines = (
        '{"episode": "episode/1", "id": "mb-1", "query": "你好"}',
        '{"id": "mb-2", "of": {"id": "mb-9"}}',
        "",
        '{"of": {"id": "mb-9"}, "id": "mb-3"}',
        "no JSON",
        '{"id": 4}',
        '[{"id": "mb-5"}]',
        '{"id": "mb-1", "again": true}',
    )
    path = write_lines(tmp_path / "some.jsonl", *lines)
    for name, at in (("mb-1", 0), ("mb-2", 1), ("mb-3", 3)):
        assert line_of(path, name) == f"{lines[at]}\n".encode()
    for name in ("mb-4", "mb-5", "mb-9", "4", ""):
        assert line_of(path, name) is None


@given(names=st.lists(st.text(max_size=12), unique=True, max_size=6))
def test_ids_with_any_characters_are_found(names: list[str]) -> None:
    with TemporaryDirectory() as folder:
        lines = [json.dumps({"id": name, "at": at}, ensure_ascii=at % 2 == 0) for at, name in enumerate(names)]
        path = write_lines(Path(folder) / "some.jsonl", *lines)
        for line in lines:
            assert line_of(path, json.loads(line)["id"]) == f"{line}\n".encode()


def test_a_file_is_scanned_once_and_again_after_a_change(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "some.jsonl", '{"id": "a"}', '{"id": "b"}')
    before = beside._line_offsets.cache_info().misses
    assert line_of(path, "b") and line_of(path, "a") and line_of(path, "c") is None
    assert beside._line_offsets.cache_info().misses == before + 1
    write_lines(path, '{"id": "c"}')
    os.utime(path, ns=(1, 1))
    assert line_of(path, "c") and line_of(path, "a") is None
    assert beside._line_offsets.cache_info().misses == before + 2


def test_a_file_is_searched_in_the_suite_folder_and_its_parent(tmp_path: Path) -> None:
    inside = tmp_path / "suite" / "tasks"
    inside.mkdir(parents=True)
    task = write_lines(inside / "one.yaml", "planspec: task/1")
    assert folder_with("some.jsonl", str(task), None) is None
    write_lines(tmp_path / "suite" / "some.jsonl")
    assert folder_with("some.jsonl", str(task), None) == tmp_path / "suite"
    assert folder_with("some.jsonl", str(task), tmp_path / "suite") == tmp_path / "suite"
    assert folder_with("some.jsonl", str(task), inside) == tmp_path / "suite"
    assert folder_with("some.jsonl", str(task), tmp_path) is None


def test_the_folder_of_a_task_named_by_its_id_is_looked_up() -> None:
    parent = folder_with("queries.jsonl", "veritrip-001", None)
    assert parent is not None and parent.name == "veritrip"
