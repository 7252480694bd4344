"""Rows of SQL queries are read in batches and may have values of any type. They are part of a task's hash."""

from __future__ import annotations

import sqlite3
from hashlib import sha256
from pathlib import Path

import pytest

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from tests.dsl.documents.test_data import load_task, values

COUNTING = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500) select"


def create_database(folder: Path, *statements: str) -> None:
    """Create the SQLite file `a.sqlite` with a table `t`, and execute these statements."""
    connection = sqlite3.connect(folder / "a.sqlite")
    for statement in ("create table t (id text, n, words text)", *statements):
        connection.execute(statement)
    connection.commit()
    connection.close()


def table_of_query(query: str, columns: str = "n: int?") -> str:
    """Return the declaration of a table `T` with the rows of a query."""
    return f'  T:\n    columns: {{{columns}}}\n    sqlite: {{file: a.sqlite, query: "{query}"}}\n'


def test_a_query_is_read_in_batches_to_its_end(tmp_path: Path) -> None:
    create_database(tmp_path)
    task = load_task(tmp_path, table_of_query(f"{COUNTING} 'r' || i as id, i as n, null as words from n"))
    assert values(task, "T", "id", "n") == [(f"r{i}", i) for i in range(1, 2501)]
    assert [row._index for row in task.facts["T"].rows] == list(range(2500))


def test_a_column_of_a_query_may_have_values_of_every_type(tmp_path: Path) -> None:
    create_database(
        tmp_path,
        "insert into t values ('a', 1, 'x'), ('b', 2.0, 'y'), ('c', '3', null), ('d', null, ''), ('e', '', 5)",
    )
    task = load_task(tmp_path, table_of_query("select * from t", "n: int?, words: text?"))
    assert values(task, "T", "id", "n", "words") == [
        ("a", 1, "x"),
        ("b", 2, "y"),
        ("c", 3, None),
        ("d", None, None),
        ("e", None, "5"),
    ]


@pytest.mark.parametrize("query", ["select * from t", "-- nothing is asked"])
def test_a_query_may_return_no_rows(query: str, tmp_path: Path) -> None:
    create_database(tmp_path)
    task = load_task(tmp_path, table_of_query(query))
    assert task.facts["T"].rows == []


def test_the_hash_of_a_task_depends_on_all_cells_of_a_query(tmp_path: Path) -> None:
    create_database(tmp_path, "insert into t values ('a', 1, 'x'), ('b', null, '美')")
    task = load_task(tmp_path, table_of_query("select id, n, words as more from t"))
    (source,) = [source for source in task.sources if source.base is not None]
    contents = "[('id', 'a'), ('n', '1'), ('more', 'x')][('id', 'b'), ('n', None), ('more', '美')]"
    assert source.text == f"2 rows, SHA-256 {sha256(contents.encode()).hexdigest()}"
    assert [dict(row._extra) for row in task.facts["T"].rows] == [{"more": "x"}, {"more": "美"}]
    before = task.hash
    (tmp_path / "a.sqlite").unlink()
    create_database(tmp_path, "insert into t values ('a', 1, 'x'), ('b', null, '好')")
    assert load_task(tmp_path, table_of_query("select id, n, words as more from t")).hash != before


def test_a_key_in_two_sources_is_underlined_in_both(tmp_path: Path) -> None:
    (tmp_path / "worlds").mkdir()
    (tmp_path / "worlds" / "w.yaml").write_text(
        "planspec: world/1\nid: w\ncurrency: EUR\ntables:\n  T:\n    columns: {n: int}\n    csv: |\n      id,n\n      a,1\n      b,2\n"
    )
    with pytest.raises(DiagnosticError) as caught:
        load_task(tmp_path, "  T:\n    - {id: c, n: 3}\n    - {id: b, n: 4}\nworld: w\n")
    (one,) = caught.value.diagnostics
    assert (one.code, one.span.text, one.secondary[0].span.text) == ("PS408", "{id: b, n: 4}", "b,2")
