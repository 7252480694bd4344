"""Settings declared by libraries: briefs, tools with and without an index, and hidden data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from planspec.agents.view import Limits
from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.workspace.workspace import Workspace
from planspec.environments import every_setting, open_task
from planspec.environments.declared import CONVERSATION

LIBRARY = """\
planspec: library/1
id: shops
tables:
  City: {}
  Shop: {city: City, rank: int, plain: bool = true}
plan: {stay: {one: true, shop: Shop}}
define: {open_in(c City): (s for s in Shop if s.city == c and s.plain)}
environment:
  hidden: [Shop.plain]
  shapes:
    shop(s Shop): {name: s, near: {each: o in Shop if o.city == s.city and o != s, as: o}}
  tools:
    list:
      params: {city: City}
      returns:
        shops: {each: s in Shop if s.city == arg.city and s.plain, sort: s.rank, as: shop(s)}
    twice:
      params: {a: City, b: City}
      returns:
        both: {each: s in Shop if s.city == arg.a and s.city == arg.b, as: s}
        either:
          each: s in Shop if s.city in {arg.a, arg.b} and s.rank == 1
          as: s
        nested: {each: s in Shop if s.city == arg.a and (s.city == arg.b and s.rank == 1), as: s}
  settings:
    look: {brief: [greeting, answer]}
    blind: {tools: none, brief: No tools.}
  briefs:
    greeting: |
      Hello.
    answer: Answer in full.
"""
TASK = """\
planspec: task/1
id: t
uses: [shops]
tables:
  City: {rows: [{id: a}, {id: b}]}
  Shop:
    rows:
      - {id: x, city: a, rank: 2}
      - {id: y, city: a, rank: 1}
      - {id: z, city: b, rank: 1}
      - {id: hidden, city: a, rank: 3, plain: false}
scope: {stay: {shop: Shop}}
"""
QUERY = "query: Where?\n"
TURNS = "turns: [{query: Where?}, {query: And now?}]\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a library that declares settings."""
    (tmp_path / "libraries").mkdir()
    (tmp_path / "libraries" / "shops.library.yaml").write_text(LIBRARY)
    return tmp_path


def write_task(folder: Path, text: str) -> Path:
    path = folder / "t.task.yaml"
    path.write_text(text)
    return path


def call_tool(folder: Path, tool: str, **arguments: str) -> dict[str, Any]:
    """Return the result of a tool that the library declares."""
    result: dict[str, Any] = open_task(write_task(folder, TASK + QUERY)).tools.call(tool, arguments)
    return result


def test_a_setting_has_the_briefs_that_it_names_or_its_own_text(folder: Path) -> None:
    path = write_task(folder, TASK + QUERY)
    assert open_task(path).brief.startswith("Hello.\n\nAnswer in full.\n\n")
    assert open_task(path, "blind").brief.startswith("No tools.\n\n")


def write_roles(folder: Path, library: str, world: str, task: str) -> Path:
    """Write the task `t`, its world and its library, each with the text `role` for agents given for it, if not empty."""
    parts = ["  role: " + text + "\n" if text else "" for text in (library, world, task)]
    text = LIBRARY.replace("environment:\n", f"environment:\n{parts[0]}")
    (folder / "libraries" / "shops.library.yaml").write_text(text)
    (folder / "w.world.yaml").write_text(f"planspec: world/1\nid: w\nuses: [shops]\nenvironment:\n{parts[1]}")
    return write_task(folder, TASK.replace("uses:", "world: w\nuses:") + QUERY + f"environment:\n{parts[2]}")


@pytest.mark.parametrize(
    ("roles", "role"),
    [
        (("", "", ""), ""),
        (("You sell.", "", ""), "You sell."),
        (("You sell.", "You buy.", ""), "You buy."),
        (("You sell.", "You buy.", "You give."), "You give."),
        (("You sell.", "", "You give."), "You give."),
        (("You sell.", "", '""'), ""),
    ],
)
def test_the_role_comes_from_the_task_else_from_its_world_else_from_its_library(
    folder: Path, roles: tuple[str, str, str], role: str
) -> None:
    opened = open_task(write_roles(folder, *roles))
    assert opened.role == opened.view(0, (), Limits(), 0).role == role


def test_the_role_of_a_setting_replaces_that_of_its_environment(folder: Path) -> None:
    text = TASK + QUERY + "environment:\n  role: You give.\n  settings: {own: {role: You take.}, other: {calls: 2}}\n"
    path = write_task(folder, text)
    assert [open_task(path, setting).role for setting in ("own", "other", "look")] == [
        "You take.",
        "You give.",
        "You give.",
    ]


@pytest.mark.parametrize("section", ["role: [You give.]", "settings: {own: {role: {You: give.}}}"])
def test_a_role_must_be_a_string(folder: Path, section: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        open_task(write_task(folder, TASK + QUERY + f"environment: {{{section}}}\n"))
    assert [(each.code, each.message) for each in caught.value.diagnostics] == [("PS011", "`role` must be a string")]


def test_only_a_conversation_has_the_brief_for_later_turns(folder: Path) -> None:
    assert open_task(write_task(folder, TASK + TURNS)).brief.endswith(CONVERSATION)
    assert CONVERSATION not in open_task(write_task(folder, TASK + QUERY)).brief


def test_results_of_tools_are_not_shared_objects(folder: Path) -> None:
    task = open_task(write_task(folder, TASK + QUERY))
    first = task.tools.call("list", {"city": "a"})
    assert first["shops"][0] == {"name": "y", "near": ["x", "hidden"]}
    first["shops"][0]["near"].clear()
    assert task.tools.call("list", {"city": "a"})["shops"][0]["near"] == ["x", "hidden"]


def test_conditions_that_no_index_answers_are_evaluated(folder: Path) -> None:
    assert [shop["name"] for shop in call_tool(folder, "list", city="a")["shops"]] == ["y", "x"]
    assert call_tool(folder, "twice", a="a", b="b") == {"both": [], "either": ["y", "z"], "nested": []}
    assert call_tool(folder, "twice", a="a", b="a") == {
        "both": ["x", "y", "hidden"],
        "either": ["y"],
        "nested": ["y"],
    }


@pytest.mark.parametrize(
    ("section", "code"),
    [
        ("tools: {other: {returns: {all: {each: s in Shop, as: s.plain}}}}", "PS319"),
        ("hidden: [Shop.rank]", "PS319"),
        ("hidden: [Shop]", "PS319"),
        ("tools: {other: {returns: {all: {each: s in Shop if s.plain, as: s}}}}", None),
    ],
)
def test_data_hidden_by_any_document_are_hidden(folder: Path, section: str, code: str | None) -> None:
    workspace = Workspace()
    open_task(write_task(folder, TASK + QUERY), workspace=workspace)  # checks the library
    path = folder / "other.task.yaml"
    path.write_text(TASK.replace("id: t\n", "id: other\n") + QUERY + f"environment: {{{section}}}\n")
    if code is None:
        assert [tool.name for tool in open_task(path, workspace=workspace).tools.tools()][-1] == "other"
        return
    with pytest.raises(DiagnosticError) as caught:
        open_task(path, workspace=workspace)
    assert {each.code for each in caught.value.diagnostics} == {code}


def test_completion_offers_the_settings_of_libraries_in_reach(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert {"look", "blind", "sole-planning", "gold", "sandbox"} <= set(every_setting())
