"""The check of queries finds all values that differ between a query and its task, and reports nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import indent

import pytest

from planspec.dsl.diagnostics.diagnostic import Diagnostic
from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.environment import HiddenName
from planspec.verifiers.environment.query_text.findings import query_findings

LIBRARY = """\
types: {Mode: bus | taxi | foot}
tables:
  Town:
    columns: {name: text}
    rows: [{id: kyoto, name: Kyoto}, {id: nara, name: Nara}, {id: uji, name: Uji}]
plan: {stops: {town: key Town, start: time}}
scope:
  stops:
    - {for: t in Town, town: t, start: 09:00..18:00 step 30min}
constraints:
  all:
    hard: count(s for s in stops) >= 1
"""


def findings(
    query: str, given: str = "", more: str = "", reported: frozenset[HiddenName] = frozenset()
) -> list[Diagnostic]:
    """Check the query of a task, and return the diagnostics. `given` and `more` are YAML for the rest of the task."""
    text = f"planspec: task/1\nid: t\ncurrency: EUR\nquery: >-\n{indent(query, '  ')}\n"
    if given:
        text += f"given:\n{indent(given, '  ')}\n"
    return list(query_findings(task_from_text(text + more + LIBRARY), reported=reported))


def codes(query: str, given: str = "", more: str = "") -> list[str]:
    """Check the query of a task, and return the codes of the diagnostics."""
    return [diagnostic.code for diagnostic in findings(query, given, more)]


@pytest.mark.parametrize(
    ("query", "given"),
    [
        ("Spend fifty euros at most.", "budget: 50 EUR"),
        ("50,- € and not a cent more", "budget: 50 EUR"),
        ("Back by half past two.", "back: 14:30"),
        ("We are a party of three.", "party: 3"),
        ("We are a couple.", "party: 2"),
        ("I go alone.", "party: 1"),
        ("It takes an hour and a half.", "takes: 90min"),
        ("From Monday, 4 May 2026, to Wednesday.", "days: [2026-05-04, 2026-05-05, 2026-05-06]"),
        ("From 4 May on, for three days.", "days: [2026-05-04, 2026-05-05, 2026-05-06]"),
        ("Tomorrow, please.", "days: [2026-05-04]"),
        ("wir sind zu viert und haben zweihundert Euro", "party: 4\nbudget: 200 EUR"),
        ("我们三个人，五百元以内".replace("元", "欧元"), "party: 3\nbudget: 500 EUR"),
        ("Whatever.", "sure: true"),
        ("For 15 days in total.", "total: 15"),
        ("From nine on.", "opens: 09:00\ncloses: 24:00"),
        ("You visit San Francisco for a day.\nYou start at Pier 39.", 'home: "Pier 39"'),
    ],
)
def test_a_value_that_the_query_states_is_not_reported(query: str, given: str) -> None:
    assert codes(query, given) == []


@pytest.mark.parametrize(
    ("query", "given", "label"),
    [
        ("Spend little.", "budget: 50 EUR", "`budget`, 50.00 EUR"),
        ("Back early.", "back: 14:30", "`back`, 14:30"),
        ("We are some people.", "party: 3", "`party`, 3"),
        ("For some time.", "takes: 90min", "`takes`, 1h30min"),
        ("From 4 May on.", "days: [2026-05-04, 2026-05-06]", "`days`, 2026-05-06"),
        ("A meal.", 'meal: "Roast Goose"', "`meal`, Roast Goose"),
        ("For three days.", "party: 3\ndays: 3", "`party`, 3"),
        ("From 4 May on, for three days.", "party: 3\nwhen: [2026-05-04, 2026-05-05, 2026-05-06]", "`party`, 3"),
        ("Until eleven in the evening.", "from: 09:00\nuntil: 23:00", "`from`, 09:00"),
    ],
)
def test_a_value_that_the_query_does_not_state_is_reported_where_it_is_set(query: str, given: str, label: str) -> None:
    (finding,) = findings(query, given)
    assert finding.code == "PS442"
    assert finding.message == f"the query does not state {label}"
    assert finding.span.text.startswith(given.split(":", maxsplit=1)[0])


@pytest.mark.parametrize(
    ("query", "given", "words"),
    [
        ("Spend sixty euros at most, or 50.", "budget: 50 EUR", "sixty euros"),
        ("Back by 14:30, not at 15:00.", "back: 14:30", "15:00"),
        ("A party of three, and seven dogs.", "party: 3", "seven"),
        ("On 4 May 2026, not on 5 May.", "day: 2026-05-04", "5 May"),
        ("Spend 50 dollars, which are 50 EUR.", "budget: 50 EUR", "50 dollars"),
    ],
)
def test_words_of_the_query_that_the_task_does_not_use_are_reported_at_their_position(
    query: str, given: str, words: str
) -> None:
    (finding,) = findings(query, given)
    assert finding.code == "PS441"
    assert finding.message == f"the query says `{words}`, and nothing uses it"
    assert finding.span.text == words


def test_a_different_number_is_reported_in_the_query_and_in_the_task() -> None:
    text, value = findings("Spend sixty euros at most.", "budget: 50 EUR")
    assert (text.code, value.code) == ("PS441", "PS442")
    assert value.help == "it says `sixty euros`: mend one of them"


def test_words_over_two_lines_are_underlined() -> None:
    (finding, _) = findings("Spend sixty\neuros at most.", "budget: 50 EUR")
    assert finding.span.text == "sixty\n  euros"


def test_a_value_with_a_quotation_in_other_words_is_not_reported() -> None:
    assert codes("Spend next to nothing.", "budget: 50 EUR", "tells: {budget: next to nothing}\n") == []
    assert codes("As in the picture.", "party: 3", "tells: {party: trusted}\n") == []


def test_a_quotation_with_a_different_amount_is_reported() -> None:
    more = "tells: {budget: at most sixty euros}\n"
    assert codes("Spend at most sixty euros.", "budget: 50 EUR", more) == ["PS441", "PS442"]


def test_a_given_that_the_environment_shows_need_not_be_in_the_query() -> None:
    more = "environment: {shows: {purse: {text: 'You have {budget}.'}}}\n"
    assert codes("Plan a day.", "budget: 50 EUR", more) == []


def test_a_hidden_given_need_not_be_in_the_query_and_may_summarize_it() -> None:
    more = "environment: {hidden: [best]}\n"
    assert codes("Within 3000 metres.", "best: 12min", more) == []


def test_facts_that_are_already_reported_are_not_reported_again() -> None:
    reported = frozenset({HiddenName("budget")})
    assert findings("Plan a day.", "budget: 50 EUR", reported=reported) == []


def test_if_the_query_states_most_rows_of_a_table_a_missing_row_is_reported() -> None:
    table = "Guest: {columns: {age: int}, rows: [{id: a, age: 41}, {id: b, age: 39}, {id: c, age: 12}]}"
    text = LIBRARY.replace("tables:\n", f"tables:\n  {table}\n")
    task = "planspec: task/1\nid: t\nquery: QUERY\n" + text
    (finding,) = query_findings(task_from_text(task.replace("QUERY", "For people of 41, 39 and our child.")))
    assert finding.message == "the query does not state `Guest[c].age`, 12"
    assert query_findings(task_from_text(task.replace("QUERY", "For the guests in the table."))) == ()


def test_if_the_query_states_other_values_of_a_kind_a_missing_literal_is_reported() -> None:
    rule = LIBRARY + "  late:\n    hard: all(s.start <= 17:00 for s in stops)\n"
    task = "planspec: task/1\nid: t\nquery: QUERY\ngiven: {opens: 10:00}\n" + rule
    (finding,) = query_findings(task_from_text(task.replace("QUERY", "Not before ten o'clock.")))
    assert (finding.code, finding.span.text) == ("PS442", "17:00")
    assert query_findings(task_from_text(task.replace("QUERY", "From ten o'clock to five in the afternoon."))) == ()


def test_the_queries_of_a_conversation_are_compared_together() -> None:
    text = (
        "planspec: task/1\nid: t\ncurrency: EUR\nturns:\n"
        "  - {query: Spend 30 euros and an hour., given: {budget: 30 EUR, takes: 1h}}\n"
        "  - {query: Twenty minutes more and 21 euros., given: {budget: 21 EUR, takes: 1h20min}}\n"
    )
    given = "given: {budget: 0 EUR, takes: 0min}\n"
    codes_found = [d.code for d in query_findings(task_from_text(text + given + LIBRARY))]
    assert codes_found == []


@pytest.fixture
def trips(tmp_path: Path) -> Callable[[str, str], list[Diagnostic]]:
    """Return a function that takes a query and the rest of a task's text, and returns the findings.

    The task uses a library and a world.
    """
    (tmp_path / "trips.library.yaml").write_text(
        "planspec: library/1\nid: trips\ntypes: {Mode: bus | taxi | foot}\n"
        "tables: {Town: {name: text, about: text}, Guest: {age: int, ride: Mode = foot}, Stay: {town: key Town}}\n"
        "given:\n  home: Town?\n  target: Town?\n  ride: Mode?\n  towns: set of Town = {}\n"
        "plan: {stops: {town: key Town}}\nconstraints:\n  some:\n"
        "    hard: all(home != s.town and target != s.town and s.town in towns and ride != bus for s in stops) and any(g.age > 3 for g in Guest) and all(t.town != home for t in Stay)\n",
        encoding="utf-8",
    )
    (tmp_path / "japan.world.yaml").write_text(
        "planspec: world/1\nid: japan\nuses: [trips]\ntables:\n  Town:\n    rows:\n"
        "      - {id: kyoto, name: Kyoto, about: Golden pavilion with a thousand vermilion gates behind shrines where stone foxes guard harvest granaries}\n"
        "      - {id: nara, name: Nara, about: Tame deer bow beneath the giant bronze statue inside wooden halls near mossy lanterns of Kasuga}\n"
        "      - {id: uji, name: Uji, about: Green leaves are ground between stones where the Phoenix stands mirrored above quiet ponds near rivers}\n",
        encoding="utf-8",
    )

    def compare(query: str, rest: str) -> list[Diagnostic]:
        text = f"planspec: task/1\nid: t\nworld: japan.world.yaml\nuses: [trips]\nquery: {query}\n{rest}"
        return list(query_findings(task_from_text(text, path=tmp_path / "t.task.yaml")))

    return compare


Compare = Callable[[str, str], list[Diagnostic]]


def test_an_enum_member_is_reported_if_the_query_names_another_one(trips: Compare) -> None:
    (finding,) = trips("Take the bus.", "given: {ride: taxi}\n")
    assert finding.message == "the query does not state `ride`, taxi"
    assert trips("Let a cab drive us.", "given: {ride: taxi}\n") == []


def test_an_enum_member_in_the_query_that_no_given_has_is_reported(trips: Compare) -> None:
    (finding,) = trips("From Uji by taxi.", "given: {home: uji}\n")
    assert (finding.code, finding.message) == ("PS441", "the query says `taxi`, and nothing uses it")


def test_a_quotation_for_an_empty_given_is_reported(trips: Compare) -> None:
    (finding,) = trips("From Uji, and somebody drives us.", "given: {home: uji}\ntells: {ride: somebody drives us}\n")
    assert finding.message == "the query says `somebody drives us`, and `ride` is empty"


def test_a_name_in_the_query_that_nothing_in_the_task_has_is_reported(trips: Compare) -> None:
    (finding,) = trips("From Uji to the Silver Pavilion.", "given: {home: uji}\n")
    assert finding.message == "the query names `Silver Pavilion`, and nothing in the task is called so"
    assert trips("Von Uji mit dem Roten Zug und zurück.", "given: {home: uji}\n") == []


def test_a_row_that_two_givens_have_must_be_named_twice(trips: Compare) -> None:
    rest = "given: {home: uji, target: uji}\n"
    assert [d.message for d in trips("From Uji.", rest)] == ["the query does not state `target`, Uji"]
    assert trips("From Uji and back to Uji.", rest) == []


def test_a_value_without_a_quotation_is_reported_if_other_values_have_quotations(trips: Compare) -> None:
    rest = "given: {ride: taxi, home: uji}\ntells: {home: the town of tea}\n"
    (finding,) = trips("From the town of tea, as we like.", rest)
    assert finding.message == "the query does not state `ride`, taxi"


def test_a_different_name_is_reported_in_the_query_and_in_the_task(trips: Compare) -> None:
    name, value = trips("We start in Nara.", "given: {home: kyoto}\n")
    assert (name.code, name.message) == ("PS441", "the query names `Nara`, and nothing uses it")
    assert name.span.text == "Nara"
    assert (value.code, value.message) == ("PS442", "the query does not state `home`, Kyoto")
    assert trips("We start in Kyoto.", "given: {home: kyoto}\n") == []


def test_an_exchange_of_origin_and_destination_is_reported(trips: Compare) -> None:
    rest = "given: {home: uji, target: nara}\n"
    assert trips("From Uji to Nara.", rest) == []
    assert trips("Nara, and Uji.", rest) == []
    assert [d.message for d in trips("From Nara to Uji.", rest)] == [
        "the query has `target` at the other end of the way",
    ]


def test_a_given_with_the_value_1_is_reported_only_if_the_query_has_a_different_number() -> None:
    assert codes("Change once.", "changes: 1") == []
    assert codes("Change as you like.", "changes: 1") == []
    assert codes("Change five times.", "changes: 1") == ["PS441", "PS442"]


def test_an_ordinal_does_not_state_a_count() -> None:
    assert codes("In the first and the second picture.", "people: 2") == ["PS442"]
    assert codes("In the third, the fifth and the twelfth round.", "rounds: [3, 5, 12]") == []


@pytest.mark.parametrize(
    ("query", "given"),
    [
        ("You visit San Francisco and Pier 39.", 'home: "Pier 39"'),
        ("You start at Pier 39.\nYou see San Francisco.", 'home: "Pier 39"'),
        ("You visit San Francisco.", 'home: "Pier 39"'),
        ("You visit San Francisco.\nYou start at Pier 39.", 'homes: ["Pier 39"]'),
    ],
)
def test_a_name_in_the_query_that_no_given_has_is_reported_unless_it_only_introduces_the_day(
    query: str, given: str
) -> None:
    assert "PS441" in codes(query, given)


DAYS = "[{id: Monday, position: 1}, {id: Tuesday, position: 2}, {id: Wednesday, position: 3}]"


@pytest.mark.parametrize(
    ("rows", "days", "expected"),
    [
        (DAYS, "Monday", []),
        (DAYS, "Tuesday", ["Day[Tuesday].id"]),
        (DAYS.replace("position: 1", "position: 4"), "Monday", ["Day[Monday].position"]),
    ],
)
def test_rows_that_only_number_and_name_days_need_not_be_in_the_query(
    rows: str, days: str, expected: list[str], tmp_path: Path
) -> None:
    (tmp_path / "calls.library.yaml").write_text(
        "planspec: library/1\nid: calls\ntables: {Day: {id: key text, position: int}}\ngiven: {days: set of Day}\n"
        "plan: {call: {one: true, day: Day}}\nscope: {call: {day: days}}\n"
        "constraints: {early: {hard: call.day.position < 5}}\n"
    )
    text = (
        f"planspec: task/1\nid: t\nuses: [calls]\nquery: A call on Monday.\ngiven: {{days: [{days}]}}\n"
        f"tables: {{Day: {{rows: {rows}}}}}\n"
    )
    reported = frozenset({HiddenName("days")})
    found = query_findings(task_from_text(text, path=tmp_path / "t.task.yaml"), reported=reported)
    assert [d.message.split("`")[1] for d in found] == expected


def test_a_name_need_not_be_in_a_query_that_refers_to_one_picture(trips: Compare) -> None:
    assert trips("To the place in the picture.", "given: {towns: [kyoto]}\n") == []
    assert [d.code for d in trips("To the place in the picture.", "given: {towns: [kyoto, uji]}\n")] == ["PS442"]
    assert [d.code for d in trips("To some place.", "given: {towns: [kyoto]}\n")] == ["PS442"]


def test_a_description_of_a_different_row_is_reported(trips: Compare) -> None:
    rest = "given: {{home: {}}}\ntells: {{home: where deer bow beneath a bronze statue}}\n"
    query = "We start where deer bow beneath a bronze statue."
    (finding,) = trips(query, rest.format("kyoto"))
    assert (finding.code, finding.message) == ("PS441", "the query describes `Nara`, and nothing uses it")
    assert trips(query, rest.format("nara")) == []


def test_a_row_that_no_clause_describes_is_reported(trips: Compare) -> None:
    deer, tea = "where deer bow beneath a bronze statue", "where leaves are ground between stones near mirrored ponds"
    rest = "tables: {{Stay: {{rows: [{{town: nara}}, {{town: uji}}]}}}}\ntells: {{Stay: {}}}\n"
    assert trips(f"We go {deer}; and {tea}.", rest.format(f'"{deer}; and {tea}"')) == []
    (finding,) = trips(f"We go {deer}.", rest.format(deer))
    assert (finding.code, finding.message) == ("PS442", "the query does not describe `Uji`, a row of `Stay`")
    assert finding.span.text == "{town: uji}"


def test_the_names_of_a_constraint_must_be_in_one_sentence(trips: Compare) -> None:
    rest = "given: {home: kyoto}\nconstraints:\n  way:\n    hard: stops[uji] is none or stops[nara] is not none\n"
    assert trips("From Kyoto. To Uji only with Nara.", rest) == []
    (finding,) = trips("From Kyoto. To Uji. Not to Nara.", rest)
    assert finding.message == "no sentence of the query names `uji`, `nara`, as `way` does"


def test_rows_that_the_task_lists_for_a_table_of_its_library_must_be_in_the_query(trips: Compare) -> None:
    rest = "tables: {Guest: {rows: [{id: a, age: 41}, {id: b, age: 39}]}}\n"
    assert trips("For two, 41 and 39 years old.", rest) == []
    assert [d.message for d in trips("For two.", rest)] == [
        "the query does not state `Guest[a].age`, 41",
        "the query does not state `Guest[b].age`, 39",
    ]


def test_ages_in_a_quotation_are_compared(trips: Compare) -> None:
    rest = "tables: {Guest: {rows: [{id: a, age: 41}, {id: b, age: 38}]}}\ntells: {Guest: two of 41 and 39}\n"
    text, cell = trips("For two of 41 and 39.", rest)
    assert text.message == "the query says `39`, and nothing uses it"
    assert cell.message == "the query does not state `Guest[b].age`, 38"


def test_a_removed_row_that_the_query_names_is_reported() -> None:
    text = LIBRARY.replace("  Town:\n", "  Town:\n    without: [{id: uji, name: Uji}]\n")
    task = "planspec: task/1\nid: t\nquery: QUERY\n" + text
    (finding,) = query_findings(task_from_text(task.replace("QUERY", "Kyoto, Nara and Uji.")))
    assert finding.code == "PS443"
    assert query_findings(task_from_text(task.replace("QUERY", "Kyoto and Nara."))) == ()
