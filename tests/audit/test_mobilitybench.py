"""Agents without a solution pass strictly only if their answer is right."""

from __future__ import annotations

import pytest

import planspec
from planspec.families.mobilitybench.episode import Scenario
from planspec.families.mobilitybench.public.importing import import_mobilitybench
from tests.audit.mobilitybench_agents import AGENTS, Case, Run
from tests.audit.mobilitybench_exploits import SAMPLE, AgentResults, audit, cases_of, is_right, passes, table
from tests.families.mobilitybench.london import EPISODES
from tests.paths import ROOT

pytestmark = pytest.mark.xdist_group("mobilitybench-exploits")

Audited = tuple[list[Case], dict[str, AgentResults]]
SHIPPED = ROOT / "tasks" / "mobilitybench"
SLY = [name for name in AGENTS if name != "honest"]
real = pytest.mark.skipif(not SAMPLE.is_file(), reason="the public sample of MobilityBench is absent")
SMOOTH_TRAFFIC = ("case_6", "case_7", "case_8", "case_9", "case_10")
"""Episodes of the public sample about roads with smooth traffic."""
SINGLE_ROUTE = ("case_2", "case_17", "case_50")
"""Episodes whose tools returned a single route, which is the right one."""
RIGHT = {case: ["constant answer, optimistic", "right answer to another episode"] for case in SMOOTH_TRAFFIC} | {
    case: ["all results in each part of the answer"] for case in SINGLE_ROUTE
}
"""Strict passes with right answers in the public sample, keyed by episode."""


@pytest.fixture(scope="module")
def shipped() -> Audited:
    """Return the audited cases of the shipped suite, and the results of all agents."""
    cases = cases_of(SHIPPED)
    return cases, audit(SHIPPED, cases)


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Audited:
    """Return the audited cases of the public sample, and the results of all agents."""
    folder = tmp_path_factory.mktemp("exploits") / "sample"
    import_mobilitybench(SAMPLE, folder)
    cases = cases_of(folder)
    return cases, audit(folder, cases)


@pytest.mark.parametrize("agent", SLY)
def test_an_agent_that_does_not_solve_the_task_passes_only_with_a_right_answer(agent: str, shipped: Audited) -> None:
    cases, results = shipped
    assert not [line for line in passes({agent: results[agent]}, cases) if "NOT RIGHT" in line]


def test_an_agent_with_right_answers_has_full_scores(shipped: Audited) -> None:
    cases, results = shipped
    assert {case.episode.scenario for case in cases} == set(Scenario)
    means = {
        name: mean for name, mean in results["honest"].strict.items() if name not in ("IT", "OT", "PF", "TS_calls")
    }
    assert means == dict.fromkeys(means, 1.0)


@pytest.mark.parametrize(
    "agent",
    [
        "phrases that the public evaluator accepts",
        "the same phrases, `route_index` 0",
        "empty route",
        "the first route, without a call",
        "pasted results of all calls",
        "all results as rows",
        "both constant answers in one",
    ],
)
def test_agents_with_empty_constant_or_copied_answers_never_pass(agent: str, shipped: Audited) -> None:
    assert not shipped[1][agent].passed


RIGHT_BY_CHANCE = {("mb-000010", "27 min")}
"""Pairs of an episode and a duration. The right answer to another episode has the same duration, so it is right
here, too.
"""


@pytest.mark.parametrize("step", [6, pytest.param(3, marks=pytest.mark.thorough)])
def test_empty_constant_and_copied_answers_earn_no_reward(step: int, shipped: Audited) -> None:
    cases = shipped[0][::step]
    cases_by_id = {case.episode.id: case for case in cases}
    episodes = [episode for episode in planspec.environments_of(SHIPPED) if episode.task in cases_by_id]
    assert len(episodes) == len(cases)
    for episode in episodes:
        case = cases_by_id[episode.task]
        prompt = "\n\n".join(message["content"] for message in episode.messages)
        for answer in (
            {},
            "smooth",
            {"answer": {"level": "smooth"}},
            prompt,
            *(
                c.right
                for c in cases
                if c is not case
                and (case.episode.id, (c.right or {}).get("answer", {}).get("duration")) not in RIGHT_BY_CHANCE
            ),
        ):
            assert episode.copy().submit(answer)["reward"] == 0, (episode, answer)
        for call in case.episode.program:
            episode.call(call.tool, dict(call.arguments))
        assert episode.submit(case.right)["reward"] == 1


def test_the_table_has_a_row_for_each_agent(shipped: Audited) -> None:
    lines = list(table(shipped[1]))
    assert [line.split(" | ")[0].removeprefix("| ") for line in lines[2:]] == list(AGENTS)
    assert len({line.count("|") for line in lines}) == 1


@pytest.mark.thorough
@real
def test_the_passes_in_the_public_sample_have_right_answers(public: Audited) -> None:
    passes_by_episode = {
        episode: [name for name in SLY if episode in public[1][name].passed]
        for episode in {one for name in SLY for one in public[1][name].passed}
    }
    assert passes_by_episode == RIGHT


@pytest.mark.thorough
@real
def test_the_public_evaluator_passes_most_constant_phrases(public: Audited) -> None:
    phrases = public[1]["the same phrases, `route_index` 0"]
    assert phrases.official["FPR"] > 0.6
    assert phrases.strict["FPR"] == 0


@pytest.mark.thorough
@real
def test_every_right_answer_of_the_public_sample_passes(public: Audited) -> None:
    cases, results = public
    answered = {case.episode.id for case in cases if case.right is not None}
    assert set(results["honest"].passed) == answered
    assert len(answered) > 40


# -- the check of right answers -------------------------------------------------------------------


def test_a_name_from_the_query_does_not_locate_the_place() -> None:
    episode = EPISODES[Scenario.POI_SEARCH]()
    name = episode.given["right_places"][0]  # type: ignore[index]
    episode = episode.model_copy(update={"query": f"Where is {name}?"})
    right = {"place": {"name": name, "location": "0.1,51.5"}}
    case = Case(episode, ways=None, right={"answer": right})  # type: ignore[arg-type]
    assert not is_right(case, Run(f'{{"answer": {{"place": "{name}"}}}}').answer)
    assert is_right(case, f'{{"answer": {{"place": {{"name": "{name}", "location": "0.1,51.5"}}}}}}')


@pytest.mark.parametrize("text", [None, "", "congested", "[]", '{"answer": {}}', '{"answer": {"level": "smooth"}}'])
def test_an_answer_without_the_traffic_level_is_not_right(text: str | None) -> None:
    case = Case(EPISODES[Scenario.TRAFFIC](), ways=None, right=None)  # type: ignore[arg-type]
    assert not is_right(case, text)
    assert is_right(case, '{"answer": {"level": "congested"}}')
