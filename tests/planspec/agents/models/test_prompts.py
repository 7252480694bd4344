from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import SandboxedEnvironment

import planspec.agents.prompts
from planspec.agents.loops import PlanExecute, ReAct
from planspec.agents.models import Message, ModelAgent, System, text_tools
from planspec.agents.prompts import Prompts, PromptTemplateError
from tests.paths import ROOT
from tests.planspec.agents.models.small_office import ScriptedChat, desk, text_reply, view

FILES = {path.name: path for path in Path(planspec.agents.prompts.__file__).parent.glob("*.j2")}


def test_every_template_is_used_by_a_loop() -> None:
    assert {*ReAct.templates, *PlanExecute.templates, *text_tools.TEMPLATES} == set(FILES)


def test_the_prompts_do_not_mention_travel() -> None:
    words = re.compile(
        r"\b(trips?|travel\w*|tour\w*|journeys?|places?|sights?|hotels?|restaurants?|flights?|cit(y|ies)|itinerar\w*)\b",
        re.IGNORECASE,
    )
    used = {name: match[0] for name, path in FILES.items() if (match := words.search(path.read_text("utf-8")))}
    assert used == {}


def system(request: tuple[Message, ...]) -> str:
    """Return the system prompt of a request."""
    first = request[0]
    assert isinstance(first, System)
    return first.text


def test_the_role_begins_the_system_prompt_of_each_part() -> None:
    chat = ScriptedChat(text_reply('{"steps": ["Look."]}'), text_reply("seen"), text_reply("x"), text_reply("x"))
    ModelAgent(chat, loop="plan").answer(view(role="You guide."), desk())
    ModelAgent(chat).answer(view(role="You guide."), desk())
    assert len(chat.requests) == 4
    assert all(system(request).startswith("You guide.\n\n") for request in chat.requests)


def test_without_a_role_a_model_solves_planning_tasks() -> None:
    chat = ScriptedChat(text_reply("x"))
    ModelAgent(chat).answer(view(), desk())
    sentence = "You solve planning tasks, and you answer exactly what the user asks for.\n\n"
    assert system(chat.requests[0]).startswith(sentence)


def rendered_variables(monkeypatch: pytest.MonkeyPatch) -> dict[str, set[str]]:
    """Return the variables that each template gets, found by conversations in which each template is used."""
    variables: dict[str, set[str]] = {}
    render = Prompts.render

    def record(self: Prompts, name: str, /, **given: Any) -> str:
        assert variables.setdefault(name, set(given)) == set(given)
        return render(self, name, **given)

    monkeypatch.setattr(Prompts, "render", record)
    replies = [text_reply('{"steps": ["Look."]}'), text_reply("seen"), text_reply(""), text_reply("x")]
    ModelAgent(ScriptedChat(*replies), loop="plan").answer(view(), desk())
    call = text_reply('{"action": "today", "arguments": {}}')
    replies = [call, text_reply('{"action": "submit", "answer": "x"}')]
    ModelAgent(ScriptedChat(*replies), tools="text").answer(view(), desk(tool_calls=1))
    return variables


def test_the_docs_list_the_variables_of_each_template(monkeypatch: pytest.MonkeyPatch) -> None:
    section = (ROOT / "docs" / "agents.md").read_text("utf-8").partition("\n### Prompts\n")[2].partition("\n##")[0]
    items = re.findall(r"^- `(\w+\.j2)`.*: (.*)$", section, flags=re.MULTILINE)
    documented = {name: set(re.findall(r"`(\w+)`", variables)) for name, variables in items}
    assert documented == rendered_variables(monkeypatch)
    assert documented.keys() == FILES.keys()
    for name, path in FILES.items():
        assert find_undeclared_variables(SandboxedEnvironment().parse(path.read_text("utf-8"))) == documented[name]


def test_the_hashes_of_the_files_are_recorded() -> None:
    recorded = ModelAgent(ScriptedChat(), loop="plan", tools="text").about()["prompts"]
    assert recorded == {name: sha256(FILES[name].read_bytes()).hexdigest() for name in recorded}
    assert {"text_tools.j2", "planner.j2"} <= recorded.keys()
    assert "system.j2" in ModelAgent(ScriptedChat()).about()["prompts"]


def test_the_templates_of_a_folder_replace_planspecs_own(tmp_path: Path) -> None:
    (tmp_path / "system.j2").write_text("Be brief. {{ brief }}", "utf-8")
    chat = ScriptedChat(text_reply("x"))
    agent = ModelAgent(chat, prompts=str(tmp_path))
    agent.answer(view(brief="One word."), desk())
    assert chat.requests[0][0] == System("Be brief. One word.")
    digest = sha256(b"Be brief. One word.".replace(b"One word.", b"{{ brief }}")).hexdigest()
    assert agent.about()["prompts"]["system.j2"] == digest


def test_a_template_that_replaces_nothing_is_refused(tmp_path: Path) -> None:
    """A template is refused if planspec has no prompt with its name."""
    (tmp_path / "sytem.j2").write_text("", "utf-8")
    with pytest.raises(PromptTemplateError, match=r"`sytem\.j2`.*replaces no prompt; there are planner\.j2"):
        Prompts(tmp_path)


@pytest.mark.parametrize("text", ["{{ nobody }}", "{% for %}", "{{ brief.__class__.__mro__ }}"])
def test_a_failing_template_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "system.j2").write_text(text, "utf-8")
    with pytest.raises(PromptTemplateError, match=r"`system\.j2`"):
        Prompts(tmp_path).render("system.j2", brief="x")


def test_a_template_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "system.j2").write_bytes(b"\xff")
    with pytest.raises(PromptTemplateError, match="cannot be read"):
        Prompts(tmp_path)
