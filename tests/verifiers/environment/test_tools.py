"""Results of tools and shown texts, for a task about a small town."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.task import Task
from planspec.verifiers.environment.tools import TableTool, TaskViews
from tests.verifiers.environment.harbour import TEXT, harbour

VIEWS = TaskViews(harbour())
SETTINGS = VIEWS.settings()
TOOLS: dict[str, TableTool] = {tool.name: tool for tool in VIEWS.tools(SETTINGS["tools"])}
SHOWN = VIEWS.shows(SETTINGS["gold"])


def call_tool(tool: str, /, **arguments: Any) -> Any:
    """Call a tool, check that the result is JSON, and return it."""
    result = TOOLS[tool].run(arguments)
    assert json.loads(json.dumps(result)) == result
    return result


def error_of_call(tool: str, /, **arguments: Any) -> tuple[str, str]:
    """Call a tool and return code and message of the error."""
    error = call_tool(tool, **arguments)["error"]
    return error["code"], error["message"]


# ------------------------------------------------------------------ results


def test_a_list_is_filtered_sorted_and_limited() -> None:
    """The rates are in descending order, ties are in the order of keys, and the limit is two rows. A filter may
    read hidden facts.
    """
    assert call_tool("hotels", city="Northport") == {
        "city": "Northport",
        "hotels": [
            {"name": "Harbour Inn", "room": "Entire home", "rate": 90},
            {"name": "Old Attic", "room": "Part of one", "rate": 60.5},
        ],
    }


def test_a_missing_argument_is_none_or_its_default() -> None:
    names = [h["name"] for h in call_tool("hotels", city="Northport", most="61", rooms=["part"])["hotels"]]
    assert names == ["Old Attic", "Blue Door"]


def test_elements_of_several_variables_are_distinct_and_in_order() -> None:
    days = call_tool("way", **{"from": "Northport", "to": "Lakewell", "mode": "taxi"})["days"]
    assert list(days.items()) == [
        ("2026-06-05", "on 2026-06-05"),
        ("2026-07-01", "on 2026-07-01"),
        ("2026-07-02", "on 2026-07-02"),
    ]


def test_a_result_tree_inserts_the_fields_of_a_named_shape() -> None:
    result = call_tool("way", **{"from": "Northport", "to": "Lakewell", "mode": "self-driving"})
    assert list(result) == ["minutes", "length", "days", "ends", "currency"]
    assert (result["minutes"], result["length"]) == (120, "120km")
    assert (result["ends"], result["currency"]) == ("Northport to Lakewell", "EUR")


def test_a_condition_can_omit_a_field_or_make_it_null() -> None:
    inn, door = call_tool("stars", hotel="Harbour Inn"), call_tool("stars", hotel="Blue Door")
    assert inn["known"] == {"stars": 4, "many": True}
    assert "known" not in door
    assert (inn["said"], door["said"]) == ("4 stars", None)
    assert (inn["id"], inn["tags"], door["tags"]) == ("inn", ["part", "whole"], [])


def test_the_keys_of_a_map_are_shown_as_texts() -> None:
    """Below the key `fields`, names of fields may be words that are otherwise reserved."""
    assert call_tool("stars", hotel="Blue Door")["by_room"] == {
        "whole": {"Harbour Inn": {"when": 4, "text": 90}},
        "part": {"Blue Door": {"when": None, "text": 60.5}, "Old Attic": {"when": 2, "text": 60.5}},
    }


def test_elements_without_a_sort_key_come_last_in_both_directions() -> None:
    result = call_tool("stars", hotel="Blue Door")
    assert result["worst"] == ["Old Attic", "Harbour Inn", "Blue Door"]
    assert result["best"] == ["Harbour Inn", "Old Attic", "Blue Door"]


# ------------------------------------------------------------------ arguments


@pytest.mark.parametrize("name", ["Northport", "northport", " NORTHPORT ", "north", "Nortport"])
def test_a_row_is_found_by_name_and_key_as_in_answers(name: str) -> None:
    assert call_tool("hotels", city=name)["city"] == "Northport"


def test_ambiguous_and_unknown_names_are_refused() -> None:
    assert error_of_call("hotels", city="Sandby") == (
        "not-found",
        "the name can mean more than one city; write it in full",
    )
    code, message = error_of_call("way", **{"from": "Northport", "to": "Lakewel Port", "mode": "taxi"})
    assert code == "not-found"
    assert message.startswith("there is no town of this name")


def test_rows_excluded_by_a_condition_are_unknown_to_a_tool() -> None:
    """The tool does not find them, and its schema does not list them."""
    assert error_of_call("stars", hotel="Cellar") == ("not-found", "there is no hotel of this name")
    assert TOOLS["stars"].parameters["properties"]["hotel"] == {"enum": ["Harbour Inn", "Blue Door", "Old Attic"]}


def test_a_row_can_be_named_by_the_names_of_rows_to_which_it_refers() -> None:
    assert call_tool("stop", stop="Northport") == {"stop": "s1"}
    assert call_tool("stop", stop="Harbour Inn") == {"stop": "s2"}
    assert error_of_call("stop", stop="s3")[0] == "not-found"


def test_arguments_of_every_type_are_read() -> None:
    assert call_tool("numbers", n="3", day="2026-07-01", at="9:05", ways=["lake", "Northport"]) == {
        "n": 3,
        "twice": 6,
        "share": "0.25",
        "day": "2026-07-01",
        "at": "09:05",
        "ways": ["Lakewell", "Northport"],
    }


def test_all_faults_of_a_call_are_reported_together() -> None:
    code, message = error_of_call("numbers", n=2.5, day="2026-07-03", at="25:61", wayz=[])
    assert code == "invalid-arguments"
    parts = message.split("; ")
    assert [part.partition(":")[0] for part in parts if ":" in part] == ["wayz", "n", "day", "at", "ways"]
    assert "did you mean `ways`?" in message


def test_a_refusal_takes_precedence_over_the_result() -> None:
    both = {"from": "lake", "to": "lake", "mode": "taxi"}
    assert error_of_call("way", **both) == ("invalid-arguments", "both ends are the same")
    assert error_of_call("way", **{**both, "to": "north"}) == ("not-found", "no way")
    assert error_of_call("hotels", city="Lakewell") == ("not-found", "Lakewell has no such hotel")
    assert error_of_call("way", **{**both, "mode": "own_car"})[0] == "invalid-arguments"


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["north", "2026-07-01"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(["city", "most", "rooms", "from", "to", "mode", "hotel", "stop", "n", "day", "at", "ways", "x"])


@given(st.sampled_from(sorted(TOOLS)), JSON | st.dictionaries(NAMES, JSON, max_size=6))
def test_any_arguments_lead_to_a_result_or_a_refusal(tool: str, sent: Any) -> None:
    result = TOOLS[tool].run(sent)
    if "error" in result:
        assert result["error"]["code"] in ("invalid-arguments", "not-found")
        json.dumps(result).encode("utf-8")


def test_the_schema_describes_the_accepted_arguments() -> None:
    schema = TOOLS["numbers"].parameters
    assert schema["required"] == ["n", "day", "ways"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["ways"] == {"type": "array", "items": {"type": "string"}}
    assert TOOLS["way"].parameters["properties"]["mode"] == {"enum": ["self-driving", "taxi"]}
    assert TOOLS["hotels"].parameters["properties"]["most"]["description"] == "at most so much"


def test_an_equality_with_an_argument_uses_an_index() -> None:
    """An index finds the rows of a city, so that the table is not scanned."""
    task = harbour()
    (tool,) = [t for t in TaskViews(task).tools(SETTINGS["tools"]) if t.name == "hotels"]
    assert not task.facts["Hotel"]._groups
    tool.run({"city": "Northport"})
    assert list(task.facts["Hotel"]._groups) == [("city", "room")]


# ------------------------------------------------------------------ shown texts


def test_a_table_is_shown_with_keys_and_without_hidden_columns() -> None:
    assert SHOWN["Hotel"].splitlines()[:2] == [
        "id,name,city,rate,room,stars,tags",
        "inn,Harbour Inn,north,90.00 EUR,whole,4,part; whole",
    ]


def test_parameters_are_shown_by_name() -> None:
    assert json.loads(SHOWN["asked"]) == {"most": "80.00 EUR", "trip": ["2026-07-01", "2026-07-02"]}


def test_a_text_is_shown_for_each_binding_that_has_rows() -> None:
    assert [title for title in SHOWN if title.startswith("Hotels in")] == ["Hotels in Northport"]
    assert SHOWN["Hotels in Northport"].splitlines() == [
        "name,room,rate",
        "Old Attic,Part of one,60.5",
        "Blue Door,Part of one,60.5",
        "Harbour Inn,Entire home,90",
    ]


def test_a_text_to_show_is_left_out_if_its_condition_is_false() -> None:
    assert "note" not in SHOWN
    assert SHOWN["words"] == "Spend no more than 80.00 EUR."
    assert SHOWN["lines"].splitlines()[0] == "- Northport"


def test_a_setting_has_the_tools_that_it_names_or_all_tools() -> None:
    assert list(SETTINGS) == ["tools", "gold"]
    assert list(VIEWS.shows(SETTINGS["tools"])) == ["asked"]
    assert VIEWS.tools(SETTINGS["gold"]) == []
    assert len(VIEWS.tools(SETTINGS["tools"])) == 5


def test_a_task_can_name_its_default_setting() -> None:
    chosen = harbour(f"{TEXT}  default: gold\n")
    assert list(TaskViews(chosen).settings()) == ["gold", "tools"]


def test_hidden_facts_cannot_be_revealed() -> None:
    """Every construct that could reveal a hidden fact is refused. The diagnostic names the fact."""
    base = TEXT.replace("      returns: {stop: key(arg.stop)}", "      returns: {stop: WAY}")
    leaks = [
        'any(h.plain for h in Hotel if h.name == "Cellar")',
        "count(h for h in Hotel if h.plain and h.city == arg.stop.city)",
        "(first(h for h in Hotel if h.plain, by=h.rate))",
        "(1 if arg.stop.hotel.plain else 2)",
    ]
    for leak in leaks:
        block = base.replace("returns: {stop: WAY}", f"returns:\n        stop: >-\n          {leak}")
        with pytest.raises(DiagnosticError) as caught:
            harbour(block)
        assert {d.code for d in caught.value.diagnostics} == {"PS319"}, leak


OPTIONAL = """\
planspec: task/1
id: things
query: One thing.
types: {Size: small | very_large}
tables: {Thing: {columns: {ok: bool, size: Size = small}, rows: [{id: ball, ok: true}, {id: lamp, ok: false, size: very_large}]}}
plan: {buy: {one: true, thing: Thing}}
environment:
  tools:
    find:
      params: {ok: PARAM}
      returns: {things: {each: t in Thing if arg.ok is none or t.ok == arg.ok, as: key(t)}}
    sized:
      params: {size: Size}
      returns: {things: {each: t in Thing if t.size == arg.size, as: key(t)}}
    called:
      params: {word: text}
      returns:
        things:
          each: t in Thing if contains(arg.word, "a")
          as: key(t)
"""


def tools_of(task: Task) -> dict[str, TableTool]:
    """Return the tools of a task without settings."""
    views = TaskViews(task)
    return {tool.name: tool for tool in views.tools(views.settings()["tools"])}


@pytest.mark.parametrize("param", ["{type: bool, optional: true}", "bool?"])
def test_a_missing_optional_boolean_is_not_false(param: str) -> None:
    task = task_from_text(OPTIONAL.replace("PARAM", param))
    find = tools_of(task)["find"]
    assert find.run({}) == {"things": ["ball", "lamp"]}
    assert find.run({"ok": False}) == find.run({"ok": "False"}) == {"things": ["lamp"]}


def test_enum_members_ignore_case_and_texts_must_not_be_empty() -> None:
    task = task_from_text(OPTIONAL.replace("PARAM", "bool?"))
    tools = tools_of(task)
    assert tools["sized"].run({"size": "Very Large"}) == {"things": ["lamp"]}
    assert tools["sized"].run({"size": "huge"})["error"]["message"] == "size: it must be one of small, very_large"
    assert tools["called"].run({"word": " "})["error"]["message"] == "word: it must be text that is not empty"
