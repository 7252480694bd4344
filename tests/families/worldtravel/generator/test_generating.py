"""Generated tasks have one solution, and the same seed gives the same bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import planspec
from planspec.api.catalog import Catalog
from planspec.families.worldtravel import shortsighted
from planspec.families.worldtravel.generator import generating
from planspec.families.worldtravel.generator.city import CityFolder
from planspec.families.worldtravel.generator.generating import CitySuiteOptions, GeneratedCitySuite, generate
from planspec.families.worldtravel.generator.plan_of_suite import task_requirements
from planspec.families.worldtravel.generator.quality import pages_needed
from planspec.suite_writing.options import UnsuitableSuiteError
from planspec.verifiers.meaning.anchors import anchors
from planspec.verifiers.meaning.ground import ground
from tests.families.worldtravel.generator.towns import FILES, write_town

pytestmark = [pytest.mark.thorough, pytest.mark.xdist_group("worldtravel-generating")]

TASKS, AFTER = 2, 1


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the test town."""
    return write_town(tmp_path_factory.mktemp("city") / "town")


@pytest.fixture(scope="module")
def suite(town: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a suite generated from the town."""
    out = tmp_path_factory.mktemp("made") / "town"
    result = generate(out, CitySuiteOptions(town, TASKS, 3, AFTER))
    assert result.proved == {"cpsat": TASKS, "smt": TASKS}
    return out


def files(folder: Path) -> dict[str, bytes]:
    """Return the content of all files by path, except certificates, which contain times."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "certificates" not in path.parts
    }


def test_each_task_has_the_required_shape_and_its_reference_satisfies_every_rule(suite: Path, town: Path) -> None:
    request = list(task_requirements(CityFolder.read(town), TASKS, 3, AFTER))
    paths = Catalog().suite(str(suite / "worldtravel-town-s3.suite.yaml")).tasks
    assert len(paths) == TASKS
    for requirements, path in zip(request, paths, strict=True):
        judge = planspec.Judge(planspec.load(path))
        verdict = judge.reference_verdict()
        assert verdict is not None
        assert (verdict.status, verdict.soft.satisfied) == ("pass", verdict.soft.total)
        timed = anchors(ground(judge.task))
        assert not requirements.shape.mismatch(verdict.hard.total, verdict.hard.total + verdict.soft.total, timed)
        certificate = json.loads((path.parent / "certificates" / f"{judge.task.id}.json").read_text())
        for claim in (certificate["unique"], certificate["best"]["unique"]):
            assert (claim["status"], claim["scope"]) == ("unique", "beyond")


def test_a_plan_with_only_a_hotel_satisfies_no_hard_rule(suite: Path) -> None:
    for path in Catalog().suite(str(suite / "worldtravel-town-s3.suite.yaml")).tasks:
        judge = planspec.Judge(planspec.load(path))
        answer = json.loads((path.parent / "answers" / f"{judge.task.id}.reference.json").read_text())
        for day in answer["itinerary"]:
            day["schedule"] = [item for item in day["schedule"] if item["item"] == "hotel"]
        assert judge.answer(answer).hard.satisfied == 0


def test_no_planner_without_look_ahead_passes(suite: Path) -> None:
    for path in Catalog().suite(str(suite / "worldtravel-town-s3.suite.yaml")).tasks:
        judge = planspec.Judge(planspec.load(path))
        for name, plan in shortsighted.plans(judge.task):
            assert judge.plan(plan, details="none").status == "fail", (path.name, name)


def test_the_readme_has_the_right_counts(suite: Path) -> None:
    readme = (suite / "README.md").read_text()
    assert f"by cpsat for {TASKS} of {TASKS} and by smt for {TASKS} of {TASKS}" in readme
    judge = planspec.Judge(planspec.load(suite / "town-s3-001.task.yaml"))
    verdict = judge.reference_verdict()
    assert verdict is not None
    (line,) = (line for line in readme.splitlines() if "`town-s3-001`" in line and line.startswith("|"))
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert [int(cell) for cell in cells[4:8]] == [
        len(judge.task.facts["Wish"].rows),
        anchors(ground(judge.task)),
        verdict.hard.total,
        verdict.soft.total,
    ]
    assert "| earliest start first | 0 |" in readme
    (heads,) = (line for line in readme.splitlines() if line.startswith("| task |"))
    pages, proved = pages_needed(suite, judge)
    assert proved and pages is not None and pages > 1
    assert cells[[head.strip() for head in heads.strip("|").split("|")].index("pages")] == str(pages)


def test_an_interrupted_run_resumes_and_gives_the_same_bytes(suite: Path, town: Path, tmp_path: Path) -> None:
    class InterruptedRunError(Exception):
        pass

    def on_progress(text: str, share: float | None = None, /) -> None:
        raise InterruptedRunError(text)

    out = tmp_path / "town"
    with pytest.raises(InterruptedRunError):
        generate(out, CitySuiteOptions(town, TASKS, 3, AFTER), on_progress)
    assert len(list((out / "drafts").iterdir())) == 1
    shares: list[float | None] = []
    result = generate(out, CitySuiteOptions(town, TASKS, 3, AFTER), lambda _, share=None: shares.append(share))
    assert files(out) == files(suite)
    assert result.unproved == {}
    moved = [share for share in shares if share is not None]
    assert moved == sorted(moved)
    assert 0 < moved[0] < moved[-1] == 1.0


def test_a_task_that_a_back_end_did_not_prove_is_named() -> None:
    actual = {"t-001": {"cpsat": "unique", "smt": "unknown"}}
    result = GeneratedCitySuite(Path("out"), "t", ("t-001", "t-002"), {"cpsat": 2, "smt": 1}, actual)
    assert result.lines()[1:] == [
        "proved to have one solution: 2 by cpsat, 1 by smt",
        "not proved to have one: t-001 (cpsat unique, smt unknown)",
    ]
    assert result.document().unproved == actual


def test_the_error_for_an_impossible_shape_gives_the_reasons_for_rejecting_drafts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generating, "TRIES", 20)
    lake = '  - {id: lake, title: "A day by the lake", places: [lake, mill, tower, bar, inn]}\n'
    assert lake in FILES["scenarios.yaml"]
    booked = write_town(tmp_path / "town", scenarios_yaml=FILES["scenarios.yaml"].replace(lake, ""))
    seed = next(s for s in range(99) if next(task_requirements(CityFolder.read(booked), 1, s, 0)).shape.timed.most == 1)
    with pytest.raises(
        UnsuitableSuiteError,
        match=r"none of 20 drafts .* 0-1 timed and one solution: \d+ have another number of booked places",
    ):
        generate(tmp_path / "out", CitySuiteOptions(booked, 1, seed))


def test_a_folder_with_other_content_is_refused_and_unchanged(town: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UnsuitableSuiteError, match="neither a new folder"):
        generate(tmp_path, CitySuiteOptions(town, 1, 0))
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_folder_generated_with_other_arguments_is_refused(suite: Path, town: Path) -> None:
    with pytest.raises(UnsuitableSuiteError, match="generated with other arguments"):
        generate(suite, CitySuiteOptions(town, TASKS, 4))
