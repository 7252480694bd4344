"""A fact that decides a verdict and that nothing reveals is reported if and only if two worlds prove it.

The two worlds differ only in the fact, look the same to agents, and accept different plans.
"""

from __future__ import annotations

import csv
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planspec import Judge, load
from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.task import Task
from planspec.dsl.model.value_text import show_key
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.least_calls import LeastCalls
from planspec.solvers.questions.lint import lint_task
from planspec.solvers.questions.sufficiency import Sufficiency, columns_read, sufficiency
from planspec.verifiers.environment.tools import TaskViews
from planspec.verifiers.meaning.ground import ground
from tests.examples.test_examples import FOLDER
from tests.lengths import try_few
from tests.random_examples import examples

EXAMPLES_WITH_SHOWS = ["delivery", "job-shop", "meetings", "menu", "roster"]
"""Examples whose environments show tables as text."""

TEXT = """\
planspec: task/1
id: trip
query: Two nights in town for at most 200 euros, please.
currency: EUR
tables:
  Hotel:
    columns: {name: text, rate: money, full: bool = false, stars: int}
    rows:
      - {id: inn, name: Harbour Inn, rate: 90 EUR, stars: 3}
      - {id: ark, name: The Ark, rate: 80 EUR, full: true, stars: 2}
      - {id: den, name: The Den, rate: 120 EUR, stars: 5}
given: {budget: 200 EUR, nights: 2}
plan:
  stay: {one: true, hotel: Hotel}
scope:
  stay: {hotel: Hotel}
constraints:
  budget: {hard: stay.hotel.rate * nights <= budget}
  free: {hard: not stay.hotel.full}
environment:
  hidden: []
  tools:
    hotels:
      doc: All hotels.
      returns: {hotels: {each: h in Hotel, as: h.name}}
    hotel:
      doc: One hotel.
      params: {hotel: Hotel}
      returns: {name: arg.hotel, RETURNS}
"""


def examine(text: str) -> Sufficiency:
    """Return whether the only setting of a trip shows enough to find the answer `inn`."""
    return examine_answer(task_from_text(text, "trip.task.yaml"), {"stay": {"hotel": "inn"}})


def examine_answer(task: Task, answer: Any) -> Sufficiency:
    """Return whether the only setting of a task shows enough to find an answer, which the task accepts."""
    judge = Judge(task)
    plan = judge.read(answer)
    assert plan is not None
    (result,) = sufficiency(ground(task), [plan], TimeBudget(Limits(seconds=60)))
    return result


def status_by_fact(result: Sufficiency) -> dict[str, str]:
    """Return the status of each decisive fact, by the fact."""
    return {str(fact.fact): fact.status for fact in result.facts}


def test_facts_that_tools_return_are_shown() -> None:
    result = examine(TEXT.replace("RETURNS", "rate: amount(arg.hotel.rate), full: arg.hotel.full"))
    assert result.status == "sufficient"
    assert status_by_fact(result) == {
        "Hotel.rate": "shown",
        "Hotel.full": "shown",
        "budget": "in-query",
        "nights": "in-query",
    } | ({"Hotel": "shown"} if "Hotel" in status_by_fact(result) else {})
    assert result.calls == 4


def test_a_fact_that_a_refusal_condition_reads_is_still_shown_by_the_result() -> None:
    """The condition of the refusal and the result use the same definition.

    Caching does not change what the result reveals.
    """
    text = TEXT.replace("RETURNS", "rate: amount(price(arg.hotel)), full: arg.hotel.full").replace(
        "      returns: {name: arg",
        "      refuse: [{if: price(arg.hotel) > 500 EUR, say: nobody pays that}]\n      returns: {name: arg",
    )
    result = examine(text.replace("constraints:\n", "define:\n  price(h Hotel): h.rate\nconstraints:\n"))
    assert (result.status, status_by_fact(result)["Hotel.rate"]) == ("sufficient", "shown")


def test_a_decisive_fact_that_no_call_returns_is_reported_with_two_worlds() -> None:
    result = examine(TEXT.replace("RETURNS", "rate: amount(arg.hotel.rate)"))
    assert result.status == "insufficient"
    (untold,) = result.untold
    assert str(untold.fact) == "Hotel.full"
    assert untold.pair is not None
    assert (untold.pair.where, untold.pair.value, untold.pair.other_value) == (
        "Hotel[inn].full",
        "false",
        "true",
    )
    assert untold.pair.accepted


def test_a_comparison_reveals_only_the_side_of_a_threshold() -> None:
    """The tool reveals whether a hotel is cheap, but the rule needs the cost of two nights."""
    result = examine(TEXT.replace("RETURNS", "cheap: arg.hotel.rate < 500 EUR, full: arg.hotel.full"))
    assert status_by_fact(result)["Hotel.rate"] == "untold"


def test_an_argument_that_accepts_any_amount_may_reveal_a_value_by_trial() -> None:
    """An agent that can search for hotels below any amount can find the rate, so that nothing is reported."""
    by_amount = """\
returns: {name: arg.hotel, full: arg.hotel.full}
    below:
      params: {most: money}
      returns: {hotels: {each: h in Hotel if h.rate <= arg.most, as: h.name}}
"""
    result = examine(TEXT.replace("returns: {name: arg.hotel, RETURNS}\n", by_amount))
    assert status_by_fact(result)["Hotel.rate"] == "unproved"
    assert result.status == "unproved"


def test_a_tool_whose_rows_no_agent_can_name_reveals_nothing() -> None:
    """A hotel can only be queried by its name, and no list of names is shown."""
    whole = TEXT.replace("RETURNS", "rate: amount(arg.hotel.rate), full: arg.hotel.full")
    result = examine(whole.replace("each: h in Hotel, as: h.name", "each: h in Hotel, as: h.stars"))
    assert result.calls == 1
    assert {"Hotel.rate", "Hotel.full"} == {str(fact.fact) for fact in result.untold}


def test_the_query_reveals_a_fact_by_value_or_by_words_that_the_author_quotes() -> None:
    whole = TEXT.replace("RETURNS", "rate: amount(arg.hotel.rate), full: arg.hotel.full")
    vague = whole.replace("for at most 200 euros", "for what is in the jar")
    assert status_by_fact(examine(vague))["budget"] == "untold"
    assert status_by_fact(examine(vague + "tells: {budget: what is in the jar}\n"))["budget"] == "in-query"
    assert status_by_fact(examine(vague + "tells: {budget: trusted}\n"))["budget"] == "trusted"


def test_lint_names_the_fact_and_the_setting() -> None:
    task = task_from_text(TEXT.replace("RETURNS", "rate: amount(arg.hotel.rate)"), "trip.task.yaml")
    report = lint_task(ground(task))
    result = [d for d in report.diagnostics if d.code == "PS430"]
    assert [(d.message, d.span.text) for d in result] == [
        ("nothing tells agents `Hotel.full` under the setting `tools`", "stay.hotel.full")
    ]
    assert [str(setting).partition(" (")[0] for setting in report.settings] == ["setting `tools`: insufficient"]


def test_lint_names_a_tool_whose_result_has_two_parts_of_one_name() -> None:
    """The names of the parts of the result are numbers of stars, and two hotels have the same number."""
    text = TEXT.replace("RETURNS", "rate: amount(arg.hotel.rate), full: arg.hotel.full").replace(
        "stars: 2}", "stars: 5}"
    )
    by_stars = text + "    stars: {returns: {hotels: {each: h in Hotel, by: h.stars, as: h.name}}}\n"
    report = lint_task(ground(task_from_text(by_stars, "trip.task.yaml")))
    (result,) = [d for d in report.diagnostics if d.code == "PS431"]
    assert (result.message, result.span.text) == (
        "a call of `stars` has no result under the setting `tools`",
        "stars",
    )
    assert result.help == "stars {}: the result has two parts called `5`"


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES_WITH_SHOWS)
def test_every_needed_cell_of_an_example_can_be_read_from_its_shown_texts(name: str) -> None:
    """Each cell is recovered from the shown texts, and the lint reports no missing fact."""
    task = load(FOLDER / f"{name}.task.yaml")
    views = TaskViews(task)
    (setting,) = views.settings().values()
    shown = views.shows(setting)
    for table, column in columns_read(task):
        rows = list(csv.DictReader(shown[table.name].splitlines()))
        for row, text in zip(task.facts[table.name].rows, rows, strict=True):
            value = getattr(row, column.name)
            items = value if isinstance(value, tuple) else (value,)
            item_type = getattr(column.type, "item", column.type)
            parts = text[column.name].split("; ") if isinstance(value, tuple) and value else [text[column.name]]
            expected = ["" if item is None else show_key(item, item_type, task.currency) for item in items] or [""]
            assert parts == expected, (table.name, column.name)
    judge = Judge(task)
    plan = judge.reference_plan()
    assert plan is not None
    (result,) = sufficiency(judge.ground, [plan], TimeBudget(Limits(seconds=60)))
    assert result.status == "sufficient", str(result)


@pytest.mark.slow
@pytest.mark.parametrize("name", try_few(EXAMPLES_WITH_SHOWS, {"delivery", "menu", "roster"}))
def test_a_hidden_column_is_reported(name: str) -> None:
    """Each column that rules read is hidden in turn, and is then no longer among the shown facts."""
    text = (FOLDER / f"{name}.task.yaml").read_text("utf-8")
    task = load(FOLDER / f"{name}.task.yaml")
    judge = Judge(task)
    plan = judge.reference_plan()
    assert plan is not None
    answer = judge.encode(plan)
    for table, column in columns_read(task):
        hidden = text.replace("environment:\n", f"environment:\n  hidden: [{table.name}.{column.name}]\n", 1)
        hidden = hidden.replace("reference: answers/", f"reference: {FOLDER}/answers/")
        result = examine_answer(task_from_text(hidden, f"{name}.task.yaml"), answer)
        fact = f"{table.name}.{column.name}"
        assert status_by_fact(result)[fact] in ("untold", "unproved", "in-query", "idle"), fact


@st.composite
def tasks_with_partial_tool(draw: st.DrawFn) -> tuple[str, set[str]]:
    """Draw a task whose tool returns only some of the columns that rules read.

    Returns:
        The text of the task, and the names of the columns left out.
    """
    returned_columns = draw(st.sets(st.sampled_from(["rate", "full", "stars"])))
    rates = draw(st.lists(st.integers(50, 99), min_size=3, max_size=3))
    leaves = {
        "rate": "rate: amount(arg.hotel.rate)",
        "full": "full: arg.hotel.full",
        "stars": "stars: arg.hotel.stars",
    }
    text = TEXT.replace("RETURNS", ", ".join(leaves[name] for name in sorted(returned_columns)) or "nothing: none")
    for old, new in zip(("90", "80", "120"), rates, strict=True):
        text = text.replace(f"rate: {old} EUR", f"rate: {new} EUR")
    text = text.replace("  free: {hard", "  stars: {hard: stay.hotel.stars >= 3}\n  free: {hard")
    return text, {f"Hotel.{name}" for name in {"rate", "full", "stars"} - returned_columns}


@given(tasks_with_partial_tool())
def test_exactly_the_columns_that_a_tool_leaves_out_are_reported(
    text_and_missing: tuple[str, set[str]],
) -> None:
    text, missing = text_and_missing
    result = examine(text)
    assert {str(fact.fact) for fact in result.untold} == missing
    assert result.calls == 4


# ------------------------------------------------------------------ minimum number of calls


def text_with_call_limit(text: str, allowed: int) -> str:
    """Return the text of a task with a setting that allows this many calls."""
    return f"{text}  settings: {{few: {{calls: {allowed}, brief: Be quick.}}}}\n"


COMPLETE_TEXT = TEXT.replace("RETURNS", "rate: amount(arg.hotel.rate), full: arg.hotel.full")


def test_the_minimum_number_of_calls_includes_those_that_reveal_names() -> None:
    """One call lists the hotels, and another describes the hotel of the plan."""
    result = examine(text_with_call_limit(COMPLETE_TEXT, 5))
    assert result.least == LeastCalls(2, 2)
    assert "2 of 5 calls reveal all that a plan depends on" in str(result)


def test_a_name_in_the_query_needs_no_call() -> None:
    text = COMPLETE_TEXT.replace("Two nights in town", "Two nights at the Harbour Inn").replace(
        "the Harbour Inn", "Harbour Inn"
    )
    assert examine(text_with_call_limit(text, 5)).least == LeastCalls(1, 1)


def test_a_shown_fact_needs_no_call() -> None:
    text = COMPLETE_TEXT.replace("environment:\n", "environment:\n  shows: {Hotel: all}\n")
    assert examine(text_with_call_limit(text, 5)).least == LeastCalls(0, 0)


def test_one_call_that_reveals_two_facts_is_counted_once_and_two_calls_twice() -> None:
    separate = (
        COMPLETE_TEXT.replace("rate: amount(arg.hotel.rate), full: arg.hotel.full", "rate: amount(arg.hotel.rate)")
        + """\
    full:
      params: {hotel: Hotel}
      returns: {full: arg.hotel.full}
"""
    )
    assert examine(text_with_call_limit(separate, 5)).least == LeastCalls(3, 3)


def test_a_call_needs_a_name_that_an_earlier_call_revealed() -> None:
    """Each hotel reveals the name of the next. A search finds the first hotel but reveals no rate."""
    text = COMPLETE_TEXT.replace(
        "returns: {hotels: {each: h in Hotel, as: h.name}}",
        "returns: {hotels: {each: h in Hotel if h.stars == 5, as: h.name}}",
    )
    text = text.replace(
        "full: arg.hotel.full",
        "full: arg.hotel.full, others: {each: h in Hotel if h != arg.hotel, as: h.name}",
    )
    result = examine(text_with_call_limit(text, 5))
    assert result.calls == 4
    assert result.least == LeastCalls(3, 3)


@pytest.mark.parametrize(("allowed", "is_reported"), [(1, True), (2, False)])
def test_a_limit_on_calls_that_is_too_low_is_reported(allowed: int, *, is_reported: bool) -> None:
    task = task_from_text(text_with_call_limit(COMPLETE_TEXT, allowed), "trip.task.yaml")
    report = lint_task(ground(task), limits=Limits(seconds=60))
    result = [d for d in report.diagnostics if d.code == "PS432"]
    assert bool(result) is is_reported
    if result:
        assert result[0].help == "allow 2 calls or more, or show more"


def test_without_a_limit_the_minimum_number_of_calls_is_not_computed() -> None:
    assert examine(COMPLETE_TEXT).least is None


@settings(max_examples=examples(15))
@given(st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=12), st.integers(0, 4))
def test_the_minimum_number_of_calls_is_that_of_a_shortest_path_through_names(
    links: set[tuple[int, int]], aim: int
) -> None:
    """The query names one hotel. Each hotel reveals the names of the hotels to which it is linked."""
    ends = {at: {b for a, b in links if a == at} for at in range(5)}
    reached, steps = {0}, 1
    while aim not in reached and not all(ends[at] <= reached for at in reached):
        reached |= {b for at in reached for b in ends[at]}
        steps += 1
    hotels = ", ".join(f"{{id: hotel{n}, rate: {50 + n} EUR}}" for n in range(5))
    linked = ", ".join(f"{{id: l{n}, a: hotel{a}, b: hotel{b}}}" for n, (a, b) in enumerate(sorted(links)))
    task = task_from_text(
        f"""\
planspec: task/1
id: chain
query: A night for at most 200 euros, hotel0 or what it knows.
currency: EUR
tables:
  Hotel: {{columns: {{rate: money}}, rows: [{hotels}]}}
  Link: {{columns: {{a: Hotel, b: Hotel}}, rows: [{linked}]}}
given: {{budget: 200 EUR}}
plan: {{stay: {{one: true, hotel: Hotel}}}}
constraints: {{budget: {{hard: stay.hotel.rate <= budget}}}}
environment:
  tools:
    hotel:
      params: {{hotel: Hotel}}
      returns: {{rate: amount(arg.hotel.rate), knows: {{each: l in Link if l.a == arg.hotel, as: l.b}}}}
  settings: {{few: {{calls: 9, brief: Be quick.}}}}
""",
        "chain.task.yaml",
    )
    result = examine_answer(task, {"stay": {"hotel": f"hotel{aim}"}}).least
    assert result == (LeastCalls(steps, steps) if aim in reached else LeastCalls(0, 0))


def test_settings_with_equal_views_are_examined_once_and_each_is_reported() -> None:
    text = f"{COMPLETE_TEXT}  settings: {{quick: {{calls: 5, brief: Be quick.}}, kind: {{calls: 5, brief: Be kind.}}, named: {{calls: 5, brief: Ask Harbour Inn.}}}}\n"
    task = task_from_text(text, "trip.task.yaml")
    plan = Judge(task).read({"stay": {"hotel": "inn"}})
    assert plan is not None
    result = sufficiency(ground(task), [plan], TimeBudget(Limits(seconds=60)))
    assert [(one.setting, one.status, str(one.least)) for one in result] == [
        ("quick", "sufficient", "2"),
        ("kind", "sufficient", "2"),
        ("named", "sufficient", "1"),
    ]
    assert result[0].facts is result[1].facts
