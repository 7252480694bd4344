"""Tasks at a site work in BrowserGym: goals, cheating by clicking, right and wrong answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import browsergym.core
import gymnasium
import numpy as np
import pytest

import planspec
from planspec.environments import open_task
from planspec_browsergym import NoBrowserError, SiteTask, environment, register, use_chromium

TASK = "florence-001"


@pytest.fixture(scope="module", autouse=True)
def _browser() -> None:
    try:
        use_chromium()
    except NoBrowserError as error:
        pytest.skip(str(error))


@pytest.fixture
def env() -> Iterator[Any]:
    environment_ = environment(TASK, pre_observation_delay=0.0)
    yield environment_
    environment_.close()


def reference() -> dict[str, Any]:
    path = Path(planspec.environment(TASK).source or "").parent / "answers" / f"{TASK}.reference.json"
    answer: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return answer


def test_the_goal_contains_the_system_prompt_the_address_and_the_request(env: Any) -> None:
    seen, info = env.reset(seed=0)
    task = env.task
    assert seen["goal"].startswith(open_task(TASK, "site").system_text())
    assert task.judge.task.query in seen["goal"]
    assert info["task_info"] == {"task": TASK, "setting": "site", "site": task.site.url}
    assert task.site.url in seen["goal"]
    assert seen["url"] == task.site.url
    assert isinstance(seen["screenshot"], np.ndarray)
    assert any("Florence" in str(node.get("name")) for node in seen["axtree_object"]["nodes"])
    url = task.site.url
    env.close()
    with pytest.raises(URLError):
        urlopen(url, timeout=5)
    with pytest.raises(RuntimeError, match="no site"):
        task.site  # noqa: B018


def test_cheating_books_the_authors_plan_by_clicking(env: Any) -> None:
    env.reset(seed=0)
    env.task.cheat(env.page, env.chat.messages)
    assert env.task.site.state()["finished"]
    _, reward, over, _, info = env.step("noop(10)")
    assert (reward, over) == (1.0, True)
    assert info["task_info"]["planspec"]["status"] == "pass"
    assert info["task_info"]["answer"] == env.task.site.answer()


def test_a_wrong_booking_and_doing_nothing_earn_nothing(env: Any) -> None:
    seen, _ = env.reset(seed=0)
    _, reward, over, _, _ = env.step("noop(10)")
    assert (reward, over) == (0, False)
    env.page.goto(f"{env.task.site.url}ways/foot.html")
    form = env.page.locator(".pl-ride")
    form.locator("[name=origin]").select_option("duomo")
    form.locator("[name=to]").select_option("uffizi")
    form.locator("[name=day]").fill("2026-06-01")
    form.locator("[name=at]").fill("09:00")
    form.get_by_role("button").click()
    _, reward, over, _, _ = env.step("noop(10)")
    assert (reward, over) == (0, False)
    seen, *_ = env.step("noop(10)")
    finish = next(node for node in seen["axtree_object"]["nodes"] if node.get("name", {}).get("value") == "Finish")
    _, reward, over, _, info = env.step(f"click({finish['browsergym_id']!r})")
    assert (reward, over) == (0.0, True)
    outcome = info["task_info"]["planspec"]
    assert outcome["status"] == "fail" and outcome["violations"]


def test_an_answer_in_json_that_is_sent_is_judged(env: Any) -> None:
    env.reset(seed=0)
    message = json.dumps(reference())
    _, reward, over, _, _ = env.step(f"send_msg_to_user({message!r})")
    assert (reward, over) == (1.0, True)


def test_giving_up_ends_without_a_reward(env: Any) -> None:
    env.reset(seed=0)
    _, reward, over, _, info = env.step('report_infeasible("I cannot.")')
    assert (reward, over) == (0.0, True)
    assert info["task_info"]["planspec"]["status"] == "undelivered"


def test_a_suite_is_registered_and_each_episode_has_its_own_site() -> None:
    ids = register("worldtravel-berlin")
    assert len(ids) == 30 and ids[0] == "browsergym/planspec.berlin-001"
    assert register(TASK, "site-feasibility") == [f"browsergym/planspec.site-feasibility.{TASK}"]
    env = gymnasium.make(ids[1], pre_observation_delay=0.0, disable_env_checker=True)
    urls = []
    for seed in range(2):
        _, info = env.reset(seed=seed)
        assert info["task_info"]["task"] == "berlin-002"
        urls.append(info["task_info"]["site"])
    env.close()
    assert urls[0] != urls[1]


def test_a_setting_without_a_site_is_refused() -> None:
    with pytest.raises(ValueError, match="`text` of `florence-001` agents do not work at a site"):
        SiteTask(0, TASK, "text")
    with pytest.raises(planspec.PlanspecError):
        SiteTask(0, "no-such-task")


def test_the_named_browser_is_started() -> None:
    assert use_chromium("/no/such/browser") == "/no/such/browser"
    try:
        with pytest.raises(Exception, match="/no/such/browser"):
            browsergym.core._get_global_playwright().chromium.launch()
    finally:
        assert use_chromium() != "/no/such/browser"
