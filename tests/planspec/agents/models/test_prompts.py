from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

import planspec.agents.prompts
from planspec.agents.loops import PlanExecute, ReAct
from planspec.agents.models import ModelAgent, System, text_tools
from planspec.agents.prompts import Prompts, PromptTemplateError
from tests.planspec.agents.models.small_office import ScriptedChat, desk, text_reply, view

FILES = {path.name: path for path in Path(planspec.agents.prompts.__file__).parent.glob("*.j2")}


def test_every_template_is_used_by_a_loop() -> None:
    assert {*ReAct.templates, *PlanExecute.templates, *text_tools.TEMPLATES} == set(FILES)


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
    """A template is refused if no prompt of planspec has its name."""
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
