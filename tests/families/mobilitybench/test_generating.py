"""The generator is deterministic, has the paper's proportions, and derives the right answers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest

from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.dsl.workspace.workspace import Workspace
from planspec.families.mobilitybench.episode import Episode, Scenario, ScenarioFamily
from planspec.families.mobilitybench.generating import (
    CityEpisodes,
    GenerationCounts,
    SuiteOptions,
    draw_blocks,
    draw_city_counts,
    generate,
    make_block,
    scenario_counts,
)
from planspec.families.mobilitybench.map import atlas
from planspec.families.mobilitybench.map.specs import city_spec
from planspec.families.mobilitybench.outputs import GenerateEpisodesOutput
from planspec.families.mobilitybench.proving import best_route_without_wishes, prove
from planspec.families.mobilitybench.reference import UnanswerableRequestError, reference_answer
from planspec.families.mobilitybench.suite import read_episodes, sandbox_of
from tests.planspec.commands.test_command_line import run

pytestmark = pytest.mark.slow


SMALL = SuiteOptions(seed=4, size=14, cities=2)
ALL = CityEpisodes(
    3,
    "Hefei",
    date(2026, 10, 2),
    1,
    (*Scenario, Scenario.OPTIONS, Scenario.CUSTOMIZED, Scenario.CUSTOMIZED),
    "mb",
)


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> GenerationCounts:
    return generate(tmp_path_factory.mktemp("generated") / "suite", SMALL)


@pytest.fixture(scope="module")
def episodes() -> list[Episode]:
    """Return at least one episode of each scenario, in one city."""
    return [settled.episode for settled in make_block(ALL).episodes]


@pytest.fixture(scope="module")
def judge(episodes: list[Episode], tmp_path_factory: pytest.TempPathFactory) -> Callable[[Episode], Judge]:
    from planspec.families.mobilitybench.suite import SuiteWriter

    folder = tmp_path_factory.mktemp("judged") / "suite"
    with SuiteWriter(folder, "Judged") as writer:
        for episode in episodes:
            writer.add(episode)
    workspace = Workspace()
    return lambda episode: Judge(load(folder / "tasks" / f"{episode.id}.yaml", workspace=workspace))


def contents(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every file in a folder, by path."""
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


# ------------------------------------------------------------------ proportions


def test_families_have_the_papers_proportions() -> None:
    counts = scenario_counts(2000)
    families = {family: sum(n for s, n in counts.items() if s.family is family) for family in ScenarioFamily}
    assert list(families.values()) == [732, 192, 850, 226]
    assert counts[Scenario.POINT_TO_POINT] == 567 and counts[Scenario.MULTI_STOP] == 283
    assert counts[Scenario.WEATHER] in (146, 147)


@pytest.mark.parametrize("size", [1, 2, 3, 10, 99, 1234, 100_000])
def test_the_shares_of_scenarios_add_up(size: int) -> None:
    counts = scenario_counts(size)
    assert sum(counts.values()) == size and min(counts.values()) >= 0 and set(counts) == set(Scenario)


def test_every_episode_is_in_one_city_on_one_day() -> None:
    options = SuiteOptions(seed=0, size=230, cities=3)
    drawn = list(draw_blocks(options))
    ends = [sum(len(b.scenarios) for b in drawn[:n]) for n in range(len(drawn) + 1)]
    assert [block.first_number for block in drawn] == [1 + end for end in ends[:-1]] and ends[-1] == 230
    counted = [scenario for block in drawn for scenario in block.scenarios]
    assert {s: counted.count(s) for s in Scenario} == scenario_counts(230)
    assert len(set(drawn[0].scenarios)) > 5  # the episodes of all cities are mixed
    own: Counter[str] = Counter()
    for block in drawn:
        own[block.city] += len(block.scenarios)
    assert own == draw_city_counts(options) and len({(block.city, block.day) for block in drawn}) == len(drawn) > 3
    assert max(len(block.scenarios) for block in drawn) <= 60


def test_cities_have_a_long_tail() -> None:
    """A suite of 2,000 episodes contains most cities, and one of the paper's size contains all of them."""
    counts = draw_city_counts(SuiteOptions(seed=11, size=2000))
    lands = {spec.country for spec in atlas() if spec.english in counts}
    assert len(counts) > 250 and len(lands) >= 22
    (_, most), *_ = counts.most_common(1)
    assert 80 < most < 240 and sum(count == 1 for count in counts.values()) > 50
    chinese = sum(count for name, count in counts.items() if city_spec(name).code == "CN")
    assert 800 < chinese < 1200
    assert len(draw_city_counts(SuiteOptions(seed=0, size=100_000))) == len(atlas()) >= 350


def test_a_small_suite_draws_from_few_cities() -> None:
    assert SuiteOptions(seed=0, size=100_000).city_count == len(atlas())
    assert SuiteOptions(seed=0, size=60).city_count == 30 and SuiteOptions(seed=0, size=1).city_count == 12
    assert SuiteOptions(seed=0, size=5, cities=9).city_count == 9
    assert set(draw_city_counts(SuiteOptions(seed=0, size=50, cities=1))) == {"Shanghai"}


# ------------------------------------------------------------------ the suite


def test_episodes_are_counted_and_numbered(generated: GenerationCounts) -> None:
    read_back = list(read_episodes(generated.folder))
    assert [episode.id for episode in read_back] == [f"mb-s4n14c2-{n:06}" for n in range(1, 15)]
    assert generated.episodes == 14 and set(generated.cities) == {"Tokyo", "Shanghai"}
    assert dict(generated.scenarios) == {s.value: n for s, n in scenario_counts(14).items() if n}
    assert (
        generated.with_wishes
        == sum(e.scenario.family is ScenarioFamily.CONSTRAINED_PLANNING for e in read_back)
        >= generated.decisive_wishes
    )
    assert {episode.context.city for episode in read_back} == {"東京都", "上海市"}


@pytest.mark.thorough
def test_the_same_seed_gives_the_same_bytes_in_another_process(generated: GenerationCounts, tmp_path: Path) -> None:
    out = tmp_path / generated.folder.name
    arguments = [
        "generate",
        "mobilitybench",
        "--out",
        str(out),
        "--seed",
        "4",
        "--size",
        "14",
        "--cities",
        "2",
    ]
    subprocess.run(
        [sys.executable, "-m", "planspec", *arguments, "--jobs", "2"],
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "77"},
        stdout=subprocess.DEVNULL,
    )
    assert contents(out) == contents(generated.folder)


@pytest.mark.thorough
def test_another_seed_gives_other_episodes(generated: GenerationCounts, tmp_path: Path) -> None:
    other = generate(tmp_path / "suite", SuiteOptions(seed=5, size=3))
    assert not {e.query for e in read_episodes(other.folder)} & {e.query for e in read_episodes(generated.folder)}


def test_a_request_for_no_episodes_writes_nothing(tmp_path: Path) -> None:
    for options in (SuiteOptions(0, 0), SuiteOptions(0, 5, cities=0), SuiteOptions(0, 5, jobs=0)):
        with pytest.raises(ValueError, match="one episode at least"):
            generate(tmp_path / "suite", options)
    assert not (tmp_path / "suite").exists()


# ------------------------------------------------------------------ right answers


def test_each_reference_answer_is_right(episodes: list[Episode], judge: Callable[[Episode], Judge]) -> None:
    for episode in episodes:
        verdict = judge(episode).answer(json.dumps(reference_answer(episode), ensure_ascii=False))
        assert verdict.status == "pass", (episode.id, [f for f in verdict.findings if f.status == "violated"])


def test_the_reference_answer_of_another_episode_is_wrong(
    episodes: list[Episode], judge: Callable[[Episode], Judge]
) -> None:
    for one, other in pairwise(episodes):
        answer = reference_answer(other)["answer"]
        assert judge(one).answer({"answer": answer}).status != "pass", (one.query, answer)


def test_the_route_that_is_best_without_preferences_fails_if_the_preferences_are_binding(
    episodes: list[Episode], judge: Callable[[Episode], Judge]
) -> None:
    proofs = prove(episodes)
    wished = [e for e in episodes if e.scenario.family is ScenarioFamily.CONSTRAINED_PLANNING]
    assert any(proofs[e.id].wishes_are_binding for e in wished)
    for episode in wished:
        assert proofs[episode.id].broken_rules is None
        plain = best_route_without_wishes(episode)
        assert plain is not None and plain != reference_answer(episode)["answer"]["route"]
        passes = judge(episode).answer({"answer": {"route": plain}}).status == "pass"
        assert proofs[episode.id].wishes_are_binding is not passes


def test_a_query_without_preferences_has_no_record_of_binding_preferences(episodes: list[Episode]) -> None:
    episode = next(e for e in episodes if e.scenario is Scenario.POINT_TO_POINT)
    assert best_route_without_wishes(episode) is None
    assert prove([episode])[episode.id].wishes_are_binding is None


def test_a_replay_of_the_reference_program_gives_the_recorded_results(episodes: list[Episode]) -> None:
    for episode in episodes:
        tools = sandbox_of(episode)
        recorded = {record.call: record for record in episode.snapshot}
        for number, call in enumerate(episode.program):
            answer = tools.call(call.tool, dict(call.arguments))
            assert answer == {"match": {"kind": "exact"}, "result": recorded[number].result}
        assert len(episode.snapshot) > len(episode.program)
        assert [r.call for r in episode.snapshot[: len(episode.program)]] == list(range(len(episode.program)))


def test_failing_reference_answers_are_reported_with_the_violated_rules(episodes: list[Episode]) -> None:
    traffic = next(e for e in episodes if e.scenario is Scenario.TRAFFIC)
    wrong = traffic.model_copy(update={"given": {**traffic.given, "right_level": "unknown_level"}})
    assert prove([traffic])[traffic.id].broken_rules is None
    assert prove([wrong])[wrong.id].broken_rules == "right-level"


def test_an_episode_without_results_cannot_be_answered(episodes: list[Episode]) -> None:
    episode = next(e for e in episodes if e.scenario is Scenario.POINT_TO_POINT)
    with pytest.raises(UnanswerableRequestError, match=episode.id):
        reference_answer(episode.model_copy(update={"snapshot": ()}))
    with pytest.raises(UnanswerableRequestError, match=episode.id):
        reference_answer(episode.model_copy(update={"program": ()}))


# ------------------------------------------------------------------ the command


def test_the_command_prints_the_counts_of_the_suite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "suite"
    words = ("generate", "mobilitybench", "--out", str(out))
    code, output, _ = run(monkeypatch, capsys, *words, "--size", "3", "--format", "json")
    assert code == 0
    document = GenerateEpisodesOutput.model_validate_json(output)
    assert document.episodes == 3 and document.cities == document.days > 1 and sum(document.scenarios.values()) == 3
    assert document.folder == str(out) and document.suite == "suite" and document.family == "mobilitybench"
    code, output, _ = run(monkeypatch, capsys, *words, "--size", "2")
    assert code == 0 and "suite suite: 2 episodes of 2 cities in 2 countries on 2 days" in output
    assert len(list((out / "tasks").iterdir())) == 2


def test_the_command_refuses_a_folder_with_other_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    code, _, error = run(monkeypatch, capsys, "generate", "mobilitybench", "--out", str(tmp_path), "--size", "2")
    assert code == 2 and "neither a new folder" in error
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
