"""Scorers are opened by their addresses. Each call of a scorer yields a score or an error."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.foreign_scorers import Score, ScorerFailedError, UnknownScorerError, open_scorer
from planspec.foreign_scorers.scorer import is_accepted, read_score, task_request

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("inspect")]  # the import takes seconds

REQUEST = {"task": "one", "query": "A number.", "reference": {"n": 1}, "givens": {"least": 1}, "answer": {"n": 1}}
INSPECT = """\
import json
from inspect_ai.scorer import Score, accuracy, scorer

@scorer(metrics=[accuracy()])
def matches():
    async def score(state, target):
        same = json.loads(state.output.completion) == json.loads(target.text)
        assert (state.sample_id, state.input_text, state.metadata["givens"]) == ("one", "A number.", {"least": 1})
        return Score(value="C" if same else "I")
    return score

@scorer(metrics=[accuracy()])
def silent():
    async def score(state, target):
        return None
    return score
"""


def score_of(address: str, timeout_s: float = 20.0, **request: Any) -> Score:
    """Open the scorer at an address, and return its score of a request."""
    scorer = open_scorer(address, timeout_s=timeout_s)
    try:
        return scorer.score(REQUEST | request)
    finally:
        scorer.close()


@pytest.mark.parametrize(
    ("value", "score"),
    [
        (True, True),
        (0, 0),
        (0.5, 0.5),
        ({"pass": False, "score": 1}, False),
        ({"score": 1.0}, 1.0),
        ({"score": True}, True),
    ],
)
def test_booleans_numbers_and_objects_are_read_as_scores(value: Any, score: Score) -> None:
    assert read_score(value) is score or read_score(value) == score


@pytest.mark.parametrize("value", [None, "yes", [], {}, {"pass": 1}, {"score": {"score": 1}}, float("nan")])
def test_results_that_are_not_scores_are_refused(value: Any) -> None:
    with pytest.raises(ScorerFailedError, match="no score"):
        read_score(value)


@pytest.mark.parametrize(
    ("score", "threshold", "accepted"), [(True, 2.0, True), (False, 0.0, False), (1, 1.0, True), (0.9, 1.0, False)]
)
def test_a_number_is_compared_with_the_threshold(score: Score, threshold: float, accepted: bool) -> None:
    assert is_accepted(score, threshold) is accepted


def test_requests_have_the_task_as_json() -> None:
    text = (
        "planspec: task/1\nid: one\nquery: A number.\ngiven: {late: 9:30, least: 1}\nplan: {n: {one: true, x: int}}\n"
    )
    request = task_request(planspec.loads(text + "scope: {n: {x: 0..1}}\n"), None)
    assert request == {"task": "one", "query": "A number.", "reference": None, "givens": {"late": "09:30", "least": 1}}


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("nothing", "is no scorer: write python:MODULE:FUNCTION"),
        ("python:faulty", "write python:MODULE:NAME"),
        ("python:no_such_module:score", "cannot be loaded: ModuleNotFoundError"),
        ("python:json:no_such_name", "cannot be loaded: AttributeError"),
        ("python:math:pi", "cannot be loaded: TypeError: it is not callable"),
        ("command:", "names no program"),
        ("command:no-such-program-here", "there is no program `no-such-program-here`"),
        ("command:echo 'open", "cannot be split"),
        ("http://example.org/score", "must run on this machine"),
        ("http://10.0.0.1:80/score", "must run on this machine"),
        ("http://127.0.0.1:port/", "is no address"),
        ("https://127.0.0.1/score", "without encryption"),
    ],
)
def test_an_address_without_a_scorer_is_refused_with_a_reason(address: str, message: str) -> None:
    with pytest.raises(UnknownScorerError, match=message):
        open_scorer(address)


def test_a_function_of_a_module_in_the_current_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "checks.py").write_text("def score(task, answer):\n    return task['task'] == 'one' and answer['n']\n")
    monkeypatch.chdir(tmp_path)
    assert score_of("python:checks:score") == 1


def test_a_program_gets_one_line_and_writes_one() -> None:
    program = "import json,sys; r = json.load(sys.stdin); print(); print(json.dumps({'score': r['answer']['n'] / 2}))"
    assert score_of(f'command:{sys.executable} -c "{program}"') == 0.5


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("print(1); print(1)", "more than one line"),
        ("pass", "status 0 without a result"),
        ("print(1); raise SystemExit(4)", "status 4"),
        ("raise ValueError(5)", "status 1; its last line on standard error: `ValueError: 5`"),
    ],
)
def test_the_failure_of_a_program_is_an_error(program: str, message: str) -> None:
    with pytest.raises(ScorerFailedError, match=message):
        score_of(f"command:{sys.executable} -c '{program}'")


def test_a_program_that_takes_too_long_is_killed_with_its_children(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    script = tmp_path / "slow.sh"
    script.write_text(f"(sleep 2; touch {mark}) &\necho true\nsleep 60\n")
    begun = time.monotonic()
    with pytest.raises(ScorerFailedError, match="no result in 1 s"):
        score_of(f"command:sh {script}", timeout_s=1.0)
    assert time.monotonic() - begun < 10
    time.sleep(1.5)
    assert not mark.exists()


def test_an_inspect_scorer_gets_the_answer_as_completion(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="Inspect is not installed")
    (tmp_path / "judges.py").write_text(INSPECT)
    assert score_of(f"inspect:{tmp_path / 'judges.py'}:matches") == 1.0
    assert score_of(f"inspect:{tmp_path / 'judges.py'}:matches", answer={"n": 2}) == 0.0
    with pytest.raises(ScorerFailedError, match="no score"):
        score_of(f"inspect:{tmp_path / 'judges.py'}:silent")


@contextmanager
def service(reply: bytes, status: int = 200, delay: float = 0.0) -> Iterator[tuple[str, list[Any]]]:
    """Run a service on this machine. Yield its address, and a list of the requests that it received."""
    requests: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            time.sleep(delay)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *_: Any) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/score?kind=all", requests
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_service_gets_the_request_as_a_post() -> None:
    with service(b'{"score": 0.25}') as (address, requests):
        assert score_of(address) == 0.25
    assert requests == [REQUEST]


@pytest.mark.parametrize(
    ("reply", "status", "message"),
    [(b"true", 500, "status 500: `true`"), (b"<html>", 200, "not JSON"), (b"", 302, "status 302")],
)
def test_the_failure_of_a_service_is_an_error(reply: bytes, status: int, message: str) -> None:
    with service(reply, status) as (address, _), pytest.raises(ScorerFailedError, match=message):
        score_of(address)


def test_a_slow_or_missing_service_is_an_error() -> None:
    with service(b"true", delay=1.0) as (address, _), pytest.raises(ScorerFailedError, match=r"no result in 0\.2 s"):
        score_of(address, timeout_s=0.2)
    with pytest.raises(ScorerFailedError, match="does not answer"):
        score_of(address)
