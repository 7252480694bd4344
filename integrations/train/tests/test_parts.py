"""Parts of the training: observed facts, terms, generated tasks, and learning curves."""

import re
from itertools import combinations
from xml.etree import ElementTree as ET

import pytest

import planspec
from planspec_train.curve import draw_curves
from planspec_train.facts import Facts, Value, read_value, value_text
from planspec_train.instances import ERRANDS, errands_tasks, schedule_parts
from planspec_train.splits import SEEDS, Split
from planspec_train.terms import Draft, best_matches


@pytest.mark.parametrize(
    ("name", "cell", "kind", "number"),
    [
        ("opens", "09:30", "clock", 570),
        ("arrives", "2000-01-02 00:01", "moment", 1441),
        ("day", "2000-01-03", "day", 2),
        ("takes", "1h15min", "duration", 75),
        ("minutes", 25, "duration", 25),
        ("price", 25, "number", 25),
        ("budget", "37.50 EUR", "number", 37.5),
        ("senior", True, "bool", 1),
        ("shop", "post", "text", 0),
    ],
)
def test_values_are_read_by_their_form(name: str, cell: object, kind: str, number: float) -> None:
    value = read_value(name, cell)
    assert value is not None and (value.kind, value.number) == (kind, number)


def test_times_are_written_as_they_were_read() -> None:
    for text in ("09:05", "24:45", "2027-05-03 00:15", "2027-05-03"):
        value = read_value("at", text)
        assert value is not None and value_text(value.kind, value.number) == text


def facts_of_a_town() -> Facts:
    facts = Facts()
    facts.read_query("Heating takes fifteen minutes, and dough can wait for half an hour.")
    facts.read_text("asked", '{"wanted": ["parcel", "keys"], "leave": "14:30"}')
    shops = [{"id": "post", "opens": "15:00", "minutes": 10}, {"id": "kiosk", "opens": "09:00", "minutes": 5}]
    facts.read_json("find_shops", {"shops": shops}, {"errand": "parcel"})
    facts.read_json("find_shops", {"shops": [{"id": "smith", "opens": "09:00", "minutes": 20}]}, {"errand": "keys"})
    facts.read_json("get_way", {"minutes": 7}, {"origin": "post", "to": "smith"})
    return facts


def test_requests_shows_and_results_become_facts() -> None:
    facts = facts_of_a_town()
    assert [value.number for values in facts.single.values() for value in values if value.kind == "duration"] == [
        15,
        30,
    ]
    assert list(facts.origins["post"]) == ["find_shops.shops.id", "get_way.origin"]
    assert set(facts.origins["parcel"]) == {"asked.wanted", "find_shops.shops.errand"}
    assert best_matches(facts, ["parcel", "post"])["find_shops.shops"] == (2, [0])
    facts.read_json("get_way", {"minutes": 7}, {"origin": "post", "to": "smith"})
    assert len(facts.records) == 4  # a repeated result adds no facts


def test_terms_follow_the_last_row_by_the_durations_of_its_records_and_of_the_way_between() -> None:
    post, smith = Value("text", 0.0, "post"), Value("text", 0.0, "smith")
    draft = Draft(facts_of_a_town(), table="visits")
    draft.tables["visits"] = [
        {"errand": Value("text", 0.0, "parcel"), "shop": post, "start": Value("clock", 900, "15:00")}
    ]
    row = {"errand": Value("text", 0.0, "keys"), "shop": smith}
    links = {"find_shops.shops": draft.facts.records[2]}
    terms = draft.terms(row, links)
    assert terms["asked.leave"] == ("clock", 870)
    assert terms["find_shops.shops.opens"] == ("clock", 540)
    chain = "last.start+find_shops.shops.minutes+get_way.minutes between"
    assert terms[chain] == ("clock", 900 + 10 + 7)


def test_equal_seeds_give_equal_towns() -> None:
    tasks = list(errands_tasks(6, 3, "town"))
    assert tasks == list(errands_tasks(6, 3, "town"))
    assert [len(task["given"]["wanted"]) for task in tasks] == [1, 1, 2, 1, 2, 3]
    assert {errand for task in tasks for errand in task["given"]["wanted"]} <= set(ERRANDS)


def test_parts_of_schedules_of_different_splits_share_no_row() -> None:
    def rows(split: Split) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for id_, text in schedule_parts(20, 1, split):
            task = planspec.loads(text)
            listed = re.search(r"Only these are left: (.*)\.", text)
            assert task.id == id_ and listed is not None
            found.setdefault(id_.removeprefix(split).rsplit("-", 1)[0], set()).update(listed[1].split(", "))
        return found

    by_split = {split: rows(split) for split in SEEDS}
    assert len(set(SEEDS.values())) == len(SEEDS) == 3
    for one, other in combinations(by_split.values(), 2):
        assert one.keys() == other.keys() and len(one) == 2
        for name, keys in one.items():
            assert keys and other[name] and keys.isdisjoint(other[name])


def test_a_curve_is_an_svg_with_a_line_for_each_seed() -> None:
    curves = {"seed 0": [(0, 0.0), (10, 0.5)], "seed 1": [(0, 0.1), (10, 0.6)]}
    drawn = ET.fromstring(draw_curves("Reward", curves))
    assert len(list(drawn.iter("{http://www.w3.org/2000/svg}polyline"))) == 2
