"""Agents that know nothing earn no strict pass, except where what they say is right."""

from __future__ import annotations

import pytest

import planspec
from planspec.families.mobilitybench.episode import Scenario
from planspec.families.mobilitybench.public.importing import import_mobilitybench
from tests.audit.mobilitybench_exploits import SAMPLE, Earned, audit, cases_of, is_right, passes, table
from tests.audit.mobilitybench_sly import AGENTS, Case, Run
from tests.families.mobilitybench.london import EPISODES
from tests.paths import ROOT

pytestmark = pytest.mark.xdist_group("mobilitybench-exploits")

Audited = tuple[list[Case], dict[str, Earned]]
SHIPPED = ROOT / "tasks" / "mobilitybench"
SLY = [name for name in AGENTS if name != "honest"]
real = pytest.mark.skipif(not SAMPLE.is_file(), reason="the public sample of MobilityBench is not here")
SMOOTH = ("case_6", "case_7", "case_8", "case_9", "case_10")
"""Roads of the public sample on which traffic is smooth: all that are asked about."""
ALONE = ("case_2", "case_17", "case_50")
"""Of these one route alone was told, and it is a right one."""
RIGHT = {case: ["constant answer, bright", "right answer of another episode"] for case in SMOOTH} | {
    case: ["all candidates"] for case in ALONE
}
"""The strict passes in the public sample that are right, by episode."""


@pytest.fixture(scope="module")
def shipped() -> Audited:
    cases = cases_of(SHIPPED)
    return cases, audit(SHIPPED, cases)


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Audited:
    folder = tmp_path_factory.mktemp("exploits") / "sample"
    import_mobilitybench(SAMPLE, folder)
    cases = cases_of(folder)
    return cases, audit(folder, cases)


@pytest.mark.parametrize("agent", SLY)
def test_what_knows_nothing_passes_only_where_it_is_right(agent: str, shipped: Audited) -> None:
    cases, found = shipped
    assert not [line for line in passes({agent: found[agent]}, cases) if "NOT RIGHT" in line]


def test_what_knows_everything_earns_everything(shipped: Audited) -> None:
    cases, found = shipped
    assert {case.episode.scenario for case in cases} == set(Scenario)
    means = {
        name: mean
        for name, mean in found["honest"].strict.items()
        if name not in ("IT", "OT", "PF", "TS_calls")
    }
    assert means == dict.fromkeys(means, 1.0)


@pytest.mark.parametrize("agent", ["constant phrases", "constant phrases, route_index 0", "empty route",
                                   "index 0 without a call", "pasted results", "all candidates as rows",
                                   "two answers in one"])  # fmt: skip
def test_these_earn_no_pass_at_all(agent: str, shipped: Audited) -> None:
    assert not shipped[1][agent].passed


RIGHT_BY_CHANCE = {("mb-000010", "27 min")}
"""Questions with a right answer of another one that is right for them, too: a way that takes as long as is asked."""


def test_idle_and_copied_answers_earn_no_reward(shipped: Audited) -> None:
    cases = shipped[0][::3]
    wanted = {case.episode.id: case for case in cases}
    seen = [episode for episode in planspec.environments_of(SHIPPED) if episode.task in wanted]
    assert len(seen) == len(cases)
    for episode in seen:
        case = wanted[episode.task]
        prompt = "\n\n".join(message["content"] for message in episode.messages)
        for said in (
            {},
            "smooth",
            {"answer": {"level": "smooth"}},
            prompt,
            *(
                c.right
                for c in cases
                if c is not case
                and (case.episode.id, (c.right or {}).get("answer", {}).get("duration"))
                not in RIGHT_BY_CHANCE
            ),
        ):
            assert episode.copy().submit(said)["reward"] == 0, (episode, said)
        for made in case.episode.program:
            episode.call(made.tool, dict(made.arguments))
        assert episode.submit(case.right)["reward"] == 1


def test_the_table_has_a_row_for_each_agent(shipped: Audited) -> None:
    lines = list(table(shipped[1]))
    assert [line.split(" | ")[0].removeprefix("| ") for line in lines[2:]] == list(AGENTS)
    assert len({line.count("|") for line in lines}) == 1


@real
def test_the_passes_of_the_public_sample_are_those_that_are_right(public: Audited) -> None:
    found = {
        episode: [name for name in SLY if episode in public[1][name].passed]
        for episode in {one for name in SLY for one in public[1][name].passed}
    }
    assert found == RIGHT


@real
def test_the_public_evaluator_passes_most_constant_phrases(public: Audited) -> None:
    phrases = public[1]["constant phrases, route_index 0"]
    assert phrases.official["FPR"] > 0.6
    assert phrases.strict["FPR"] == 0


@real
def test_every_right_answer_of_the_public_sample_passes(public: Audited) -> None:
    cases, found = public
    told = {case.episode.id for case in cases if case.right is not None}
    assert set(found["honest"].passed) == told
    assert len(told) > 40


# -- what is right, is found right -------------------------------------------------------------------


def test_a_name_that_the_query_has_does_not_tell_where_it_is() -> None:
    episode = EPISODES[Scenario.POI_SEARCH]()
    name = episode.given["right_places"][0]  # type: ignore[index]
    episode = episode.model_copy(update={"query": f"Where is {name}?"})
    right = {"place": {"name": name, "location": "0.1,51.5"}}
    case = Case(episode, ways=None, right={"answer": right})  # type: ignore[arg-type]
    assert not is_right(case, Run(f'{{"answer": {{"place": "{name}"}}}}').answer)
    assert is_right(case, f'{{"answer": {{"place": {{"name": "{name}", "location": "0.1,51.5"}}}}}}')


@pytest.mark.parametrize(
    "text", [None, "", "congested", "[]", '{"answer": {}}', '{"answer": {"level": "smooth"}}']
)
def test_what_does_not_tell_the_level_is_not_right(text: str | None) -> None:
    case = Case(EPISODES[Scenario.TRAFFIC](), ways=None, right=None)  # type: ignore[arg-type]
    assert not is_right(case, text)
    assert is_right(case, '{"answer": {"level": "congested"}}')
