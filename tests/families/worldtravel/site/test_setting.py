"""Settings in which agents use a site: views, bookings as answers, and unsuitable agents."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

import planspec
from planspec.agents.agent import AgentSpec
from planspec.agents.desk import Desk
from planspec.agents.view import Limits, TaskView
from planspec.environments import AgentTask, open_task
from planspec.environments.agent_task import UnpreparedSettingError
from planspec.environments.opened import settings_of
from planspec.families.worldtravel.site.app import BookableCity
from planspec.families.worldtravel.site.hosting import serve_city
from planspec.runs import RunFolder, RunOptions, begin, resume_run
from planspec.runs.attempting import AttemptSpec, attempt
from planspec.runs.record import Attempt
from tests.extras import needs
from tests.families.worldtravel.site.booking import forms, reference, send
from tests.paths import ROOT

pytestmark = [pytest.mark.integration, needs("starlette", "uvicorn", extra="site")]

BERLIN = ROOT / "tasks" / "worldtravel-berlin"
STAY = {"hotel": "adlon", "nights": "1", "rooms": "1"}


class FunctionAgent:
    """An agent whose answer is the result of a function of the site's URL."""

    def __init__(self, work: Callable[[str], Any]) -> None:
        self._work = work

    def answer(self, view: TaskView, _: Desk) -> Any:
        return self._work(view.given["site"])


@pytest.fixture(scope="module")
def opened() -> AgentTask:
    """Return a task opened in the setting with a site."""
    return open_task(str(BERLIN / "berlin-003.task.yaml"), "site")


def run_attempt(opened: AgentTask, work: Callable[[str], Any]) -> Attempt:
    """Run a function as an agent, and return the record of the attempt."""
    return attempt(AttemptSpec("berlin-003", 0, 0), FunctionAgent(work), "traveller", opened, Limits())


def book_reference(opened: AgentTask, url: str) -> str:
    """Book the task's reference plan on a site."""
    for path, fields in forms(BookableCity(BERLIN / "world").tables, opened.judge.task):
        send(url, path, fields)
    return "I have booked it all."


@pytest.mark.thorough
def test_bookings_are_the_answer_if_the_agent_gives_none(opened: AgentTask) -> None:
    result = run_attempt(opened, lambda url: book_reference(opened, url))
    assert result.status == "pass"
    assert result.turns[0].answer == result.trace.extra["site"]["answer"]  # type: ignore[index,call-overload]
    assert result.trace.extra["site"]["finished"] is False  # type: ignore[index,call-overload]


@pytest.mark.thorough
def test_an_answer_in_json_takes_precedence_over_bookings(opened: AgentTask) -> None:
    answer = json.dumps({"itinerary": reference(opened.judge.task)})
    result = run_attempt(opened, lambda url: send(url, "trip/stay", STAY) and answer)
    assert (result.status, result.turns[0].answer) == ("pass", answer)
    assert len(result.trace.extra["site"]["entries"]) == 1  # type: ignore[index,call-overload,arg-type]


@pytest.mark.thorough
def test_an_agent_without_bookings_and_answer_is_undelivered(opened: AgentTask) -> None:
    result = run_attempt(opened, lambda _: "I could not decide.")
    assert result.status == "undelivered"
    assert "I could not decide." in str(result.failure)


@pytest.mark.thorough
def test_opened_pages_are_calls_and_show_facts(opened: AgentTask) -> None:
    def look(url: str) -> str:
        for path in ("", "hotels/index.html", "ways/foot.html", "ways/foot.html"):
            urlopen(url + path).read()
        with pytest.raises(HTTPError):
            urlopen(f"{url}no/such.html")
        return json.dumps({"itinerary": reference(opened.judge.task)})

    result = run_attempt(opened, look)
    assert [(call.name, call.arguments) for call in result.trace.calls] == [
        ("page", {"path": "hotels/index.html"}),
        ("page", {"path": "ways/foot.html"}),
    ]
    assert result.facts is not None
    seen = [fact for fact in result.facts.facts if fact.by == "call"]
    assert seen and {fact.name for fact in seen} == {"page"}
    assert any(fact.status == "never-seen" for fact in result.facts.facts)
    assert run_attempt(opened, lambda _: "{}").trace.calls == ()


def test_each_attempt_has_its_own_site_which_ends_with_the_attempt(opened: AgentTask) -> None:
    assert opened.hosted is not None
    with opened.hosted() as one, opened.hosted() as other:
        assert one.url != other.url
        send(one.url, "trip/stay", STAY)
        named = Request(f"{other.url}state.json", headers={"x-session": "another", "cookie": "planspec_session=more"})
        assert json.loads(urlopen(named).read())["entries"] == []
        assert one.answer() is not None and other.answer() is None
        wrong = Request(one.url, headers={"host": "evil.example"})
        with pytest.raises(HTTPError, match="400"):
            urlopen(wrong)
    with pytest.raises(OSError, match="refused"):
        urlopen(one.url, timeout=5)


def test_all_clients_of_a_site_share_one_trip(opened: AgentTask) -> None:
    with serve_city(BookableCity(BERLIN / "world"), opened.judge.task) as site:
        for _ in range(2):
            send(
                site.url,
                "trip/ride",
                {
                    "mode": "foot",
                    "origin": "adlon",
                    "to": "neues_museum",
                    "day": "2026-07-03",
                    "at": "09:00",
                    "people": "1",
                },
            )
        assert len(site.state()["entries"]) == 2
        urlopen(f"{site.url}reset?seed=3", data=b"").read()
        assert site.state()["entries"] == []
        assert site.state()["seed"] == 3


def test_the_brief_explains_the_site_and_which_pages_to_trust(opened: AgentTask) -> None:
    text = open_task(str(BERLIN / "berlin-003.task.yaml"))
    assert opened.brief.endswith(text.brief)
    assert "`site` in what is given is its address" in opened.brief
    assert "believe what is sold" in opened.brief
    assert (len(opened.tools), opened.calls) == (0, None)
    names = list(settings_of(opened.judge.task))
    assert names[-3:] == ["site", "site-feasibility", "site-visual-only"] and "gold" in names


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        ("openai:model=m,base_url=http://127.0.0.1:9/v1", "a model has no browser"),
        ("repair:of=(openai:model=m,base_url=http://127.0.0.1:9/v1)", "a model has no browser"),
        ("greedy", "it calls tools"),
    ],
)
def test_agents_without_a_browser_are_refused_before_the_run(
    agent: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    expected = RunOptions(str(BERLIN / "berlin-003.task.yaml"), AgentSpec.read(agent), "site")
    with pytest.raises(planspec.PlanspecError, match=f"agents work at a site, and the agent .* cannot: {reason}"):
        begin(expected, RunFolder(tmp_path / "run"))


def test_a_contained_program_needs_the_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planspec.agents.command.agent.why_unavailable", lambda: None)
    expected = RunOptions(str(BERLIN / "berlin-003.task.yaml"), AgentSpec.read("command:run=true"), "site")
    with pytest.raises(planspec.PlanspecError, match="`network=true` gives it one"):
        begin(expected, RunFolder(tmp_path / "run"))


def test_a_run_at_the_site_is_recorded_and_ends(tmp_path: Path) -> None:
    program = tmp_path / "mine.py"
    program.write_text(
        "from urllib.request import urlopen\n\n\nclass Mine:\n    def answer(self, view, desk):\n"
        "        return urlopen(view.given['site'] + 'health').read().decode()\n"
    )
    folder = RunFolder(tmp_path / "run")
    begin(
        RunOptions(str(BERLIN / "berlin-003.task.yaml"), AgentSpec.read(f"python:file={program}"), "site-feasibility"),
        folder,
    )
    resume_run(folder, 1, begun=True)
    (result,) = folder.attempts()
    assert json.loads(str(result.turns[0].answer)) == {
        "status": "ok",
        "city": "berlin",
        "tasks": ["berlin-003"],
        "sessions": 0,
    }
    assert result.trace.extra["site"]["entries"] == []  # type: ignore[index,call-overload]


def test_an_agent_that_cannot_open_a_site_is_refused(tmp_path: Path) -> None:
    name = str(BERLIN / "berlin-003.task.yaml")
    with pytest.raises(UnpreparedSettingError, match="an environment does not open"):
        planspec.environment(name, "site")


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planspec.families.worldtravel.settings.find_spec", lambda _: None)
    with pytest.raises(UnpreparedSettingError, match=r"the setting `site`: .*pip install 'planspec\[site\]'"):
        open_task(str(BERLIN / "berlin-003.task.yaml"), "site")
