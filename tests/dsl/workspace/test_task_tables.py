"""Tables of tasks: suites that create a task from each record of a source."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from planspec.api.catalog import Catalog
from planspec.api.certificates import certificate_path
from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.dsl.diagnostics.diagnostic import Diagnostic, DiagnosticError, Report
from planspec.dsl.documents.documents import Suite, task_from_path, task_from_text
from planspec.dsl.model.proof_hash import proof_hash
from planspec.dsl.model.task import Task

LIBRARY = """\
planspec: library/1
id: calls
tables: {Busy: {person: text, from: time, until: time}}
given: {people: set of text, length: duration, quiet: bool = false}
plan: {call: {one: true, start: time}}
scope: {call: {start: 9:00..17:00 step 30min}}
constraints:
  hours: {hard: call.start >= 9:00 and call.start + length <= 17:00}
  free:
    for: b in Busy if b.person in people
    hard: call.start + length <= b.from or call.start >= b.until
"""
MAP = """\
      map:
        id: uid
        query: prompt
        given: {people: who, length: {from: [long, 0], unit: min}}
        tables: {Busy: {each: busy, map: {person: name, from: [span, 0], until: [span, 1]}}}
        reference: gold
        meta: {level: level}
"""
SUITE = f"""\
planspec: suite/1
id: calls
tasks:
  - from:
      jsonl: requests.jsonl
{MAP}    task: {{uses: [calls]}}
"""
RECORDS: list[dict[str, Any]] = [
    {
        "uid": "one",
        "prompt": "Half an hour for Ana.",
        "who": ["Ana"],
        "long": [30],
        "busy": [{"name": "Ana", "span": ["09:00", "16:30"]}],
        "gold": {"call": {"start": "16:30"}},
        "level": "easy",
    },
    {"uid": "two", "prompt": "An hour.", "who": ["Ben"], "long": [60], "busy": [], "gold": None, "level": "hard"},
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a new working directory with a suite that makes tasks from a table."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "calls.library.yaml").write_text(LIBRARY)
    (tmp_path / "calls.suite.yaml").write_text(SUITE)
    write(RECORDS)
    return tmp_path


def write(records: list[Any], name: str = "requests.jsonl") -> None:
    """Write the records of the table."""
    Path(name).write_text("".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in records))


def suite() -> Suite:
    return Catalog().suite("calls.suite.yaml")


def mistakes(text: str = SUITE) -> list[tuple[str, str, int]]:
    """Return the code, file and line of each diagnostic of the suite and its tasks."""
    from planspec.api.checking import check

    Path("calls.suite.yaml").write_text(text)
    return [place(each) for each in check(["calls.suite.yaml"])]


def place(diagnostic: Diagnostic) -> tuple[str, str, int]:
    """Return code, file and line of a diagnostic."""
    return diagnostic.code, diagnostic.span.source.name, diagnostic.span.line


def test_each_record_becomes_a_task(folder: Path) -> None:
    assert [path.name for path in suite().tasks] == ["calls.suite.yaml#one", "calls.suite.yaml#two"]
    task = load("calls.suite.yaml#one")
    assert (task.id, task.query, task.meta) == ("one", "Half an hour for Ana.", {"level": "easy"})
    assert task.reference == {"call": {"start": "16:30"}}
    assert len(task.facts["Busy"].rows) == 1
    assert load("two").reference is None
    assert mistakes() == []


def test_a_task_names_its_record(folder: Path) -> None:
    task = load("calls.suite.yaml#two")
    assert task.record is not None
    assert (task.record.number, task.record.span.source.name, task.record.span.line) == (2, "requests.jsonl", 2)
    assert task.file == Path("calls.suite.yaml#two").absolute() or task.file.name == "calls.suite.yaml#two"


def test_the_document_of_a_record_is_the_same_task(folder: Path) -> None:
    for name in ("one", "two"):
        task = load(f"calls.suite.yaml#{name}")
        again = task_from_text(task.document.text, "again.task.yaml", path=folder / "again.task.yaml")
        assert proof_hash(again) == proof_hash(task)
        assert (again.query, again.reference, again.meta) == (task.query, task.reference, task.meta)


def test_the_hash_of_a_task_does_not_depend_on_other_records_or_the_order_of_fields(folder: Path) -> None:
    before = load("calls.suite.yaml#one")
    write([{"uid": "new", **{k: v for k, v in RECORDS[1].items() if k != "uid"}}, dict(reversed(RECORDS[0].items()))])
    after = load("calls.suite.yaml#one")
    assert (after.hash, proof_hash(after)) == (before.hash, proof_hash(before))


@pytest.mark.parametrize("source", ["json", "object", "gzip", "parquet-like rows"])
def test_records_may_come_from_json_files_compressed_files_and_rows_of_the_suite(folder: Path, source: str) -> None:
    expected = proof_hash(load("calls.suite.yaml#one"))
    text = SUITE
    match source:
        case "json":
            Path("requests.json").write_text(json.dumps(RECORDS, indent=1))
            text = SUITE.replace("jsonl: requests.jsonl", "json: requests.json")
        case "object":
            named = {each["uid"]: {k: v for k, v in each.items() if k != "uid"} for each in RECORDS}
            Path("requests.json").write_text(json.dumps(named))
            text = SUITE.replace("jsonl: requests.jsonl", "json: requests.json").replace("id: uid", "id: '@key'")
        case "gzip":
            Path("requests.jsonl.gz").write_bytes(gzip.compress(Path("requests.jsonl").read_bytes()))
            text = SUITE.replace("requests.jsonl", "requests.jsonl.gz")
        case _:
            text = SUITE.replace(
                "jsonl: requests.jsonl",
                "rows:\n        - {uid: one, prompt: Half., who: [Ana], long: [30], level: easy, gold: '{}'}",
            ).replace(
                "        tables: {Busy: {each: busy, map: {person: name, from: [span, 0], until: [span, 1]}}}\n", ""
            )
    Path("calls.suite.yaml").write_text(text)
    task = load("calls.suite.yaml#one")
    assert (proof_hash(task) == expected) is (source != "parquet-like rows")


def test_a_task_loaded_on_its_own_has_the_expected_result_that_its_suite_declares(folder: Path) -> None:
    assert load("calls.suite.yaml#one").expected == "feasible"
    Path("calls.suite.yaml").write_text(SUITE.replace("id: calls\n", "id: calls\nexpects: unique\n", 1))
    assert load("calls.suite.yaml#one").expected == "unique"


def test_each_row_of_a_csv_file_becomes_a_task(folder: Path) -> None:
    Path("table.csv").write_text('uid,text,who,minutes\nrow-1,"Half an hour, please.",Ana|Ben,30\n')
    text = """\
planspec: suite/1
id: calls
tasks:
  - from:
      csv: table.csv
      map: {id: uid, query: text, given: {people: {from: who, split: "|"}, length: {from: minutes, unit: min}}}
    task: {uses: [calls], tables: {Busy: {rows: []}}}
"""
    assert mistakes(text) == []
    task = load("calls.suite.yaml#row-1")
    assert task.query == "Half an hour, please."
    assert "people: [Ana, Ben]" in task.document.text


def test_rows_come_from_nested_objects_parallel_lists_and_plain_items(folder: Path) -> None:
    Path("trips.suite.yaml").write_text("""\
planspec: suite/1
id: trips
tasks:
  - from:
      jsonl: trips.jsonl
      map:
        query: q
        tables:
          City: {each: cities, map: {id: []}, skip: 1}
          Way: {each: ways, keys: [a, b], value: {from: time, unit: min}}
          Stay: {zip: {city: cities, days: days}}
    task:
      tables:
        City: {columns: {id: key text}}
        Way: {columns: {a: key City, b: key City, time: duration}}
        Stay: {columns: {city: text, days: int}}
      plan: {p: {one: true, n: int}}
      scope: {p: {n: 1..3}}
      constraints: {c: {hard: p.n <= sum(s.days for s in Stay)}}
""")
    write(
        [{"id": "t", "q": "Go.", "cities": ["x", "y", "z"], "days": [1, 0, 1], "ways": {"y": {"z": 5}, "z": {"y": 7}}}],
        "trips.jsonl",
    )
    task = load("trips.suite.yaml#t")
    assert {name: len(task.facts[name].rows) for name in ("City", "Way", "Stay")} == {"City": 2, "Way": 2, "Stay": 3}


@pytest.mark.parametrize(
    ("before", "after", "codes"),
    [
        ("        meta: {level: level}\n", "", ["PS610"]),
        ("        meta: {level: level}\n", "      ignore: [level]\n", []),
        ("        meta: {level: level}\n", "      ignore: ['*']\n", []),
        ("jsonl: requests.jsonl", "jsonl: absent.jsonl", ["PS014"]),
        ("      jsonl: requests.jsonl\n", "", ["PS014"]),
        ("{uses: [calls]}", "{uses: [calls], query: x}", ["PS009"]),
        ("{uses: [calls]}", "absent.base.yaml", ["PS014"]),
        ("{uses: [calls]}", "other.yaml", ["PS014"]),
        ("id: uid", "idd: uid", ["PS009"]),
    ],
)
def test_a_mistake_of_the_table_is_reported_in_the_suite(
    folder: Path, before: str, after: str, codes: list[str]
) -> None:
    found = mistakes(SUITE.replace(before, after))
    assert [code for code, _, _ in found] == codes
    assert {file for _, file, _ in found} <= {"calls.suite.yaml"}


@pytest.mark.parametrize(
    ("record", "code"),
    [
        ('{"uid": "three"', "PS015"),
        ("[1]", "PS015"),
        (RECORDS[0], "PS602"),
        ({**RECORDS[0], "uid": "ONE"}, "PS602"),
        ({**RECORDS[0], "uid": None}, "PS010"),
        ({**RECORDS[0], "uid": "a#b"}, "PS011"),
        ({**RECORDS[0], "uid": "a@2"}, "PS011"),
        ({**RECORDS[0], "uid": ".."}, "PS011"),
        ({**RECORDS[0], "uid": "three", "busy": [{"name": "Ana", "span": ["noon", "13:00"]}]}, "PS016"),
        ({**RECORDS[0], "uid": "three", "who": None}, "PS409"),
    ],
)
def test_a_mistake_of_a_record_is_reported_at_its_line(folder: Path, record: Any, code: str) -> None:
    write([*RECORDS, record])
    found = mistakes()
    assert [(each[0], each[1], each[2]) for each in found if each[1] == "requests.jsonl"] == [
        (code, "requests.jsonl", 3)
    ]


def test_the_common_part_of_tasks_may_be_a_file_which_is_not_itself_a_task(folder: Path) -> None:
    Path("calls.base.yaml").write_text("planspec: task/1\nuses: [calls]\ngiven: {quiet: true, length: 5min}\n")
    assert mistakes(SUITE.replace("{uses: [calls]}", "calls.base.yaml")) == []
    assert "quiet: true" in load("calls.suite.yaml#one").document.text
    assert "length: 30" in load("calls.suite.yaml#one").document.text  # the record takes precedence
    with pytest.raises(DiagnosticError) as raised:
        task_from_path(folder / "calls.base.yaml", Catalog().workspace)
    assert raised.value.diagnostics[0].code == "PS017"
    Path("all.suite.yaml").write_text("planspec: suite/1\nid: all\ntasks: ['*.base.yaml']\n")
    with pytest.raises(DiagnosticError) as raised:
        Catalog().suite("all.suite.yaml")
    assert [each.code for each in raised.value.diagnostics] == ["PS601"]


def test_a_field_that_no_record_has_is_reported_with_the_nearest_name(folder: Path) -> None:
    Path("calls.suite.yaml").write_text(SUITE.replace("query: prompt", "query: promt"))
    with pytest.raises(DiagnosticError) as raised:
        suite()
    [mistake] = raised.value.diagnostics
    assert (mistake.code, mistake.span.text, mistake.help) == ("PS014", "promt", "did you mean `prompt`?")


def test_a_field_that_no_row_has_is_reported_once(folder: Path) -> None:
    write([*RECORDS, {**RECORDS[0], "uid": "three"}])
    assert mistakes(SUITE.replace("person: name", "person: nam")) == [("PS014", "calls.suite.yaml", 10)]


def test_rows_without_a_field_are_reported_once_with_their_number(folder: Path) -> None:
    from planspec.api.checking import check

    rows = [RECORDS[0]["busy"][0], *({"nam": "Ana", "span": ["09:00", "10:00"]} for _ in range(3))]
    write([{**RECORDS[0], "busy": rows}, RECORDS[1]])
    [mistake] = check(["calls.suite.yaml"])
    assert (mistake.code, mistake.message) == ("PS016", "3 of 4 rows of `Busy` have no `person`")
    assert (mistake.span.source.name, mistake.span.line, mistake.span.text[:6]) == ("requests.jsonl", 1, '{"nam"')


def test_a_string_that_is_not_json_is_not_a_reference_answer(folder: Path) -> None:
    Path("16:30").write_text('{"call": {"start": "16:30"}}')
    write([{**RECORDS[0], "gold": "16:30"}, {**RECORDS[1], "gold": json.dumps(RECORDS[0]["gold"])}])
    assert mistakes() == [("PS015", "requests.jsonl", 1)]


@pytest.mark.parametrize(
    ("long", "code", "label", "text"),
    [
        ({}, "PS409", "the record has no field `long`", '{"uid": "one"'),
        ({"long": None}, "PS409", "the field `long` is empty", "null"),
        ({"long": ""}, "PS016", 'write `{from: FIELD, empty: ""}` under `map:`', ""),
        ({"long": []}, "PS016", 'write `{from: FIELD, empty: "[]"}` under `map:`', "[]"),
    ],
)
def test_an_empty_field_is_reported_at_its_place(
    folder: Path, long: dict[str, Any], code: str, label: str, text: str
) -> None:
    own = {name: value for name, value in RECORDS[0].items() if name != "long"}
    write([{**own, **long}, {**RECORDS[1], "long": 30}])
    Path("calls.suite.yaml").write_text(SUITE.replace("{from: [long, 0], unit: min}", "long"))
    with pytest.raises(DiagnosticError) as raised:
        load("calls.suite.yaml#one")
    [mistake] = [each for each in raised.value.diagnostics if each.code == code]
    assert (mistake.span.source.name, mistake.span.line) == ("requests.jsonl", 1)
    assert mistake.span.text.startswith(text)
    assert label in (mistake.primary.text, *(mistake.help or "").split("; in a table of tasks, "))


def test_a_reference_may_be_the_text_of_an_agent(folder: Path) -> None:
    text = f"I call then:\n```json\n{json.dumps(RECORDS[0]['gold'])}\n```\nIt is free."
    write([{**RECORDS[0], "gold": text}, {**RECORDS[1], "gold": '{"infeasible": true}'}])
    suite = Path("calls.suite.yaml")
    suite.write_text(SUITE.replace("reference: gold", "reference: {from: gold, as: answer}"))
    task = load("calls.suite.yaml#one")
    assert task.reference == text
    assert Judge(task).reference_verdict().status == "pass"  # type: ignore[union-attr]
    again = task_from_text(task.document.text, "again.task.yaml", path=folder / "again.task.yaml")
    assert again.reference.strip() == text
    assert Judge(load("calls.suite.yaml#two")).reference_data() == {"infeasible": True}


def test_a_reference_that_is_a_plan_is_in_an_envelope(folder: Path) -> None:
    write(RECORDS)
    Path("calls.suite.yaml").write_text(SUITE.replace("reference: gold", "reference: {from: gold, as: plan}"))
    task = load("calls.suite.yaml#one")
    assert task.reference == {"task": "one", "plan": RECORDS[0]["gold"]}
    assert Judge(task).reference_verdict().status == "pass"  # type: ignore[union-attr]


@pytest.mark.parametrize("name", ["my task", "Zo\u00eb: \u4f1a (2), x", "12:30", "007", "true", "a"])
def test_the_printed_document_has_the_same_id(folder: Path, name: str) -> None:
    write([{**RECORDS[0], "uid": name}, RECORDS[1]])
    task = load(f"calls.suite.yaml#{name}")
    again = task_from_text(task.document.text, "again.task.yaml", path=folder / "again.task.yaml")
    assert (again.id, proof_hash(again)) == (name, proof_hash(task))
    Path("again.task.yaml").write_text(task.document.text)
    assert Catalog().workspace.id_of(folder / "again.task.yaml") == name
    Path("two.tasks.yaml").write_text(f"{task.document.text}---\n{load('calls.suite.yaml#two').document.text}")
    assert load(f"two.tasks.yaml#{name}").id == name


def test_an_id_with_blanks_needs_quotes(folder: Path) -> None:
    text = load("calls.suite.yaml#one").document.text.replace("id: one", "id: the one")
    with pytest.raises(DiagnosticError) as raised:
        task_from_text(text, "again.task.yaml", path=folder / "again.task.yaml")
    assert raised.value.diagnostics[0].help == "put the id of a task into quotes if it has blanks or `,:+()`"


def test_a_mistake_in_the_common_part_of_tasks_is_reported_once(folder: Path) -> None:
    found = mistakes(SUITE.replace("{uses: [calls]}", "{uses: [calls], define: {x: nothing + 1}}"))
    assert [(code, file) for code, file, _ in found] == [("PS201", "calls.suite.yaml")]


def test_a_suite_has_tables_and_files_in_order(folder: Path) -> None:
    Path("extra.tasks.jsonl").write_text(
        json.dumps(
            {
                "planspec": "task/1",
                "id": "zero",
                "query": "Nothing.",
                "uses": ["calls"],
                "given": {"people": [], "length": "30min"},
                "tables": {"Busy": {"rows": []}},
            }
        )
        + "\n"
    )
    Path("calls.suite.yaml").write_text(SUITE.replace("tasks:\n", "tasks:\n  - extra.tasks.jsonl\n"))
    assert [path.name.partition("#")[2] for path in suite().tasks] == ["zero", "one", "two"]
    report = Report()
    assert Catalog().workspace.names_in(Path("extra.tasks.jsonl"), report) == ("zero",)
    assert isinstance(load("extra.tasks.jsonl#zero"), Task)
    assert not report.failed


def test_the_suite_names_the_folder_of_certificates() -> None:
    assert certificate_path(Path("x/calls.suite.yaml#a b"), "a b") == Path("x/certificates/calls/a%20b.json")
    assert certificate_path(Path("x/part.tasks.jsonl#a"), "a") == Path("x/certificates/a.json")
    assert certificate_path(Path("x/a.task.yaml"), "a~late") == Path("x/certificates/a~late.json")
