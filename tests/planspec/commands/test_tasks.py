"""`tasks view` and `tasks call`: an agent's view of a task, and results of its tools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planspec.api.outputs.shown import ViewOutput
from tests.planspec.commands.test_command_line import run

TASK = """\
planspec: task/1
id: garden
currency: EUR
tables:
  Plant:
    columns: {name: text, price: money, secret: bool = true}
    rows: [{id: bean, name: beans, price: 0.15 EUR}, {id: kale, name: kale, price: 0.50 EUR}]
given: {wanted: [bean], budget: 5 EUR}
plan: {sowings: {plant: key Plant}}
scope: {sowings: {plant: Plant}}
constraints: {purse: {hard: sum(s.plant.price for s in sowings) <= budget}}
turns:
  - query: Beans.
  - query: Kale, too.
    given: {wanted: [bean, kale], budget: 6 EUR}
environment:
  hidden: [Plant.secret]
  shows: {asked: [wanted, budget], Plant: all}
  tools:
    price:
      doc: What a plant costs.
      params: {plant: Plant, many: {type: int, default: 1}}
      returns: {price: arg.plant.price * arg.many, left: budget - arg.plant.price}
  settings:
    tools: {shows: [asked], calls: 9, brief: Look it up.}
    told: {role: You garden., shows: all, tools: none}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write a task to a new working directory."""
    (tmp_path / "garden.task.yaml").write_text(TASK)
    monkeypatch.chdir(tmp_path)


def test_a_view_has_an_agents_input_at_its_turn(monkeypatch: Any, capsys: Any) -> None:
    code, out, _ = run(monkeypatch, capsys, "tasks", "view", "garden@1")
    assert code == 0
    assert out.startswith("garden@1 in the setting `tools`\n\nBeans.\n\n# brief\n\nLook it up.\n")
    assert '"budget": "5.00 EUR"' in out
    assert out.endswith("\n1 tool, 9 calls at most:\n  price(plant, many?): What a plant costs.\n")
    code, out, _ = run(monkeypatch, capsys, "tasks", "view", "garden", "--setting", "told")
    assert "\n1. Beans.\n2. Kale, too.\n\n# role\n\nYou garden.\n\n# brief\n" in out
    assert "\n# Plant\n\nid,name,price\nbean,beans,0.15 EUR\n" in out
    assert out.endswith("\nno tools\n")


def test_a_view_as_json_has_the_schemas(monkeypatch: Any, capsys: Any) -> None:
    _, out, _ = run(monkeypatch, capsys, "tasks", "view", "garden", "--format", "json")
    output = ViewOutput.model_validate_json(out)
    assert (output.task, output.setting, output.calls, [tool.name for tool in output.tools]) == (
        "garden",
        "tools",
        9,
        ["price"],
    )
    assert output.tools[0].parameters["required"] == ["plant"]
    assert output.answer is not None
    assert "sowings" in output.answer["properties"]


@pytest.mark.parametrize(
    ("words", "code", "result"),
    [
        (("garden", "price", '{"plant": "beans", "many": 2}'), 0, {"price": "0.30 EUR", "left": "5.85 EUR"}),
        (("garden@1", "price", '{"plant": "beans"}'), 0, {"price": "0.15 EUR", "left": "4.85 EUR"}),
        (("garden", "price"), 1, {"error": {"code": "invalid-arguments", "message": "plant: it is missing"}}),
    ],
)
def test_a_call_prints_the_result_that_an_agent_gets(
    words: tuple[str, ...], code: int, result: object, monkeypatch: Any, capsys: Any
) -> None:
    exit_code, out, _ = run(monkeypatch, capsys, "tasks", "call", *words)
    assert (exit_code, json.loads(out)) == (code, result)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("garden", "prise", "{}"), "did you mean `price`?"),
        (("garden", "price", "{"), "the arguments are not JSON"),
        (("garden", "price", "{}", "--setting", "told"), "in the setting `told`: it has none"),
        (("garden@3", "price", "{}"), "garden"),
    ],
)
def test_an_invalid_call_is_reported(words: tuple[str, ...], message: str, monkeypatch: Any, capsys: Any) -> None:
    code, out, err = run(monkeypatch, capsys, "tasks", "call", *words)
    assert (code, out) == (2, "")
    assert message in err
