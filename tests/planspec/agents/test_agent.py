"""Specs of agents are parsed, options are checked, and unknown agents and options are reported."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.agents import Agent, AgentSpec, UnknownAgentError, agent, agent_names
from planspec.agents.baselines import ConstantAgent, EmptyAgent, GreedySearch


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("empty", "empty", {}),
        ("greedy:strategy=nearest", "greedy", {"strategy": "nearest"}),
        (
            "openai:model=qwen,base_url=http://127.0.0.1:8000/v1",
            "openai",
            {"model": "qwen", "base_url": "http://127.0.0.1:8000/v1"},
        ),
        (
            "repair:k=3,of=(greedy:strategy=nearest,seconds=5)",
            "repair",
            {"k": "3", "of": "greedy:strategy=nearest,seconds=5"},
        ),
        ("constant:text=a=b", "constant", {"text": "a=b"}),
    ],
)
def test_a_spec_is_a_name_with_options(text: str, name: str, options: dict[str, str]) -> None:
    assert AgentSpec.read(text) == AgentSpec(name, options)


@pytest.mark.parametrize("text", ["a:b", "a:=b", "a:x=1,x=2", "a:x=(1", "a:x=1)"])
def test_a_malformed_spec_is_reported(text: str) -> None:
    with pytest.raises(UnknownAgentError):
        AgentSpec.read(text)


names = st.from_regex(r"[a-z][a-z-]{0,8}", fullmatch=True)
values = st.recursive(
    st.from_regex(r"[a-z0-9:/=._ -]{0,8}[a-z0-9]", fullmatch=True),
    lambda inner: st.builds(lambda a, b: f"{a},x=({b})", inner, inner),
    max_leaves=3,
)


@given(names, st.dictionaries(names, values, max_size=3))
def test_a_spec_that_was_written_and_parsed_again_is_unchanged(name: str, options: dict[str, str]) -> None:
    spec = AgentSpec(name, {key: value.strip() for key, value in options.items()})
    assert AgentSpec.read(str(spec)) == spec


def test_options_have_the_declared_types() -> None:
    greedy = agent("greedy:strategy=nearest,seconds=5")
    assert isinstance(greedy, GreedySearch)
    assert greedy.about() == {"strategy": "nearest"}
    assert isinstance(agent("constant:text=hello"), ConstantAgent)
    assert isinstance(agent("empty"), EmptyAgent)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nobody", "there are .*oracle"),
        ("greedy:strategy=luck", "nearest"),
        ("greedy:seconds=soon", "options are strategy=None"),
        ("constant", "text"),
        ("empty:x=1", "has no options"),
    ],
)
def test_an_invalid_option_is_reported_with_the_available_ones(text: str, message: str) -> None:
    with pytest.raises(UnknownAgentError, match=message):
        agent(text)


def test_every_agent_that_is_named_can_be_loaded(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").touch()
    needed = {
        "command": "run=true",
        "constant": "text=x",
        "replay": f"file={tmp_path / 'none.jsonl'}",
        "repair": "of=empty",
        "minimal-repair": "of=empty",
    }
    for name in agent_names():
        if name in ("openai", "anthropic", "python"):  # the others need extras or a file
            continue
        loaded = agent(f"{name}:{needed[name]}" if name in needed else name)
        assert isinstance(loaded, Agent), name
