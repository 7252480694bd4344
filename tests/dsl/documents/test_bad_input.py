"""Checking any file ends soon, with diagnostics and never with a crash."""

from __future__ import annotations

import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from planspec.dsl.diagnostics.diagnostic import Diagnostic, DiagnosticError, Report
from planspec.dsl.documents.documents import check_document, task_from_path, task_from_text
from planspec.dsl.model.task import Task
from planspec.dsl.workspace.workspace import Workspace
from tests.dsl.cases import diagnostics_of

TASK = "planspec: task/1\nid: x\nquery: Where to?\nplan: {visits: {start: time, end: time}}\n"


def codes(path: Path) -> list[str]:
    """Return the codes of the diagnostics of a document."""
    return [diagnostic.code for diagnostic in diagnostics_of(path)]


def diagnostics_of_text(text: str) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of a task's text, or none if it can be loaded."""
    try:
        task_from_text(text)
    except DiagnosticError as error:
        return error.diagnostics
    return ()


def codes_of(text: str) -> list[str]:
    """Return the codes of the diagnostics of a task's text."""
    return [diagnostic.code for diagnostic in diagnostics_of_text(text)]


def task_with_rule(condition: str) -> str:
    """Return the text of a task with one constraint."""
    return f"{TASK}constraints:\n  a:\n    hard: >-\n      {condition}\n"


# -- files ----------------------------------------------------------------------------------------


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    (diagnostic,) = diagnostics_of(tmp_path / "no.yaml")
    assert (diagnostic.code, diagnostic.primary.text) == ("PS007", "there is no such file")


def test_a_folder_is_not_a_document(tmp_path: Path) -> None:
    (diagnostic,) = diagnostics_of(tmp_path)
    assert diagnostic.code == "PS007"
    assert "folder" in diagnostic.primary.text


@pytest.mark.parametrize("name", ["a" * 300, "a/" * 2000 + "b"])
def test_a_path_too_long_for_the_system_is_unreadable(name: str, tmp_path: Path) -> None:
    assert codes(tmp_path / name) == ["PS007"]


def test_a_file_that_is_not_utf8_is_refused_at_its_first_invalid_byte(tmp_path: Path) -> None:
    path = tmp_path / "task.yaml"
    path.write_bytes(TASK.replace("Where to?", "Où aller?").encode("latin-1"))
    (diagnostic,) = diagnostics_of(path)
    assert diagnostic.code == "PS001"
    assert (diagnostic.span.line, diagnostic.primary.text) == (3, "byte 0xf9 is not valid here")


def test_a_table_that_is_not_utf8_is_refused_without_further_errors(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("id,kind\ncafé,old\n".encode("latin-1"))
    path = tmp_path / "task.yaml"
    path.write_text(
        "planspec: task/1\nid: x\nquery: q\ntables:\n  Place: {columns: {kind: text}, csv: a.csv}\n"
        "plan: {visits: {place: key Place, start: time}}\nconstraints:\n  a:\n    hard: visits[park].start > 09:00\n"
    )
    assert codes(path) == ["PS001"]


def test_a_document_over_the_size_limit_is_refused_without_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "task.yaml"
    path.write_text(TASK + "#" * 2000)
    report = Report()
    assert Workspace(max_bytes=1000).open(path, report) is None
    assert [diagnostic.code for diagnostic in report.diagnostics] == ["PS005"]


def test_windows_line_ends_and_a_byte_order_mark_change_nothing(tmp_path: Path) -> None:
    text = task_with_rule("all(v.start > arival for v in visits)")
    plain, windows = tmp_path / "plain.yaml", tmp_path / "windows.yaml"
    plain.write_bytes(text.encode())
    windows.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    (one,), (other,) = diagnostics_of(plain), diagnostics_of(windows)
    assert one.span.text == other.span.text == "arival"
    assert (one.span.line, one.span.column) == (other.span.line, other.span.column)
    windows.write_bytes(b"\xef\xbb\xbf" + text.replace("arival", "10:00").replace("\n", "\r\n").encode())
    assert isinstance(task_from_path(windows), Task)


# -- YAML -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "PS002"),
        ("\n\n# only a comment\n", "PS002"),
        ("\0", "PS002"),
        ("planspec: task/1\nid: \0\n", "PS002"),
        ("{", "PS002"),
        ("a: b: c", "PS002"),
        ("\tplanspec: task/1", "PS002"),
        ("just a text", "PS008"),
        ("- planspec: task/1", "PS008"),
        ("id: x", "PS008"),
        ("planspec: [task/1]", "PS008"),
        ("planspec: task/2", "PS008"),
        ("planspec: task/1\nid: x\n---\nplanspec: task/1\n", "PS004"),
        ("planspec: task/1\x85id: x\n", "PS004"),
        ("planspec: task/1\u2028id: x\n", "PS004"),
    ],
)
def test_an_invalid_document_is_one_mistake(text: str, code: str) -> None:
    assert set(codes_of(text)) == {code}


def test_a_yaml_bomb_is_harmless() -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{b}: &{b} [{', '.join([f'*{a}'] * 10)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert set(codes_of(TASK + f"meta:\n  {bomb.replace(chr(10), chr(10) + '  ').rstrip()}\n")) == {"PS004"}


@pytest.mark.parametrize("depth", [101, 10_000])
def test_deep_yaml_is_refused(depth: int) -> None:
    assert codes_of(TASK + "meta: {a: " + "[" * depth + "]" * depth + "}\n") == ["PS006"]


# -- expressions ----------------------------------------------------------------------------------

LONG = "true and " * 100_000 + "true"


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("(" * 10_000 + "true" + ")" * 10_000, "PS005"),
        ("(" * 9_000 + "true" + ")" * 9_000, "PS006"),
        ("(" * 10_000, "PS102"),
        ("not " * 4_000 + "true", "PS006"),
        ("1 < " + "+".join(["1"] * 5_000), "PS006"),
        ("1 < " + "- " * 5_000 + "1", "PS006"),
        ("1 < " + " ?? ".join(["1"] * 3_000), "PS006"),
        (" implies ".join(["true"] * 1_000), "PS006"),
        ("true if true else " * 500 + "true", "PS006"),
        ("count(visits)" + ".a" * 5_000 + " > 1", "PS006"),
        ("{" * 5_000 + "}" * 5_000 + " == {}", "PS006"),
        ("1 < " + "min(" * 3_000 + "1" + ", 2)" * 1_000, "PS102"),
        ("count(v for v in " * 900 + "visits" + ")" * 900 + " > 1", "PS006"),
        (LONG, "PS005"),
        ("1 < " + "9" * 10_000, "PS402"),
        ("1 < " + "9" * 5_000 + ".5", "PS402"),
        ("1min < " + "9" * 5_000 + "d", "PS402"),
        ("1m < " + "9" * 5_000 + "km", "PS402"),
        ('"' + "a" * 10_000, "PS101"),
    ],
)
def test_an_expression_over_a_limit_is_one_mistake(condition: str, code: str) -> None:
    assert codes_of(task_with_rule(condition)) == [code]


def test_a_long_flat_expression_is_accepted() -> None:
    many = "any(v.start > 09:00 for v in visits) and " * 300
    assert codes_of(task_with_rule(many + "count(visits) > 1")) == []


def test_nested_calls_are_checked_once_each() -> None:
    nested = "count(visits)"
    for i in range(60):
        nested = f"min(max({nested}, {i}), abs({i}))"
    assert codes_of(task_with_rule(f"{nested} > 1")) == ["PS006"]
    nested = "count(visits)"
    for i in range(23):
        nested = f"max(0, min({nested}, {i + 1}), 3)"
    assert codes_of(task_with_rule(f"{nested} > 1 and 1 in {{{nested}, 2}}")) == []


def test_a_line_of_a_megabyte_is_read() -> None:
    assert codes_of(TASK + f'meta: {{a: "{"x" * 1_000_000}"}}\n') == []
    assert codes_of(task_with_rule("count(visits) > 1 " + " " * 1_000_000 + "and true")) == ["PS005"]


@pytest.mark.slow
def test_a_long_chain_and_a_long_cycle_of_definitions_are_refused() -> None:
    chain = "".join(f"  d{i}: d{i + 1} + 1\n" for i in range(3_000))
    assert codes_of(f"{TASK}define:\n{chain}  d3000: 1\nconstraints:\n  a: {{hard: count(visits) > d0}}\n") == ["PS006"]
    assert codes_of(f"{TASK}define:\n{chain}  d3000: d0\nconstraints:\n  a: {{hard: count(visits) > d0}}\n") == [
        "PS006",
        "PS206",
    ]


def test_definitions_that_use_the_previous_one_twice_do_not_grow_exponentially() -> None:
    doubled = "".join(f"  d{i}(v visits): d{i + 1}(v) implies d{i + 1}(v) and not d{i + 1}(v)\n" for i in range(18))
    text = f"{TASK}define:\n{doubled}  d18(v visits): v.start > 09:00\n"
    assert codes_of(f"{text}constraints:\n  a: {{hard: all(d0(v) for v in visits)}}\n") == []


@pytest.mark.slow
def test_a_chain_of_a_thousand_libraries_is_loaded(tmp_path: Path) -> None:
    for i in range(1_000):
        (tmp_path / f"l{i}.yaml").write_text(f"planspec: library/1\nid: l{i}\nuses: [l{i + 1}]\n")
    (tmp_path / "l1000.yaml").write_text("planspec: library/1\nid: l1000\n")
    path = tmp_path / "task.yaml"
    path.write_text(TASK + "scope: {visits: {start: 09:00, end: 10:00}}\nuses: [l0]\n")
    assert codes(path) == []


# -- tables ---------------------------------------------------------------------------------------


def task_with_table(entry: str) -> str:
    """Return the text of a task with this source of a table."""
    return f"planspec: task/1\nid: x\nquery: q\ntables:\n  Place: {{columns: {{kind: text, n: int?}}, {entry}}}\nplan: {{visits: {{place: Place}}}}\n"


@pytest.mark.parametrize(
    "name", ["no.csv", "..", "/", "a" * 300 + ".csv", '"a\\0b.csv"', "/dev/null", '"\\u00e9"', "~"]
)
def test_a_table_file_that_cannot_be_read_is_one_mistake(name: str, tmp_path: Path) -> None:
    path = tmp_path / "task.yaml"
    path.write_text(task_with_table(f"csv: {name}"))
    assert codes(path) == ["PS014"]


def test_a_reference_that_cannot_be_read_is_one_mistake(tmp_path: Path) -> None:
    path = tmp_path / "task.yaml"
    for name, content in (
        ("a.json", b"{"),
        ("b.json", b"\xff"),
        ("c.json", b"[" * 100_000),
        ("d.json", b"9" * 5_000),
    ):
        (tmp_path / name).write_bytes(content)
        path.write_text(f"{TASK}reference: {name}\n")
        assert codes(path) == ["PS014"]


@pytest.mark.parametrize("value", ["1e999999", "NaN", "[[1]]", '{"a": 1}', "9" * 5_000, "1.5", "true", '"x"'])
def test_a_json_value_of_the_wrong_type_is_a_bad_cell_or_row(value: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(f'{{"id": "park", "kind": "green", "n": {value}}}\n')
    path = tmp_path / "task.yaml"
    path.write_text(task_with_table("jsonl: a.jsonl"))
    assert codes(path) in (["PS016"], ["PS015"])


def test_an_endless_query_is_aborted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = sqlite3.connect(tmp_path / "a.sqlite")
    base.execute("create table t (id text)")
    base.commit()
    base.close()
    monkeypatch.setattr("planspec.dsl.tables.sqlite_parquet.QUERY_STEPS", 3_000_000)
    path = tmp_path / "task.yaml"
    query = "with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) as id from n"
    path.write_text(
        "planspec: task/1\nid: x\nquery: q\ntables:\n  Place:\n    columns: {kind: text?}\n    sqlite:\n"
        f"      file: a.sqlite\n      query: {query}\nplan: {{visits: {{place: Place}}}}\n"
    )
    (diagnostic,) = diagnostics_of(path)
    assert (diagnostic.code, diagnostic.message) == ("PS014", "the query failed")


def test_a_query_cannot_write(tmp_path: Path) -> None:
    base = sqlite3.connect(tmp_path / "a.sqlite")
    base.execute("create table t (id text)")
    base.commit()
    base.close()
    path = tmp_path / "task.yaml"
    for query in (
        "insert into t values ('a')",
        "drop table t",
        f"attach '{tmp_path}/b.sqlite' as b",
        "select 1; select 2",
    ):
        path.write_text(
            "planspec: task/1\nid: x\nquery: q\ntables:\n  Place:\n    columns: {kind: text?}\n    sqlite:\n"
            f'      file: a.sqlite\n      query: "{query}"\nplan: {{visits: {{place: Place}}}}\n'
        )
        report = Report()
        document = Workspace().open(path, report)
        assert document is not None
        check_document(document, Workspace(), report)
        assert sqlite3.connect(tmp_path / "a.sqlite").execute("select count(*) from t").fetchall() == [(0,)]
        assert not (tmp_path / "b.sqlite").exists()


def test_only_the_first_of_many_bad_cells_are_reported(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,kind,n\n" + "".join(f"p{i},green,x\n" for i in range(500)))
    path = tmp_path / "task.yaml"
    path.write_text(task_with_table("csv: a.csv"))
    diagnostics = diagnostics_of(path)
    assert [diagnostic.code for diagnostic in diagnostics] == ["PS016"] * 10
    assert diagnostics[-1].help is not None
    assert "number 10" in diagnostics[-1].help


# -- large amounts ---------------------------------------------------------------------------------


def test_a_file_with_too_many_mistakes_is_read_no_further(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("planspec.dsl.diagnostics.diagnostic.DIAGNOSTICS", 5)
    path = tmp_path / "task.yaml"
    path.write_text(TASK + "".join(f"wrong{n}: {{}}\n" for n in range(100)))
    assert Counter(codes(path)) == {"PS009": 5, "PS020": 1}
    path.write_text(TASK + "constraints:\n" + "".join(f"  c{n}: {{hard: wrong{n}}}\n" for n in range(100)))
    assert Counter(codes(path)) == {"PS201": 5, "PS020": 1}


@pytest.mark.slow
def test_many_unknown_keys_are_reported_quickly() -> None:
    diagnostics = diagnostics_of_text(TASK + "".join(f"wrong{n}: {{}}\n" for n in range(20_000)))
    assert Counter(diagnostic.code for diagnostic in diagnostics) == {"PS009": 1_000, "PS020": 1}


def test_a_table_with_too_many_columns_is_refused_at_its_header(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(",".join(f"c{n}" for n in range(100_000)) + "\n")
    text = f"{TASK}tables:\n  Place: {{columns: {{kind: text}}, csv: a.csv}}\n"
    path = tmp_path / "task.yaml"
    path.write_text(text)
    (diagnostic,) = diagnostics_of(path)
    assert (diagnostic.code, diagnostic.primary.text) == ("PS014", "more than 2,000")


@pytest.mark.parametrize(
    "query",
    [
        "select zeroblob(999999999) as id",
        "select hex(zeroblob(200000)) as id",
        "select 1 as id from a, a, a, a",
    ],
)
def test_a_query_is_bounded_in_bytes_rows_and_steps(
    query: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("planspec.dsl.tables.sqlite_parquet.TABLE_ROWS", 5_000)
    base = sqlite3.connect(tmp_path / "a.sqlite")
    base.execute("create table a(n)")
    base.executemany("insert into a values (?)", [(n,) for n in range(10)])
    base.commit()
    base.close()
    path = tmp_path / "task.yaml"
    path.write_text(
        f'{TASK}tables:\n  Place: {{columns: {{kind: text}}, sqlite: {{file: a.sqlite, query: "{query}"}}}}\n'
    )
    (diagnostic,) = diagnostics_of(path)
    assert diagnostic.code == "PS014"


def test_the_number_of_columns_is_limited_over_all_rows(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("".join(f'{{"id": "p{n}", "kimd{n}": 1}}\n' for n in range(3_000)))
    path = tmp_path / "task.yaml"
    path.write_text(f"{TASK}tables:\n  Place: {{columns: {{kind: text}}, jsonl: a.jsonl}}\n")
    assert codes(path) == ["PS014"]
