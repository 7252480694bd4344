"""`planspec import veritrip` accepts fact bases of the paper's size and rejects queries that do not fit."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.api.outputs.imports import ImportOutput
from planspec.api.outputs.scores import ScoreOutput
from planspec.families.veritrip.importing import import_veritrip
from planspec.families.veritrip.reading import COLUMNS
from planspec.families.veritrip.saving import save_base
from tests.families.veritrip.written_base import ROWS, rounded_base, write_csv_table, write_json_table
from tests.planspec.commands.test_command_line import run

PAPER = {
    "transportation": 57_773,
    "restaurants": 4_304,
    "accommodations": 3_613,
    "attractions": 1_056,
    "pois": 7_400,
}
CITIES = [f"City {n}" for n in range(40)]
ASKED: dict[str, Any] = {
    "id": "q-1",
    "start_city": "Aldorf",
    "target_city": "Brunn",
    "start_date": "2025-10-15",
    "end_date": "2025-10-17",
    "people_number": 2,
    "budget": 5000,
    "difficulty": "Easy",
    "nature_language": "Show me Brunn.",
}


def write_table(folder: Path, name: str, rows: Iterable[Sequence[object]]) -> None:
    """Write a CSV table of a fact base, with this header and these rows."""
    with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow(COLUMNS[name])
        writer.writerows(rows)


def write_paper_sized_base(folder: Path) -> Path:
    """Write a fact base with as many rows as the paper's: forty cities, and daily services between them."""
    folder.mkdir()
    days = [(date(2025, 10, 15) + timedelta(days=n)).isoformat() for n in range(16)]

    def position(n: int) -> tuple[str, str]:
        return f"{20 + n % 2000 / 100:.2f}", f"{100 + n % 1700 / 100:.2f}"

    def service(n: int) -> tuple[object, ...]:
        turn, day = divmod(n, len(days))
        a = CITIES[turn % 40]
        b = CITIES[(turn % 40 + (1 if turn // 40 % 2 else -1)) % 40]
        hour = 6 + turn // 80 % 14
        return (
            f"G{turn}",
            ("train", "airplane")[turn % 2],
            days[day],
            f"{a} Central",
            f"{b} Central",
            a,
            b,
            f"{hour:02}:10",
            f"{hour + 2:02}:40",
            100 + turn % 50,
        )

    write_table(folder, "transportation", map(service, range(PAPER["transportation"])))
    write_table(
        folder,
        "attractions",
        (
            (
                f"Sight {n}",
                CITIES[n % 40],
                *position(n),
                "a street",
                "a sight",
                n % 90,
                "08:00",
                "18:00",
                "Monday" if n % 7 == 0 else "",
                60,
                120,
                "City charm",
            )
            for n in range(PAPER["attractions"])
        ),
    )
    write_table(
        folder,
        "restaurants",
        (
            (
                f"Table {n}",
                CITIES[n % 40],
                *position(n),
                "here",
                "Seafood",
                f"Dish {n % 300}",
                20 + n % 90,
                "4.2",
                "10:00",
                "22:00",
            )
            for n in range(PAPER["restaurants"])
        ),
    )
    write_table(
        folder,
        "accommodations",
        (
            (
                f"Inn {n // 3}",
                CITIES[n // 3 % 40],
                *position(n // 3),
                "a street",
                3,
                ("Single room", "Twin room", "Family room")[n % 3],
                (1, 2, 4)[n % 3],
                200 + n % 300,
                "true",
            )
            for n in range(PAPER["accommodations"])
        ),
    )
    write_table(
        folder,
        "pois",
        ((f"Spot {n}", CITIES[n % 40], *position(n), "square", "a square") for n in range(PAPER["pois"])),
    )
    return folder


def write_queries(folder: Path, *rows: Any, name: str = "queries.jsonl") -> Path:
    """Write queries to a file of JSON lines, and return its path."""
    folder.mkdir(exist_ok=True)
    text = "\n".join(row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows)
    (folder / name).write_text(text, "utf-8")
    return folder / name


@pytest.fixture
def facts(tmp_path: Path) -> Path:
    """Return the folder of a small fact base."""
    save_base(rounded_base(), tmp_path / "facts")
    return tmp_path / "facts"


@pytest.mark.slow
@pytest.mark.thorough
def test_a_base_of_the_paper_s_size_is_imported_and_its_task_loads(tmp_path: Path) -> None:
    query_row = {
        **ASKED,
        "start_city": "City 3",
        "target_city": "City 4",
        "p_attraction": "Sight 44",
        "p_meal": None,
    }
    result = import_veritrip(
        write_paper_sized_base(tmp_path / "facts"),
        "CNY",
        [write_queries(tmp_path, query_row)],
        tmp_path / "out",
    )
    assert {count.table: (count.read, count.stored) for count in result.tables} == {
        name: (rows, rows) for name, rows in PAPER.items()
    }
    assert (result.tasks, result.left_out) == (("q-1",), ())
    task = load(tmp_path / "out" / "tasks" / "q-1.yaml")
    sizes = {name: len(task.facts[name].rows) for name in ("Restaurant", "Attraction", "Poi", "Offer", "Hotel")}
    assert sizes == {"Restaurant": 4_304, "Attraction": 1_056, "Poi": 7_400, "Offer": 3_613, "Hotel": 1_205}
    rows: Any = task.facts["Service"].rows
    legs = [(row.origin.city._key[0], row.to.city._key[0]) for row in rows]
    with (tmp_path / "facts" / "transportation.csv").open(encoding="utf-8", newline="") as opened:
        expected = [(row["origin_city"], row["destination_city"]) for row in csv.DictReader(opened)]
    for leg in (("City 3", "City 4"), ("City 4", "City 3")):
        assert legs.count(leg) == expected.count(leg) > 500
    assert Judge(task).answer({"plan": {}}).status in {"fail", "undelivered"}


@pytest.mark.slow
def test_an_imported_suite_can_be_checked_and_scored(
    facts: Path, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    path = write_queries(tmp_path, ASKED, {**ASKED, "id": "q-2", "end_date": "2025-10-15", "p_accommodation": None})
    out = tmp_path / "suite"
    words = (
        "import",
        "veritrip",
        "--facts",
        str(facts),
        "--currency",
        "CNY",
        "--queries",
        str(path),
        "--out",
        str(out),
    )
    code, output, err = run(monkeypatch, capsys, *words, "--format", "json")
    result = ImportOutput.model_validate_json(output)
    assert (code, err) == (0, "")
    assert (result.family, result.suite, result.tasks) == ("veritrip", "suite", ["q-1", "q-2"])
    assert planspec.check([out]) == ()
    (tmp_path / "none.jsonl").write_text("")
    code, output, _ = run(
        monkeypatch, capsys, "score", str(tmp_path / "none.jsonl"), "--suite", str(out), "--format", "json"
    )
    metrics: dict[str, Any] = ScoreOutput.model_validate_json(output).metrics
    assert (code, metrics["n"], metrics["delivered"], metrics["delivery_rate"]) == (1, 2, 0, 0)
    assert metrics["difficulties"]["Simple"]["n"] == 2


def test_json_lines_and_csv_give_the_same_suite(facts: Path, tmp_path: Path) -> None:
    """The files of both suites have equal bytes."""
    mixed = tmp_path / "mixed"
    mixed.mkdir()
    for name in COLUMNS:
        with (facts / f"{name}.csv").open(encoding="utf-8", newline="") as opened:
            write_json_table(mixed, name, list(csv.DictReader(opened)))
    path = write_queries(tmp_path, ASKED)
    for source, out in ((facts, "a"), (mixed, "b")):
        import_veritrip(source, "CNY", [path], tmp_path / out / "suite")
    result = [
        {p.relative_to(tmp_path / out): p.read_bytes() for p in (tmp_path / out).rglob("*") if p.is_file()}
        for out in "ab"
    ]
    assert result[0] == result[1] != {}


WRONG: list[tuple[Any, str]] = [
    ("{", "no JSON"),
    ("[]", "it must be an object"),
    ({**ASKED, "id": "a/b"}, "is more than letters, digits"),
    ({**ASKED, "id": "q-1"}, "there is a query `q-1` already"),
    ({**ASKED, "id": "x1", "people_number": 0}, "people_number: "),
    ({**ASKED, "id": "x2", "start_date": "2025-10-19"}, "the trip ends before it begins"),
    ({**ASKED, "id": "x3", "target_city": "Atlantis"}, "no train or flight from `Aldorf` to `Atlantis`"),
    ({**ASKED, "id": "x4", "p_attraction": "The Moon"}, "no attraction of Brunn is called `The Moon`"),
    ({**ASKED, "id": "x5", "p_accommodation": "Igloo"}, "no hotel has rooms of the kind `Igloo`"),
    ({**ASKED, "id": "x6", "nature_language": "\ud800"}, "nature_language: "),
]


def test_lines_that_cannot_be_tasks_are_named_and_the_others_imported(
    facts: Path, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    rows = [
        ASKED,
        *(json.dumps(row) if isinstance(row, dict) else row for row, _ in WRONG),
        {**ASKED, "id": "last"},
    ]
    path = write_queries(tmp_path, *rows)
    words = (
        "--facts",
        str(facts),
        "--currency",
        "CNY",
        "--queries",
        str(path),
        "--out",
        str(tmp_path / "suite"),
    )
    code, out, err = run(monkeypatch, capsys, "import", "veritrip", *words)
    assert code == 2
    errors = err.splitlines()
    assert len(errors) == len(WRONG)
    for number, (line, (_, reason)) in enumerate(zip(errors, WRONG, strict=True), 2):
        assert line.startswith(f"error: queries.jsonl:{number}: ") and reason in line, line
        assert line.endswith("; it is left out")
    assert out.splitlines()[-1] == f"suite suite: 2 tasks in {tmp_path / 'suite'}"
    assert sorted(p.stem for p in (tmp_path / "suite" / "tasks").iterdir()) == ["last", "q-1"]


def test_a_picture_of_another_city_is_reported(facts: Path, tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    with (facts / "attractions.csv").open(encoding="utf-8", newline="") as opened:
        name = next(row["name"] for row in csv.DictReader(opened) if row["city"] == "Aldorf")
    path = write_queries(tmp_path, {**ASKED, "p_attraction": name, "images": ["a.jpg"]})
    words = ("--facts", str(facts), "--currency", "CNY", "--queries", str(path), "--out", str(tmp_path / "s"))
    code, _, err = run(monkeypatch, capsys, "import", "veritrip", *words)
    note = f"note: `q-1` shows `{name}` of Aldorf in a picture: no plan has all its preferences\n"
    assert (code, err) == (0, note)


def test_the_output_counts_the_rows_of_each_table(facts: Path, tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    write_csv_table(facts, "pois", [ROWS["pois"], ROWS["pois"], {**ROWS["pois"], "name": ""}])
    words = ("--facts", str(facts), "--currency", "CNY", "--queries", str(write_queries(tmp_path, ASKED)))
    code, out, err = run(monkeypatch, capsys, "import", "veritrip", *words, "--out", str(tmp_path / "s"))
    assert (code, err) == (0, "")
    assert out.splitlines()[:-1] == [
        "transportation  93 of 93 rows",
        "attractions     18 of 18 rows",
        "restaurants     12 of 12 rows",
        "accommodations  18 of 18 rows",
        "pois            1 of 3 rows; 1 repeated (the first counts); 1 dropped: no name",
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"--currency": "yuan"}, "`yuan` is not a currency; write three letters"),
        ({"--facts": "nowhere"}, "there is no folder `nowhere`"),
        ({"--queries": "nothing.jsonl"}, "there is no file `nothing.jsonl`"),
        ({"--out": "facts"}, "is neither a new folder nor one of an earlier import"),
        ({"--facts": "empty"}, "`empty` has neither transportation.csv nor transportation.jsonl"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_invalid_arguments_exit_with_2_and_write_nothing(
    change: dict[str, str], message: str, facts: Path, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    write_queries(tmp_path, ASKED)
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    call = {"--facts": "facts", "--currency": "CNY", "--queries": "queries.jsonl", "--out": "new", **change}
    code, out, err = run(monkeypatch, capsys, "import", "veritrip", *(word for pair in call.items() for word in pair))
    assert (code, out) == (2, "")
    assert message in err
    assert sorted(tmp_path.rglob("*")) == before


def test_a_later_import_replaces_an_earlier_one(facts: Path, tmp_path: Path) -> None:
    out = tmp_path / "suite"
    import_veritrip(facts, "CNY", [write_queries(tmp_path, ASKED, {**ASKED, "id": "old"})], out)
    result = import_veritrip(facts, "USD", [write_queries(tmp_path, {**ASKED, "id": "new"})], out)
    assert result.tasks == ("new",)
    assert [p.stem for p in (out / "tasks").iterdir()] == ["new"]
    assert load(out / "tasks" / "new.yaml").currency == "USD"


def test_queries_may_be_in_several_files(facts: Path, tmp_path: Path) -> None:
    paths = [write_queries(tmp_path, {**ASKED, "id": name}, name=f"{name}.jsonl") for name in "ba"]
    assert import_veritrip(facts, "CNY", paths, tmp_path / "s").tasks == ("b", "a")
