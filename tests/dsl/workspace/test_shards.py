"""Files with many tasks (shards) are split where YAML splits them. Each task is a document like a file of its own."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from planspec.dsl.diagnostics.diagnostic import Diagnostic, Report, Severity
from planspec.dsl.documents.documents import Suite, check_document, task_from_path
from planspec.dsl.workspace.shards import (
    TaskPaths,
    documents_by_name,
    shard_bytes,
    split_task_path,
    task_path,
)
from planspec.dsl.workspace.workspace import MAX_CACHED_FILES, Workspace

TASK = "planspec: task/1\nid: {id}\nquery: q\nplan: {{v: {{n: int}}}}\n"
SUITE = "planspec: suite/1\nid: s\ntasks: {tasks}\n"


def task_text(id_: str) -> str:
    """Return the text of a task with this id."""
    return TASK.format(id=id_)


def write_shard(folder: Path, *ids: str, name: str = "a.tasks.yaml") -> Path:
    """Write a shard (a file of many tasks) with these ids."""
    path = folder / name
    path.write_bytes(shard_bytes(path, "---\n".join(map(task_text, ids))))
    return path


def write_file(folder: Path, text: str | bytes, name: str = "a.tasks.yaml") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def check_suite(folder: Path, tasks: str) -> tuple[Suite | None, list[Diagnostic]]:
    """Check a suite with these entries. Return the suite or None, and its diagnostics."""
    workspace, report = Workspace(), Report()
    document = workspace.open(write_file(folder, SUITE.format(tasks=tasks), "s.suite.yaml"), report)
    assert document is not None
    checked = check_document(document, workspace, report)
    assert checked is None or isinstance(checked, Suite)
    return checked, list(report.ordered())


def diagnostics_of(path: Path) -> list[Diagnostic]:
    """Return the diagnostics of a task or of a shard."""
    workspace, report = Workspace(), Report()
    document = workspace.open(path, report)
    if document is not None:
        check_document(document, workspace, report)
    return list(report.ordered())


def codes(path: Path) -> list[str]:
    """Return the codes of the errors."""
    return [diagnostic.code for diagnostic in diagnostics_of(path) if diagnostic.severity is Severity.ERROR]


def messages(diagnostics: list[Diagnostic]) -> str:
    """Return code, headline and label of all diagnostics in one string."""
    return " ".join(f"{d.code} {d.message} {d.primary.text}" for d in diagnostics)


# ------------------------------------------------------------------ splitting


@given(
    st.lists(
        st.lists(st.sampled_from(["a: 1", "b: |\n  --- \n  x", "# ---", "c: '\n  ---'", "d: ----", ""])),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["---", "--- # part", "---  "]),
)
def test_a_stream_is_split_where_yaml_splits_it(documents: list[list[str]], end: str, mark: str) -> None:
    """PyYAML's own reader, which accepts repeated keys, gives the expected documents."""
    texts = ["\n".join([f"id: t{n}", *lines]) for n, lines in enumerate(documents)]
    data = f"\n{mark}\n".join(texts).replace("\n", end).encode() + end.encode()
    entries = documents_by_name(data)
    assert [yaml.safe_load(data[e.start : e.end]) for e in entries.values()] == list(yaml.safe_load_all(data))
    assert list(entries) == [f"t{n}" for n in range(len(documents))]
    assert [data[: e.start].count(b"\n") + 1 for e in entries.values()] == [e.line for e in entries.values()]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("---\nid: a\n", ["a"]),
        ("# of\n\n--- # the\nid: a\n---\nid: b\n", ["a", "b"]),
        ("\ufeffx: 1\nid: a\n", ["a"]),
        ("id: a\n---\n---\nid: 'b' # c\n", ["a", "@2", "b"]),
        ("id: a\n---\nid: a\n", ["a", "@2"]),
        ("{id: a}\n", ["@1"]),
        ("meta:\n  id: x\nid: a\n", ["a"]),
        ("id: a\n--- {id: b}\n", ["a"]),
    ],
)
def test_documents_have_their_ids_as_names(text: str, names: list[str]) -> None:
    """A document without an id, or with the id of another one, gets a number as its name. The number is not an id."""
    assert list(documents_by_name(text.encode())) == names


def test_a_path_names_a_task_of_a_shard() -> None:
    """Other paths do not name a task of a shard."""
    path = task_path(Path("x/a.tasks.yaml.gz"), "trip-1")
    assert (path, split_task_path(path)) == (
        Path("x/a.tasks.yaml.gz#trip-1"),
        (Path("x/a.tasks.yaml.gz"), "trip-1"),
    )
    assert [split_task_path(Path(name)) for name in ("a.tasks.yaml", "a.json#b", "a.tasks.yaml#", "#a")] == [None] * 4
    assert split_task_path(Path("x/a.suite.yaml#b")) == (Path("x/a.suite.yaml"), "b")


def test_the_paths_of_tasks_are_a_sequence() -> None:
    """The paths can be read in order, from both ends, and in slices."""
    paths = TaskPaths([(Path("a.yaml"), None), (Path("b.tasks.yaml"), ("x", "y")), (Path("c.yaml"), None)])
    listed = [Path("a.yaml"), Path("b.tasks.yaml#x"), Path("b.tasks.yaml#y"), Path("c.yaml")]
    assert (list(paths), len(paths), [paths[at] for at in range(-4, 4)]) == (listed, 4, listed * 2)
    assert (paths[1:3], paths[:1], Path("b.tasks.yaml#y") in paths) == (listed[1:3], listed[:1], True)
    assert (len(TaskPaths([])), list(TaskPaths([]))) == (0, [])
    with pytest.raises(IndexError):
        paths[4]


# ------------------------------------------------------------------ reading


@pytest.mark.parametrize("name", ["a.tasks.yaml", "a.tasks.yaml.gz"])
def test_a_mistake_is_reported_at_its_line_in_the_shard(name: str, tmp_path: Path) -> None:
    """The lines are also right for quoted lines, and for mistakes of two tasks at the same offset."""
    texts = [
        task_text("a"),
        task_text("b") + "constraints: {c: {hard: x}}\n",
        task_text("c") + "constraints: {c: {hard: x}}\n",
    ]
    path = tmp_path / name
    path.write_bytes(shard_bytes(path, "---\n".join(texts)))
    report, workspace = Report(), Workspace()
    for id_ in "abc":
        document = workspace.open(task_path(path, id_), report)
        assert document is not None
        own = Report()
        check_document(document, workspace, own)
        for diagnostic in own.diagnostics:
            report.add(diagnostic)
    unknown = [d.span for d in report.ordered() if d.code == "PS201"]
    assert [(span.line, span.column, span.source.name) for span in unknown] == [
        (10, 25, str(path)),
        (16, 25, str(path)),
    ]
    assert {span.source.line_text(span.line) for span in unknown} == {"constraints: {c: {hard: x}}"}


def test_line_ends_and_a_byte_order_mark_change_nothing(tmp_path: Path) -> None:
    """The text is written as on Windows."""
    text = "\ufeff" + "---\n".join([task_text("a"), task_text("b") + "x: 1\n"])
    path = write_file(tmp_path, text.replace("\n", "\r\n"))
    assert task_from_path(task_path(path, "a"), Workspace()).id == "a"
    (unknown,) = diagnostics_of(task_path(path, "b"))
    assert (unknown.code, unknown.span.line, unknown.span.text) == ("PS009", 10, "x")


def test_paths_in_a_task_are_relative_to_its_shard(tmp_path: Path) -> None:
    """Libraries and tables' files are found from the shard's folder."""
    write_file(tmp_path, "planspec: library/1\nid: lib\nplan: {v: {n: int}}\n", "lib.yaml")
    write_file(tmp_path, "id\nx\n", "p.csv")
    text = "planspec: task/1\nid: a\nquery: q\nuses: [lib]\ntables: {P: {columns: {id: key text}, csv: p.csv}}\n"
    path = write_file(tmp_path, text)
    assert codes(task_path(path, "a")) == []


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        (b"", "PS002", "is empty"),
        (b"# nothing\n\n", "PS002", "is empty"),
        (task_text("a").encode()[:-3], "PS002", "is cut off"),
        (task_text("a").encode(), "PS017", "holds many tasks"),
    ],
)
def test_a_shard_is_not_a_document(text: bytes, code: str, words: str, tmp_path: Path) -> None:
    """An invalid shard, such as a truncated one, is not a document either."""
    diagnostics = diagnostics_of(write_file(tmp_path, text))
    assert [d.code for d in diagnostics] == [code]
    assert words in messages(diagnostics)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (gzip.compress(task_text("a").encode() * 99, mtime=0)[:-9], "breaks off"),
        (gzip.compress(task_text("a").encode() * 99, mtime=0)[:40], "breaks off"),
        (b"planspec: task/1\n", "not a gzipped file"),
        (gzip.compress(task_text("a").encode(), mtime=0)[:-8] + b"\0" * 8, "crc check failed"),
        (gzip.compress(task_text("a").encode(), mtime=0) + b"more", "not a gzipped file"),
    ],
)
def test_a_damaged_compressed_shard_is_not_read(data: bytes, words: str, tmp_path: Path) -> None:
    """The file is truncated or damaged within. None of its tasks are read, and the suite reports a mistake."""
    path = write_file(tmp_path, data, "a.tasks.yaml.gz")
    diagnostics = diagnostics_of(task_path(path, "a"))
    assert [d.code for d in diagnostics] == ["PS007"]
    assert words in messages(diagnostics)
    assert [d.code for d in check_suite(tmp_path, "[a.tasks.yaml.gz]")[1]] == ["PS007"]


def test_a_decompression_bomb_is_harmless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Decompression stops at the limit."""
    monkeypatch.setattr("planspec.dsl.workspace.shards.SHARD_BYTES", 1_000_000)
    path = write_file(tmp_path, gzip.compress(bytes(50_000_000), mtime=0), "a.tasks.yaml.gz")
    assert path.stat().st_size < 100_000
    assert codes(task_path(path, "a")) == ["PS005"]


@pytest.mark.parametrize(
    ("text", "name", "code", "line"),
    [
        (task_text("a") + "---\nplanspec: library/1\nid: b\n", "b", "PS017", 6),
        (task_text("a") + "---\nid: b\n", "b", "PS008", 6),
        (task_text("a") + "---\n", "@2", "PS002", 6),
        (task_text("a") + "---\nplanspec: task/1\nquery: q\n", "@2", "PS010", 6),
        (task_text("a") + "---\n" + task_text("a"), "@2", "PS602", 7),
        ("{planspec: task/1, id: a, query: q}\n", "@1", "PS011", 1),
        (task_text('"\\x61"'), "\\x61", "PS011", 2),
        (task_text("a") + "--- {x: 1}\n", "a", "PS004", 5),
    ],
)
def test_a_document_that_is_not_a_task_with_the_requested_id_is_refused(
    text: str, name: str, code: str, line: int, tmp_path: Path
) -> None:
    """The mistake is reported at its position in the shard."""
    diagnostics = diagnostics_of(task_path(write_file(tmp_path, text), name))
    assert [d.code for d in diagnostics][:1] == [code]
    assert diagnostics[0].span.line == line


def test_an_invalid_utf8_byte_is_reported_at_its_line(tmp_path: Path) -> None:
    """Other tasks of the shard can still be opened."""
    path = write_file(tmp_path, task_text("a").encode() + b"---\n" + task_text("b").encode() + b"title: \xe9\n")
    assert codes(task_path(path, "a")) == []
    (wrong,) = diagnostics_of(task_path(path, "b"))
    assert (wrong.code, wrong.span.line, wrong.span.column) == ("PS001", 10, 8)


def test_a_workspace_caches_few_tasks_of_a_shard(tmp_path: Path) -> None:
    """The size of the cache does not depend on the number of opened tasks."""
    workspace = Workspace()
    path = write_shard(tmp_path, *(f"t{n}" for n in range(20)))
    for n in range(20):
        assert workspace.open(task_path(path, f"t{n}"), Report()) is not None
    assert (len(workspace._tasks), len(workspace._documents)) == (MAX_CACHED_FILES, 0)


# ------------------------------------------------------------------ suites and ids


def test_a_suite_lists_the_tasks_of_its_shards_in_order(tmp_path: Path) -> None:
    """Shards that match a pattern are ordered by name."""
    for name, ids in (("p2.tasks.yaml.gz", "dc"), ("p1.tasks.yaml.gz", "ab"), ("q.tasks.yaml", "ef")):
        write_shard(tmp_path, *ids, name=name)
    write_file(tmp_path, task_text("x"), "x.yaml")
    suite_, diagnostics = check_suite(tmp_path, '["p*.tasks.yaml.gz", x.yaml, "q.tasks.yaml#f"]')
    assert suite_ is not None and diagnostics == []
    assert [path.name.removeprefix("p1.tasks.yaml.gz") for path in suite_.tasks] == [
        "#a",
        "#b",
        "p2.tasks.yaml.gz#d",
        "p2.tasks.yaml.gz#c",
        "x.yaml",
        "q.tasks.yaml#f",
    ]


def test_one_id_in_two_shards_of_a_suite_is_a_mistake(tmp_path: Path) -> None:
    """The id would be ambiguous."""
    write_shard(tmp_path, "a", "b")
    write_shard(tmp_path, "b", "c", name="b.tasks.yaml.gz")
    (wrong,) = check_suite(tmp_path, "[a.tasks.yaml, b.tasks.yaml.gz]")[1]
    assert (wrong.code, wrong.message) == ("PS602", "two tasks of the suite are `b`")


def test_one_id_in_two_files_of_a_suite_is_a_mistake(tmp_path: Path) -> None:
    """Answers and attempts refer to a task by its id, which must be unique."""
    for name in ("a.task.yaml", "b.task.yaml"):
        write_file(tmp_path, task_text("trip"), name)
    (wrong,) = check_suite(tmp_path, "[a.task.yaml, b.task.yaml]")[1]
    assert (wrong.code, wrong.message) == ("PS602", "two tasks of the suite are `trip`")
    (wrong,) = check_suite(tmp_path, '["*.task.yaml"]')[1]
    assert wrong.code == "PS602"
    write_shard(tmp_path, "trip")
    assert [d.code for d in check_suite(tmp_path, "[a.task.yaml, a.tasks.yaml]")[1]] == ["PS602"]


@pytest.mark.parametrize("entry", ["none.tasks.yaml", "a.tasks.yaml#z", "none.tasks.yaml#a", "z"])
def test_a_suite_reports_a_missing_task(entry: str, tmp_path: Path) -> None:
    """A shard, or a task of a shard, is missing."""
    write_shard(tmp_path, "a")
    assert [d.code for d in check_suite(tmp_path, f'["{entry}"]')[1]] == ["PS601"]


def test_a_task_is_found_by_its_id_without_a_path(tmp_path: Path) -> None:
    """The folder and its subfolders are searched. An id that occurs in two shards has two matches."""
    workspace = Workspace(shipped=tmp_path / "none")
    (tmp_path / "tasks").mkdir()
    path = write_shard(tmp_path / "tasks", "a", "b", name="p.tasks.yaml.gz")
    other = write_shard(tmp_path / "tasks", "b", name="q.tasks.yaml")
    assert workspace.find("task", "a", tmp_path) == [task_path(path, "a")]
    assert workspace.find("task", "b", tmp_path) == [task_path(path, "b"), task_path(other, "b")]
    assert workspace.find("library", "a", tmp_path) == []
    assert set(workspace.ids("task", tmp_path)) == {"a", "b"}
    suite_, diagnostics = check_suite(tmp_path, "[a]")
    assert suite_ is not None and (list(suite_.tasks), diagnostics) == ([task_path(path, "a")], [])


def test_an_unsaved_text_replaces_a_shard(tmp_path: Path) -> None:
    """Editors pass unsaved texts in this way."""
    workspace = Workspace()
    workspace.hold(tmp_path / "a.tasks.yaml", task_text("a") + "---\n" + task_text("b"))
    assert workspace.names_in(tmp_path / "a.tasks.yaml", Report()) == ("a", "b")
    assert workspace.open(tmp_path / "a.tasks.yaml#b", Report()) is not None


def test_the_last_tasks_of_files_and_the_documents_they_use_stay_cached(tmp_path: Path) -> None:
    (tmp_path / "lib.yaml").write_text("planspec: library/1\nid: lib\nplan: {visits: {n: key int}}\n")
    workspace = Workspace()
    for number in range(MAX_CACHED_FILES + 2):
        path = tmp_path / f"t{number}.task.yaml"
        path.write_text(f"planspec: task/1\nid: t{number}\nquery: q\nuses: [lib.yaml]\nscope: {{visits: [{{n: 1}}]}}\n")
        assert task_from_path(path, workspace).id == f"t{number}"
    assert (len(workspace._tasks), len(workspace._documents)) == (MAX_CACHED_FILES, 1)
    assert task_from_path(tmp_path / "t0.task.yaml", workspace).id == "t0"
