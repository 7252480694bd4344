"""Runs of one model with and without thinking are recognized and shown side by side."""

from __future__ import annotations

from typing import Any

import pytest

from planspec.agents.models.factories import OpenAI
from planspec.report import ReportPage
from planspec.report.thinking import mode_of, thinking_models
from planspec.scores import RunScores
from tests.planspec.agents.models.loopback import Service


@pytest.mark.parametrize(
    ("about", "mode"),
    [
        ({"model": "m"}, None),
        ({"thinking": True}, "on"),
        ({"thinking": False}, "off"),
        ({"extra_body": {"enable_thinking": False}}, "off"),
        ({"extra_body": {"chat_template_kwargs": {"thinking": True}}}, "on"),
        ({"extra_body": {"thinking": {"type": "enabled", "budget_tokens": 9}}}, "on"),
        ({"extra_body": {"thinking": {"type": "disabled"}}}, "off"),
        ({"reasoning_effort": "high"}, "high"),
        ({"reasoning_effort": "minimal"}, "off"),
        ({"extra_body": {"reasoning_effort": "low"}}, "low"),
        ({"extra_body": "much"}, None),
    ],
)
def test_the_thinking_mode_is_read_from_the_agents_description(about: dict[str, Any], mode: str | None) -> None:
    assert mode_of(about) == mode


def replace_description(scores: RunScores, **about: Any) -> RunScores:
    """Return the scores with another description of the run's agent."""
    return scores.model_copy(update={"run": scores.run.model_copy(update={"about": about})})


@pytest.mark.slow
def test_runs_of_one_model_are_grouped_and_the_one_without_thinking_comes_first(
    report_page: ReportPage,
) -> None:
    good, bad = (run.scores for run in report_page.chapters[0].runs)
    runs = [
        replace_description(good, model="m", loop="react", thinking=True),
        replace_description(bad, model="m", loop="react", thinking=False),
        replace_description(good, model="m", loop="plan", thinking=True),
        replace_description(good, model="other", loop="react", reasoning_effort="high"),
        replace_description(good, loop="react", thinking=True),
    ]
    (model,) = thinking_models(runs)
    assert (model.model, [(row.run_index, row.mode) for row in model.rows]) == ("m", [(1, "off"), (0, "on")])
    without, gain = (row.against for row in model.rows)
    assert without is None
    assert gain is not None and gain.difference == pytest.approx(2 / 3)


@pytest.mark.slow
@pytest.mark.parametrize("thinking", [True, False])
def test_the_thinking_option_is_sent_as_servers_of_open_models_expect_it(thinking: bool) -> None:
    with Service({}) as service:
        agent = OpenAI("m", base_url=f"{service.url}/v1", thinking=thinking, extra_body='{"top_k": 20}')
    body = agent.chat.about()["extra_body"]
    assert body == {
        "enable_thinking": thinking,
        "chat_template_kwargs": {"enable_thinking": thinking},
        "top_k": 20,
    }
    assert mode_of(agent.about()) == ("on" if thinking else "off")
