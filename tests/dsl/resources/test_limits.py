"""An input exactly at a limit is accepted, and a larger one is reported with the code in the table of limits."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planspec import Judge
from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.resources.limits import LIMITS
from planspec.dsl.workspace.shards import shard_bytes
from planspec.verifiers.answers.envelope import Undelivered, read_answer
from planspec.verifiers.meaning.ground import ground
from tests.dsl.cases import diagnostics_of

HEAD = "planspec: task/1\nid: t\nquery: q\nplan: {v: {a: int}}\n"
Probe = Callable[[int, Path], set[str]]


def codes_of_document(text: str, folder: Path, **files: str) -> set[str]:
    """Write a document with further files, and return the codes of its diagnostics."""
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_text(content)
    path = folder / "t.yaml"
    path.write_text(text)
    return {diagnostic.code for diagnostic in diagnostics_of(path)}


def codes_of_shard(text: str, folder: Path) -> set[str]:
    """Write a compressed shard, and return the codes of its diagnostics."""
    path = folder / "t.tasks.yaml.gz"
    path.write_bytes(shard_bytes(path, text))
    return {diagnostic.code for diagnostic in diagnostics_of(path)}


def codes_of_grounding(text: str) -> set[str]:
    """Return the codes of the diagnostics of grounding a task."""
    try:
        return {diagnostic.code for diagnostic in ground(task_from_text(text)).diagnostics}
    except DiagnosticError as error:
        return {diagnostic.code for diagnostic in error.diagnostics}


def task_with_rule(condition: str) -> str:
    """Return the text of a task with one constraint."""
    return f"{HEAD}constraints:\n  c:\n    hard: >-\n      {condition}\n"


def task_with_table(source: str, columns: str = "x: text?") -> str:
    """Return the text of a task with a table from this source."""
    return f"{HEAD}tables:\n  P: {{columns: {{id: key text, {columns}}}, {source}}}\n"


def codes_of_query(sql: str, folder: Path) -> set[str]:
    """Return the codes of the diagnostics of a table that an SQL query fills."""
    path = folder / "a.sqlite"
    if not path.exists():
        sqlite3.connect(path).close()
    return codes_of_document(task_with_table(f'sqlite: {{file: a.sqlite, query: "{sql}"}}'), folder)


def kinds_of_reading(text: str) -> set[str]:
    """Return `undelivered` if a text has no answer, otherwise an empty set."""
    return {"undelivered"} if isinstance(read_answer(text), Undelivered) else set()


def kinds_of_judging(answer: dict[str, Any], columns: str = "a: int", condition: str = "true") -> set[str]:
    """Return the kinds of the findings on an answer to a small task."""
    task = task_from_text(
        f"planspec: task/1\nid: t\nquery: q\nplan: {{v: {{{columns}}}}}\nconstraints:\n  c:\n    hard: >-\n      {condition}\n"
    )
    return {finding.kind or "" for finding in Judge(task).answer(answer).findings}


def task_with_product(factors: int) -> str:
    """Return the text of a task with a product of this many factors."""
    return task_with_rule(f"all({' * '.join(['x.a'] * factors)} > 1 for x in v)")


PROBES: dict[tuple[str, str], tuple[str, int, Probe]] = {
    ("a document", "bytes"): (
        "dsl.yaml.source_files.DOCUMENT_BYTES",
        10_000_000,
        lambda n, folder: codes_of_document(HEAD + "#" * (n - len(HEAD)), folder),
    ),
    ("a document", "scalars, lists and mappings"): (
        "dsl.yaml.composer.DOCUMENT_NODES",
        40,
        lambda n, folder: codes_of_document(f"{HEAD}meta: {{m: [{'x,' * (n - 17)}]}}\n", folder),
    ),
    ("a document", "levels of lists and mappings"): (
        "",
        100,
        lambda n, folder: codes_of_document(f"{HEAD}meta: {{m: {'[' * (n - 2)}{']' * (n - 2)}}}\n", folder),
    ),
    ("a document", "mistakes that are reported"): (
        "dsl.diagnostics.diagnostic.DIAGNOSTICS",
        6,
        lambda n, folder: codes_of_document(HEAD + "".join(f"x{i}: 1\n" for i in range(n - 1)), folder),
    ),
    ("a shard of tasks", "bytes, after decompression"): (
        "dsl.workspace.shards.SHARD_BYTES",
        200,
        lambda n, folder: codes_of_shard(HEAD + "#" * (n - len(HEAD) - 1) + "\n", folder),
    ),
    ("a shard of tasks", "lines"): (
        "dsl.workspace.shards.TABLE_LINES",
        20,
        lambda n, folder: codes_of_shard(HEAD + "\n" * (n - 4), folder),
    ),
    ("an expression", "characters"): (
        "dsl.syntax.parser.EXPRESSION_CHARACTERS",
        500,
        lambda n, folder: codes_of_document(task_with_rule("1 < 2" + " " * (n - 8) + "+ 3"), folder),
    ),
    ("an expression", "levels of nesting, with its definitions expanded"): (
        "",
        100,
        lambda n, folder: codes_of_document(task_with_rule("not " * (n - 2) + "1 < 2"), folder),
    ),
    ("an expression", "factors of a product, with its definitions expanded"): (
        "",
        64,
        lambda n, _: codes_of_grounding(task_with_product(n)),
    ),
    ("a number", "absolute value (2**53)"): (
        "",
        2**53,
        lambda n, folder: codes_of_document(task_with_rule(f"all(x.a < {n} for x in v)"), folder),
    ),
    ("a soft constraint", "weight"): (
        "",
        10**6,
        lambda n, _: codes_of_grounding(f"{HEAD}constraints: {{c: {{soft: count(x for x in v) > 1, weight: {n}}}}}\n"),
    ),
    ("a table's source", "bytes of the file, or of a query's cells"): (
        "dsl.tables.sources.TABLE_BYTES",
        50,
        lambda n, folder: codes_of_document(task_with_table("csv: a.csv"), folder, a_csv="id\n" + "a" * (n - 3)),
    ),
    ("a table's source", "lines of the file"): (
        "dsl.yaml.source_files.TABLE_LINES",
        20,
        lambda n, folder: codes_of_document(task_with_table("csv: a.csv"), folder, a_csv="id\na\n" + "\n" * (n - 2)),
    ),
    ("a table's source", "rows"): (
        "dsl.tables.sqlite_parquet.TABLE_ROWS",
        5,
        lambda n, folder: codes_of_document(
            task_with_table("jsonl: a.jsonl"), folder, a_jsonl="".join(f'{{"id": "p{i}"}}\n' for i in range(n))
        ),
    ),
    ("a table's source", "columns"): (
        "dsl.tables.sqlite_parquet.TABLE_COLUMNS",
        5,
        lambda n, folder: codes_of_document(
            task_with_table("csv: a.csv"), folder, a_csv="id" + "".join(f",zzzz{i}" for i in range(n - 1))
        ),
    ),
    ("a table's source", "cells"): (
        "dsl.tables.sqlite_parquet.TABLE_CELLS",
        6,
        lambda n, folder: codes_of_document(
            task_with_table("jsonl: a.jsonl"), folder, a_jsonl="".join(f'{{"id": "p{i}"}}\n' for i in range(n))
        ),
    ),
    ("a table's source", "levels of lists in a JSON line"): (
        "",
        100,
        lambda n, folder: codes_of_document(
            task_with_table("jsonl: a.jsonl"),
            folder,
            a_jsonl=f'{{"id": "a", "yyyy": {"[" * (n - 1)}{"]" * (n - 1)}}}\n',
        ),
    ),
    ("a query of `sqlite:`", "bytes of one cell"): (
        "",
        250_000,
        lambda n, folder: codes_of_query(f"select 'a' as id, zeroblob({n}) as zzzz", folder),
    ),
    ("a task", "rows in its scope"): (
        "verifiers.meaning.ground.SCOPE_ROWS",
        5,
        lambda n, _: codes_of_grounding(f"{HEAD}scope: {{v: [{{for: i in 1..{n}, a: i}}]}}\n"),
    ),
    ("a task", "instances of its constraints"): (
        "verifiers.meaning.ground.INSTANCES",
        5,
        lambda n, _: codes_of_grounding(
            f"{HEAD}constraints: {{c: {{for: i in 1..{n}, hard: any(x.a == i for x in v)}}}}\n"
        ),
    ),
    ("an answer", "bytes"): (
        "verifiers.answers.envelope.ANSWER_BYTES",
        100,
        lambda n, _: kinds_of_reading('{"v": []}' + " " * (n - 9)),
    ),
    ("an answer", "levels of lists and objects"): (
        "",
        100,
        lambda n, _: kinds_of_reading(f'{{"v": {"[" * (n - 1)}{"]" * (n - 1)}}}'),
    ),
    ("an answer", "characters of a name"): ("", 1_000, lambda n, _: kinds_of_reading(f'{{"{"x" * n}": []}}')),
    ("an answer", "values"): (
        "verifiers.answers.answer_json.ANSWER_VALUES",
        10,
        lambda n, _: kinds_of_reading(f'{{"v": [{", ".join("1" * (n - 1))}]}}'),
    ),
    ("an answer", "items of one list"): (
        "verifiers.answers.answer_json.ANSWER_ITEMS",
        10,
        lambda n, _: kinds_of_reading(f'{{"v": [{", ".join("1" * n)}]}}'),
    ),
    ("an answer", "characters of a string in a table"): (
        "",
        20_000,
        lambda n, _: kinds_of_judging({"v": [{"a": "x" * n}]}, "a: text"),
    ),
    ("an answer", "findings on its shape (further ones are only counted)"): (
        "verifiers.answers.findings.FINDINGS",
        5,
        lambda n, _: kinds_of_judging({"v": ["x"] * n}),
    ),
}
"""For each limit: the name to patch, a reduced limit, and a function that returns the reported codes.

The function gets the size of the input and a folder.
"""
ELSEWHERE = {
    "tests/verifiers/meaning/test_meter.py": (
        "steps to evaluate the part that is the same for every plan",
        "steps for its verdict, by compiled code",
        "steps of the interpreter or of code shared by tasks, after which code compiled for the task takes over",
        "steps for margins and explanations, which are then left out",
    ),
    "tests/verifiers/answers/test_format.py": ("unknown names for which similar ones are suggested",),
    "tests/dsl/documents/test_bad_input.py": ("steps of SQLite's virtual machine",),
    "tests/dsl/resources/test_reading.py": ("bytes",),
    "tests/families/mobilitybench/map/test_osm.py": ("streets", "junctions, after footpaths are left out"),
    "tests/planspec/api/test_proof_files.py": ("bytes, after decompression",),
    "tests/planspec/live/playground/test_site.py": ("characters of a link",),
}


def test_every_limit_is_tested() -> None:
    others = {what for names in ELSEWHERE.values() for what in names}
    assert {(limit.of, limit.what) for limit in LIMITS if limit.what not in others} <= PROBES.keys()
    assert PROBES.keys() <= {(limit.of, limit.what) for limit in LIMITS}


@pytest.mark.parametrize("limit", [x for x in LIMITS if (x.of, x.what) in PROBES], ids=lambda x: f"{x.of}: {x.what}")
def test_an_input_at_a_limit_is_accepted_and_a_larger_one_is_reported(
    limit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    patched, most, probe = PROBES[limit.of, limit.what]
    if patched:
        monkeypatch.setattr(f"planspec.{patched}", most)
    assert limit.past not in probe(most, tmp_path)
    assert limit.past in probe(most + 1, tmp_path)
