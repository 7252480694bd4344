"""A request is sent only once if its reply is cached."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from planspec.agents import Desk, Limits
from planspec.agents.models import OpenAI
from planspec.agents.models.reply_cache import ReplyCache
from tests.planspec.agents.models.loopback import Response, Service, openai_reply
from tests.planspec.agents.models.small_office import TOOLS, view

pytestmark = pytest.mark.slow


def is_cached(service: Service, folder: Path, draw: int = 5, **options: Any) -> bool:
    """Send a request with these options, and return whether its reply came from the cache."""
    at = Desk(TOOLS, Limits(), draw, replies=ReplyCache(folder))
    given: dict[str, Any] = {"model": "m", "base_url": f"{service.url}/v1", "retries": 0} | options
    agent = OpenAI(**given)
    assert agent.answer(view(), at) == "x"
    return at.generations[0].hit


def test_a_request_with_any_difference_is_sent(tmp_path: Path) -> None:
    with Service(openai_reply("x")) as service:
        assert [is_cached(service, tmp_path), is_cached(service, tmp_path)] == [False, True]
        for options in ({"temperature": 0.5}, {"top_p": 0.5}, {"extra_body": '{"top_k": 2}'}, {"model": "n"}):
            assert not is_cached(service, tmp_path, **options)
        assert not is_cached(service, tmp_path / "other")
        assert is_cached(service, tmp_path, timeout_s=9.0)


def test_attempts_with_different_seeds_get_new_replies_even_if_no_seed_is_sent(tmp_path: Path) -> None:
    with Service(openai_reply("x")) as service:
        assert [is_cached(service, tmp_path, draw, seed="none") for draw in (1, 2, 1)] == [False, False, True]


def test_an_unreadable_reply_is_requested_again(tmp_path: Path) -> None:
    with Service(openai_reply("x")) as service:
        is_cached(service, tmp_path)
        (file,) = tmp_path.rglob("*.json")
        file.write_text("{")
        assert [is_cached(service, tmp_path), is_cached(service, tmp_path)] == [False, True]


def test_failures_are_not_cached(tmp_path: Path) -> None:
    with Service(Response(b"{}", status=500), Response(b"no JSON"), openai_reply("x")) as service:
        assert not is_cached(service, tmp_path, retries=2)
        assert is_cached(service, tmp_path)
    assert len(list(tmp_path.rglob("*.json"))) == 1
