"""Queries that fit the tables become tasks, and every other line is reported with its reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import planspec
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source
from planspec.dsl.yaml.reader import Mapping, Scalar, compose
from planspec.families.travelplanner.importing.suite import import_travelplanner
from planspec.suite_writing.writing import yaml_scalar
from tests.families.travelplanner.importing.public_folder import (
    change_every_cell,
    constraints,
    copy_database,
    import_queries,
    query,
    save_queries,
)

pytestmark = pytest.mark.slow


DAYS = ["2022-03-05", "2022-03-06", "2022-03-07"]


def givens(folder: Path, **fields: Any) -> dict[str, Any]:
    """Return the givens of a query's task."""
    result = import_queries(folder, query(**fields))
    assert [str(left) for left in result.left_out] == []
    return dict(planspec.load(result.folder / "tasks" / f"{result.tasks[0]}.yaml").givens)


def plain_value(value: Any) -> Any:
    """Return a given with rows replaced by their keys."""
    return [plain_value(x) for x in value] if isinstance(value, tuple) else getattr(value, "_key", (value,))[0]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"id": ..., "idx": ...}, "it has neither `id` nor `idx`"),
        ({"idx": "a/b"}, "its id `a/b` is more than letters"),
        ({"idx": "4@1"}, "its id `4@1` is more than letters"),
        ({"idx": ""}, "its id `` is more than letters"),
        ({"idx": "ä"}, "its id `ä` is more than letters"),
        ({"idx": ".."}, "its id `..` does not begin with a letter or digit"),
        ({"idx": -4}, "its id `-4` does not begin with a letter or digit"),
        ({"idx": "x" * 300}, "is longer than 100"),
        ({"org": ...}, "org: it is missing"),
        ({"org": "Atlantis"}, "org: no city `Atlantis` in the tables"),
        ({"org": "Atlantis\nand more"}, "org: no city `Atlantis and more` in the tables"),
        ({"dest": "Atlantis"}, "dest: neither a state nor a city `Atlantis` in the tables"),
        ({"dest": "Marrowby"}, "dest: the tables have no other city in `Marrowby`"),
        ({"dest": "Tamsin", "visiting_city_number": 0}, "visiting_city_number: "),
        ({"days": 5}, "date: 3 dates for 5 days"),
        ({"days": 0, "date": []}, "days: "),
        ({"days": 40}, "days: "),
        ({"date": ["2022-03-05", "2022-03-07", "2022-03-08"]}, "date: the dates do not follow each other"),
        ({"date": DAYS[::-1]}, "date: the dates do not follow each other"),
        ({"date": ["2022-03-05", "2022-03-06", "2022-02-31"]}, "date[3]: "),
        ({"date": "['2022-03-05', "}, "date: "),
        ({"people_number": 0}, "people_number: "),
        ({"people_number": 10**30}, "people_number: "),
        ({"people_number": 1.5}, "people_number: "),
        ({"budget": -1}, "budget: "),
        ({"budget": float("nan")}, "budget: "),
        ({"budget": float("inf")}, "budget: "),
        ({"budget": 1e300}, "budget: "),
        ({"budget": "much"}, "budget: "),
        ({"local_constraint": constraints(cuisine=["Martian"])}, "local_constraint.cuisine: `Martian` is not one of "),
        ({"local_constraint": constraints(cuisine=["French", "x"])}, "local_constraint.cuisine: `x` is not one of "),
        (
            {"local_constraint": constraints(**{"house rule": "fun"})},
            "local_constraint.house rule: `fun` is not one of ",
        ),
        ({"local_constraint": constraints(**{"room type": "hut"})}, "local_constraint.room type: `hut` is not one of "),
        (
            {"local_constraint": constraints(transportation="no bus")},
            "local_constraint.transportation: `no bus` is not one of ",
        ),
        ({"local_constraint": constraints(view="sea")}, "local_constraint.view: "),
        ({"local_constraint": None}, "local_constraint: "),
        ({"level": "insane"}, "level: "),
        ({"query": ...}, "query: it is missing"),
        ({"query": "half \ud83d of it"}, "query: "),
    ],
)
def test_an_unusable_query_is_skipped_with_its_line_and_reason(
    tmp_path: Path, fields: dict[str, Any], reason: str
) -> None:
    result = import_queries(tmp_path, query(1), "", query(**fields), query(2))
    (left,) = result.left_out
    assert (left.file, left.line) == ("queries.jsonl", 3)
    assert str(left).startswith("queries.jsonl:3: ")
    assert reason in left.reason
    assert "\n" not in str(left)
    assert result.tasks == ("1", "2")


@pytest.mark.parametrize("line", ["{", "[]", "null", "5", '"x"', "[" * 100_000, "\ufffd", '{"idx": 4}', "9" * 5000])
def test_a_line_that_is_not_a_query_is_skipped(tmp_path: Path, line: str) -> None:
    result = import_queries(tmp_path, query(1), line, query(2))
    (left,) = result.left_out
    assert (left.line, result.tasks) == (2, ("1", "2"))
    assert len(str(left)) < 500


def test_a_line_that_is_not_utf8_is_skipped(tmp_path: Path) -> None:
    path = save_queries(tmp_path, query(1))
    path.write_bytes(b"\xff\xfe\n" + path.read_bytes())
    result = import_travelplanner(copy_database(tmp_path), [path], tmp_path / "made")
    assert ([left.line for left in result.left_out], result.tasks) == ([1], ("1",))


def test_id_takes_precedence_over_idx_and_is_unique_over_all_files(tmp_path: Path) -> None:
    one = save_queries(tmp_path, query(1, id="first"), query(1, id="first"), name="one.jsonl")
    two = save_queries(tmp_path, query(2, idx=2), query(3, id=2), query(4, id=None), name="two.jsonl")
    result = import_travelplanner(copy_database(tmp_path), [one, two], tmp_path / "made")
    assert result.tasks == ("first", "2", "4")
    assert [str(left) for left in result.left_out] == [
        "one.jsonl:2: there is a query `first` already",
        "two.jsonl:2: there is a query `2` already",
    ]


def test_blank_lines_a_byte_order_mark_and_windows_line_ends_are_ignored(tmp_path: Path) -> None:
    path = save_queries(tmp_path, query(1), "", "  ", query(2))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    result = import_travelplanner(copy_database(tmp_path), [path], tmp_path / "made")
    assert (result.tasks, result.left_out) == (("1", "2"), ())


def test_lists_may_be_python_literals(tmp_path: Path) -> None:
    """In the public CSV file, lists are written as Python literals."""
    wish = "{'house rule': None, 'cuisine': ['Indian', 'French'], 'room type': 'private room', 'transportation': '-'}"
    result = givens(
        tmp_path,
        idx=6,
        date=str(query(6)["date"]),
        dest="Ostmere",
        days=5,
        visiting_city_number=2,
        local_constraint=wish,
    )
    assert [plain_value(x) for x in result["tastes"]] == ["Indian", "French"]
    assert (result["room"], result["rule"], result["without"]) == ("a_private_room", None, ())
    assert len(result["trip"]) == 5


def test_absent_wishes_have_no_given(tmp_path: Path) -> None:
    result = givens(tmp_path, idx=1, budget=..., local_constraint=..., level=..., extra={"any": "thing"})
    assert (result["budget"], result["rule"], result["tastes"], result["room"], result["without"]) == (
        None,
        None,
        (),
        None,
        (),
    )


@pytest.mark.parametrize("blank", [None, "", "-", []])
def test_blank_wishes_count_as_absent(tmp_path: Path, blank: Any) -> None:
    result = givens(tmp_path, budget=blank, local_constraint=dict.fromkeys(constraints(), blank))
    assert (result["budget"], result["rule"], result["tastes"], result["room"], result["without"]) == (
        None,
        None,
        (),
        None,
        (),
    )


@pytest.mark.parametrize(("budget", "cents"), [(0, 0), (600, 60000), (1000.5, 100050), ("350", 35000), (99.99, 9999)])
def test_budgets_are_exact_to_the_cent(tmp_path: Path, budget: Any, cents: int) -> None:
    assert givens(tmp_path, budget=budget)["budget"] == cents


def test_a_single_cuisine_may_be_a_string(tmp_path: Path) -> None:
    assert [plain_value(x) for x in givens(tmp_path, local_constraint=constraints(cuisine="French"))["tastes"]] == [
        "French"
    ]


def test_the_destination_is_a_city_for_trips_to_one_city_and_a_state_for_others(tmp_path: Path) -> None:
    """A name can be shared by a city and a state."""
    change_every_cell(copy_database(tmp_path), lambda cell: "Tamsin" if cell == "Ostmere" else cell)
    path = save_queries(tmp_path, query(4), query(6, dest="Tamsin"))
    result = import_travelplanner(tmp_path / "database", [path], tmp_path / "made")
    one, two = (planspec.load(result.folder / "tasks" / f"{task}.yaml").givens for task in result.tasks)
    assert (plain_value(one["town"]), one["dest"]) == ("Tamsin", None)
    assert (two["town"], plain_value(two["dest"])) == (None, "Tamsin")


@pytest.mark.parametrize("days", [1, 2])
def test_short_trips_become_tasks_without_mistakes(tmp_path: Path, days: int) -> None:
    result = import_queries(tmp_path, query(days=days, date=DAYS[:days]))
    assert planspec.check([result.folder]) == ()


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "text",
    [
        '"',
        "'",
        "#",
        "a: b",
        "{x}",
        "[1]",
        "- a",
        "\\n",
        "\\",
        "\ttab",
        "two\nlines",
        "\x00\x07\x7f\x85\x9f",
        "\u2028\u2029\ufeff\ufffe",
        "😀 é 東京",
        "%",
        "&a *b !c",
        "---",
        " ",
    ],
)
def test_any_query_text_is_unchanged_after_conversion_to_yaml(tmp_path: Path, text: str) -> None:
    long_text = f"{text} in the middle {text}"
    result = import_queries(tmp_path, query(query=long_text))
    assert planspec.check([result.folder]) == ()
    assert planspec.load(result.folder / "tasks" / "4.yaml").query == long_text


@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_quoted_texts_are_read_back_unchanged(text: str) -> None:
    report = Report()
    node = compose(Source("made.yaml", f"a: {yaml_scalar(text)}\n"), report)
    assert isinstance(node, Mapping)
    value = node.entries[0][1]
    assert isinstance(value, Scalar)
    assert (value.text, list(report.diagnostics)) == (text, [])


@pytest.mark.sampled(7)
@pytest.mark.parametrize(
    "name",
    [
        'O\'Fallon "X" # a: {b} [c]',
        "São Paulo – 東京 😀",
        "a\\b",
        "{x}",
        "12",
        "true",
        "* &a !b",
        "Marrowby.x",
        "town",
        "x?",
    ],
)
@pytest.mark.parametrize("end", ["org", "dest"])
def test_any_city_name_is_unchanged_after_conversion_to_yaml_and_sql(tmp_path: Path, name: str, end: str) -> None:
    city = query()[end]
    change_every_cell(copy_database(tmp_path), lambda cell: name if cell == city else cell)
    result = import_travelplanner(
        tmp_path / "database", [save_queries(tmp_path, query(**{end: name}))], tmp_path / "made"
    )
    assert [str(left) for left in result.left_out] == []
    assert planspec.check([result.folder]) == ()
    task = planspec.load(result.folder / "tasks" / "4.yaml")
    assert plain_value(task.givens["org" if end == "org" else "town"]) == name
    flights: Any = task.facts["Flight"].rows
    assert name in {plain_value(row.origin) for row in flights}
    assert {plain_value(row.origin) for row in flights} <= {name, query()["org"], query()["dest"]}


def test_a_task_has_only_the_flights_of_its_days_and_cities(tmp_path: Path) -> None:
    result = import_queries(tmp_path, query(4), query(6))
    for idx, cities in ((4, {"Marrowby", "Tamsin"}), (6, {"Dunlow", "Tamsin", "Wexcombe", "Orla"})):
        rows: Any = planspec.load(result.folder / "tasks" / f"{idx}.yaml").facts["Flight"].rows
        assert rows
        assert {plain_value(end) for row in rows for end in (row.origin, row.to)} <= cities
        days = planspec.load(result.folder / "tasks" / f"{idx}.yaml").givens["trip"]
        assert {row.day for row in rows} <= set(days)


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        ("accommodations/clean_accommodations_2022.csv", "listing to stay at"),
        ("attractions/attractions.csv", "attraction"),
    ],
)
def test_a_trip_without_candidates_in_the_tables_is_skipped(tmp_path: Path, file: str, kind: str) -> None:
    """The task of such a trip would be invalid, since a row of its scope would have no candidates."""
    path = copy_database(tmp_path) / file
    stored = [line for line in path.read_text("utf-8").splitlines() if not line.endswith("Tamsin")]
    path.write_text("\n".join(stored) + "\n", "utf-8")
    result = import_travelplanner(
        tmp_path / "database", [save_queries(tmp_path, query(4), query(6))], tmp_path / "made"
    )
    assert [left.reason for left in result.left_out] == [f"dest: the tables have no {kind} in `Tamsin`"]
    assert result.tasks == ("6",)
    assert planspec.check([result.folder]) == ()


def test_json_is_read_line_by_line(tmp_path: Path) -> None:
    """A line with several objects is not a query. An object that spans several lines is not one, either."""
    result = import_queries(tmp_path, json.dumps(query(1)) + json.dumps(query(2)), json.dumps(query(3), indent=1))
    assert result.tasks == ()
    assert len(result.left_out) == 1 + len(json.dumps(query(3), indent=1).splitlines())


def test_queries_of_the_test_split_become_tasks_without_requests(tmp_path: Path) -> None:
    """People, budget, wishes and ids of these queries are unpublished. Their line numbers serve as ids."""
    kept_back: dict[str, Any] = {"people_number": ..., "local_constraint": ..., "budget": ...}
    result = import_queries(tmp_path, query(id=..., idx=..., **kept_back), query(idx=7, **kept_back))
    assert (result.tasks, result.left_out) == (("1", "7"), ())
    assert result.notes == (
        "2 queries: people, budget and wishes are not published: the eight rules of common sense are judged, and no request",
    )
    task = planspec.load(result.folder / "tasks" / "1.yaml")
    assert task.meta["judged"] == "commonsense" and "party" not in result.folder.joinpath("tasks/1.yaml").read_text(
        "utf-8"
    )
    verdict = planspec.verify(task, {"days": [{"day": "2022-03-05"}], "meals": [], "sights": []})
    hard_counts_of = {f.kind for f in verdict.findings if f.status in ("satisfied", "violated")}
    assert hard_counts_of == {"commonsense"}, verdict.findings


def test_a_query_without_wishes_yields_no_conversation(tmp_path: Path) -> None:
    blind = query(people_number=..., local_constraint=..., budget=...)
    result = import_queries(tmp_path, blind, conversations=True)
    assert result.tasks == () and "people_number: it is missing" in str(result.left_out[0])


def test_the_derived_field_blind_of_a_record_is_ignored(tmp_path: Path) -> None:
    assert givens(tmp_path, blind=True, budget=1200)["budget"] is not None
