"""Queries of large suites have the paper's distribution, and their tasks read only the required rows."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.api.loading import load
from planspec.dsl.workspace.workspace import Workspace
from planspec.families.veritrip import city_streams, commands, generating, proving
from planspec.families.veritrip.base_database import world_text, write_base
from planspec.families.veritrip.base_size import PAPER_DOCUMENTS, cities_of
from planspec.families.veritrip.drafting import QUERY_BOUNDS, draft_queries, query_counts
from planspec.families.veritrip.environment.environment import SETTINGS
from planspec.families.veritrip.fact_bases import country_bases, fact_bases
from planspec.families.veritrip.facts import FactBase
from planspec.families.veritrip.generating import GeneratedTasks, SuiteSize, generate
from planspec.families.veritrip.paper_drafting import draft_paper_queries, neighbours
from planspec.families.veritrip.progress import MARK, PROVED, SuiteProgress
from planspec.families.veritrip.proving import (
    NearMiss,
    ProvingFolder,
    find_near_miss,
    name_draft,
    prove_draft,
    set_budget,
)
from planspec.families.veritrip.query import Difficulty, Query
from planspec.families.veritrip.query_streams import ProvedStream, shipped_queries
from planspec.families.veritrip.search_candidates import (
    HOTELS,
    RESTAURANTS,
    SIGHTS,
    CandidateSelector,
    SearchCandidates,
)
from planspec.families.veritrip.tasks import FactBaseNames, task_text
from planspec.solvers.questions import prove
from planspec.suite_writing.options import UnsuitableSuiteError
from tests.paths import ROOT

pytestmark = pytest.mark.slow

SHIPPED = ROOT / "tasks" / "veritrip"


@cache
def usa_base() -> FactBase:
    """Return the fact base of the USA in the paper's size."""
    return country_bases(0, PAPER_DOCUMENTS)["usa"].base


@cache
def paper_streams() -> list[city_streams.CityStream]:
    """Return the streams of the paper's 228 queries."""
    return list(city_streams.city_streams("p", 228, 0, PAPER_DOCUMENTS, Path("out"), pictures=True))


# ------------------------------------------------------------------ streams of queries, one for each pair of cities


def test_the_paper_s_228_queries_include_the_shipped_ones_and_are_spread_evenly() -> None:
    shipped = [query for stream in paper_streams() for query in stream.shipped]
    assert (
        sorted(q.id for q in shipped) == [q.id for q in shipped_queries()] == [f"veritrip-{n:03}" for n in range(1, 61)]
    )
    fresh = [(stream.difficulty, stream.target, name) for stream in paper_streams() for name in stream.query_ids]
    assert sorted(name for *_, name in fresh) == [f"p-{n:03}" for n in range(61, 229)]
    levels = Counter(q.difficulty for q in shipped) + Counter(level for level, *_ in fresh)
    assert levels == {"Simple": 78, "Medium": 76, "Complex": 74} == query_counts(228)
    cities = Counter(q.target_city for q in shipped) + Counter(city for _, city, _ in fresh)
    assert set(cities) == {city for cities in cities_of(PAPER_DOCUMENTS).values() for city in cities}
    assert set(cities.values()) == {15, 16}
    assert len({stream.key for stream in paper_streams()}) == len(paper_streams())


def test_each_difficulty_and_country_has_one_stream_with_a_near_miss() -> None:
    missed = {
        (stream.difficulty, stream.country): stream.near_miss_ids for stream in paper_streams() if stream.near_miss_ids
    }
    assert len(missed) == 6
    assert sorted(name for names in missed.values() for name in names) == [f"p-miss-{n}" for n in range(1, 7)]


def test_suites_with_another_seed_or_few_queries_do_not_include_the_shipped_ones() -> None:
    for seed, count in ((1, 228), (0, 12)):
        streams = city_streams.city_streams("p", count, seed, 4000, Path("out"), pictures=True)
        assert not any(stream.shipped for stream in streams)
        assert sum(len(stream.query_ids) for stream in streams) == count
    assert city_streams.city_streams("p", 0, 0, 4000, Path("out"), pictures=True) == []


# ------------------------------------------------------------------ drafts


@pytest.mark.parametrize("difficulty", QUERY_BOUNDS)
def test_a_draft_is_within_its_ranges_and_shows_a_picture(difficulty: Difficulty) -> None:
    drawn = list(islice(draft_paper_queries(usa_base(), difficulty, "Seattle", "5"), 120))
    band = QUERY_BOUNDS[difficulty]
    tables = {r.name for r in usa_base().restaurants if r.city == "Seattle"}
    for query in drawn:
        for (least, most), value in (
            (band.days, query.days),
            (band.people, query.people_number),
            (band.preferences, query.preferences),
        ):
            assert least <= value <= most
        assert query.shown and set(query.shown) <= {*query.attractions, *query.meals}
        assert not any(name in query.nature_language for name in query.shown)
        named = [name for name in (*query.attractions, *query.meals) if name not in query.shown]
        assert all(name in query.nature_language for name in named)
        assert "picture" in query.nature_language and "{budget}" in query.nature_language
        assert query.target_city == "Seattle" != query.start_city
    usual = {"Simple": {2, 3}, "Medium": {3, 4}, "Complex": {5, 6, 7, 8}}[difficulty]
    assert sum(query.preferences in usual for query in drawn) > 0.7 * len(drawn)
    assert any(set(query.shown) & tables for query in drawn)
    assert len({query.nature_language for query in drawn}) == len(drawn)


def test_no_query_requests_a_flight_to_a_nearby_city_with_trains() -> None:
    china = fact_bases(0)["china"]
    assert neighbours(china, "Hangzhou") == {"Shanghai"} and not neighbours(china, "Beijing")
    assert neighbours(usa_base(), "Boston") == frozenset(), "New York is farther, and there are no trains"
    drawn = list(islice(draft_paper_queries(china, "Complex", "Hangzhou", "1"), 200))
    requested = Counter((query.start_city, query.p_intercity_traffic) for query in drawn)
    assert requested["Shanghai", "Airplane"] == 0 < requested["Shanghai", "High-speed rail"]
    assert requested["Beijing", "Airplane"] > 0 and requested["Beijing", "High-speed rail"] > 0


def test_without_pictures_every_place_is_named() -> None:
    for query in islice(draft_paper_queries(usa_base(), "Complex", "Boston", "5", pictures=False), 30):
        assert query.shown == ()
        assert all(name in query.nature_language for name in (*query.attractions, *query.meals))


# ------------------------------------------------------------------ tasks


ANSWERED = ("veritrip-006", "veritrip-018", "veritrip-033")
"""Shipped queries to cities in the USA that have a reference answer."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the large world of the USA, with some of the shipped queries as its tasks."""
    out = tmp_path_factory.mktemp("large")
    write_base(usa_base(), out / "usa.sqlite", in_parts=True)
    (out / "usa.world.yaml").write_text(world_text("large-usa", "Large", "USD", "usa.sqlite", whole=False), "utf-8")
    names, selector = FactBaseNames.of(usa_base()), CandidateSelector(usa_base())
    for query in shipped_queries():
        if query.id in ANSWERED:
            text = task_text(query, names, "usa.sqlite", "usa.world.yaml", selector.select(query))
            (out / f"{query.id}.yaml").write_text(text, "utf-8")
    return out


def test_a_task_reads_the_rows_that_its_trip_can_use(folder: Path) -> None:
    workspace = Workspace()
    for name in ANSWERED:
        task = load(folder / f"{name}.yaml", workspace=workspace)
        services = task.facts["Service"].rows
        with closing(sqlite3.connect(folder / "usa.sqlite")) as opened:
            everything = opened.execute("select count(*) from Service").fetchone()[0]
        assert 0 < len(services) < everything / 2
        ends = {task.givens["start_city"], task.givens["target_city"]}
        between = [s for s in services if {s.origin.city, s.to.city} == ends]  # type: ignore[attr-defined]
        days = {task.givens["start_date"], task.givens["end_date"]}
        assert {s.day for s in between} >= days  # type: ignore[attr-defined]
        others = [s for s in services if {s.origin.city, s.to.city} != ends]  # type: ignore[attr-defined]
        assert {s.day for s in others} == days  # type: ignore[attr-defined]
        assert all({s.origin.city, s.to.city} & ends for s in others)  # type: ignore[attr-defined]
        assert {o.hotel.city for o in task.facts["Offer"].rows} == {task.givens["target_city"]}  # type: ignore[attr-defined]
        assert {r.city for r in task.facts["Restaurant"].rows} == {task.givens["target_city"]}  # type: ignore[attr-defined]
        assert len(task.facts["Hotel"].rows) == len(usa_base().hotels)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ANSWERED)
def test_a_shipped_answer_has_the_same_verdict_in_the_large_base(name: str, folder: Path) -> None:
    path = SHIPPED / "answers" / f"{name}.json"
    text = path.read_text("utf-8")
    large = planspec.Judge(load(folder / f"{name}.yaml")).answer(text)
    own = planspec.Judge(load(SHIPPED / "tasks" / f"{name}.yaml")).answer(text)
    assert large.status == own.status
    assert (large.hard, large.soft) == (own.hard, own.soft)


def test_a_plan_is_found_for_a_query_on_the_large_base(folder: Path) -> None:
    judge = planspec.Judge(load(folder / "veritrip-033.yaml"))
    solution = prove.solve(judge.ground)
    assert solution.plan is not None and solution.soft_weight == solution.soft_total
    assert judge.plan(solution.plan).status == "pass"


def test_a_search_satisfies_all_preferences_with_no_more_places_than_the_shipped_answer() -> None:
    selector = CandidateSelector(usa_base())
    for query in islice(draft_paper_queries(usa_base(), "Complex", "Los Angeles", "9"), 40):
        candidates = selector.select(query)
        assert (len(candidates.hotels), len(candidates.sights)) == (HOTELS, SIGHTS)
        assert RESTAURANTS <= len(candidates.restaurants) <= RESTAURANTS + 1
        assert set(query.attractions) <= set(candidates.sights)
        serving = {
            r.name for r in usa_base().restaurants if r.city == "Los Angeles" and set(query.meals) & {r.name, *r.dishes}
        }
        assert not query.meals or serving & set(candidates.restaurants)
    assert SearchCandidates().definitions() == []
    assert SearchCandidates().restrict_scope("hotel: beds_there") == "hotel: beds_there"


# ------------------------------------------------------------------ a generated folder


SMALL = SuiteSize(seed=3, documents=2300, images=1, queries=1)


def only_simple_queries(n: int) -> dict[Difficulty, int]:
    """Return the numbers of queries by difficulty if all `n` queries are simple."""
    return {"Simple": n, "Medium": 0, "Complex": 0}


def read_json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def read_files(out: Path) -> dict[str, bytes]:
    return {
        p.relative_to(out).as_posix(): p.read_bytes()
        for p in out.rglob("*")
        if p.is_file() and "documents.sqlite" not in p.name
    }


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GeneratedTasks]:
    """Yield a generated suite over a larger fact base."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(city_streams, "query_counts", only_simple_queries)
        yield generate(tmp_path_factory.mktemp("generated"), SMALL)


@pytest.mark.slow
@pytest.mark.thorough
def test_a_suite_over_a_larger_base_has_both_languages_and_its_origins(generated: GeneratedTasks) -> None:
    assert generated.suite == "veritrip-s3q1n2300"
    assert planspec.check([generated.folder / "suite.yaml", generated.folder / "near-misses"]) == ()
    texts = [line["text"] for line in read_json_lines(generated.folder / "corpus" / "documents.jsonl")]
    chinese = sum("的" in text for text in texts)
    assert len(texts) == 2300 and 0.2 < chinese / len(texts) < 0.7
    for country in ("china", "usa"):
        origins = (generated.folder / "facts" / country / "origins.csv").read_text("utf-8")
        assert ",real," in origins and ",invented," in origins
    assert "drawn by chance" in (generated.folder / "facts" / "README.md").read_text("utf-8")
    misses = read_json_lines(generated.folder / "near-misses.jsonl")
    assert misses and all("is_within_budget" in miss["mus"] for miss in misses)


@pytest.mark.slow
@pytest.mark.thorough
def test_the_brief_mentions_two_languages_only_if_there_are_two(generated: GeneratedTasks) -> None:
    judge = planspec.Judge(load(generated.folder / "tasks" / f"{generated.tasks[0]}.yaml"))
    opened = SETTINGS["text"](generated.tasks[0], (judge,), generated.folder)
    assert "in English or in Chinese" in opened.brief
    mark = generated.folder / MARK
    mark_text = mark.read_text("utf-8")
    mark.write_text(mark_text.replace('"chinese": true', '"chinese": false'), "utf-8")
    assert "Chinese" not in SETTINGS["text"](generated.tasks[0], (judge,), generated.folder).brief
    mark.write_text(mark_text, "utf-8")


@pytest.mark.thorough
@pytest.mark.slow
def test_an_interrupted_run_is_continued(
    generated: GeneratedTasks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(city_streams, "query_counts", only_simple_queries)

    def fail(*_: Any) -> None:
        raise KeyboardInterrupt

    def stored_proof(_: Any) -> ProvedStream:
        """Return the results that were proved in the other folder."""
        queries = [Query.model_validate(line) for line in read_json_lines(generated.folder / "queries.jsonl")]
        misses = [
            NearMiss(Query.model_validate(line), tuple(line["mus"]))
            for line in read_json_lines(generated.folder / "near-misses.jsonl")
        ]
        texts = {
            tmp_path / path.relative_to(generated.folder): path.read_text("utf-8")
            for path in (
                *generated.folder.glob("tasks/*.yaml"),
                *generated.folder.glob("near-misses/veritrip*.yaml"),
            )
        }
        return ProvedStream(tuple(queries), tuple(misses), texts)

    with monkeypatch.context() as patch:
        patch.setattr(generating, "_prove_stream", stored_proof)
        patch.setattr(generating, "_write_query_pictures", fail)
        with pytest.raises(KeyboardInterrupt):
            generate(tmp_path, SMALL)
    assert json.loads((tmp_path / MARK).read_text("utf-8"))["finished"] is False
    reports: list[str] = []
    with monkeypatch.context() as patch:
        for name in ("_write_documents", "_prove_stream"):
            patch.setattr(generating, name, fail)
        again = generate(tmp_path, SMALL, lambda text, share=None: reports.append(text))
    assert again.reused_results[0] == "facts and documents" and "pictures" in again.reused_results[-1]
    assert reports[0].startswith("continues an interrupted run")
    assert again.lines()[-1].startswith("reused from an interrupted run")
    assert read_files(tmp_path) == read_files(generated.folder)


def test_proved_streams_are_unchanged_by_a_round_trip(tmp_path: Path) -> None:
    (tmp_path / "theirs.txt").write_text("theirs", "utf-8")
    progress = SuiteProgress.begin(tmp_path, {"seed": 1})
    query = shipped_queries()[0]
    stream = ProvedStream(
        (query,),
        (NearMiss(replace_id(query, "miss"), ("a", "b")),),
        {tmp_path / "tasks" / "x.yaml": "text\n"},
    )
    assert progress.load_stream("usa-Simple") is None
    progress.save_stream("usa-Simple", stream)
    progress.record_documents()
    again = SuiteProgress.begin(tmp_path, {"seed": 1})
    assert again.has_documents and again.foreign_files == {"theirs.txt"}
    assert again.reused_results == ("facts and documents", "1 groups of queries")
    assert again.load_stream("usa-Simple") == stream
    other = SuiteProgress.begin(tmp_path, {"seed": 2})
    assert not other.has_documents and other.reused_results == () and other.load_stream("usa-Simple") is None
    other.finish({"family": "veritrip"})
    assert not (tmp_path / PROVED).exists()
    assert (tmp_path / "theirs.txt").read_text("utf-8") == "theirs"


def replace_id(query: Any, name: str) -> Any:
    return query.model_copy(update={"id": name})


def test_shipped_queries_keep_their_budgets_whatever_plan_is_found_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The test sets another cost of the plans. Only queries that are not shipped then get other budgets."""
    base, shipped = fact_bases(0)["china"], {query.id: query for query in shipped_queries()}
    setting = ProvingFolder(
        FactBaseNames.of(base), "../china.sqlite", "../china.world.yaml", SHIPPED / "tasks", Workspace()
    )
    monkeypatch.setattr(proving, "plan_cost", lambda *_: Fraction(30_000))
    source = draft_queries(base, "Simple", "0/china")
    for name in ("veritrip-001", "veritrip-003"):
        assert prove_draft(source, name, setting, (90, 110), shipped[name]) == shipped[name]
    assert prove_draft(source, "veritrip-005", setting, (90, 110), shipped["veritrip-003"]).budget == 27_000
    near = next(draft_queries(base, "Simple", "1/china"))
    miss = set_budget(name_draft(near, "m"), Fraction(50), rounds_down=True)
    assert find_near_miss(iter([near]), "m", setting, miss).query == miss


def test_suites_of_different_sizes_have_different_names() -> None:
    paper = SuiteSize(documents=8210, images=4146, queries=228)
    names = [
        paper,
        replace(paper, seed=1),
        replace(paper, documents=8000),
        replace(paper, images=0),
        SuiteSize(),
        SuiteSize(queries=228),
    ]
    assert [size.name for size in names] == [
        "veritrip-paper",
        "veritrip-s1q228n8210",
        "veritrip-s0q228n8000",
        "veritrip-paper-named",
        "veritrip",
        "veritrip-s0q228",
    ]


@pytest.mark.parametrize(
    ("size", "images", "queries", "expected"),
    [
        ("paper", None, None, SuiteSize(0, 8210, 4146, 228)),
        ("paper", 0, None, SuiteSize(0, 8210, 0, 228)),
        ("PAPER", 7, 3, SuiteSize(0, 8210, 7, 3)),
        ("2500", None, None, SuiteSize(0, 2500, 400, 60)),
    ],
)
def test_a_size_is_a_number_or_the_paper_s(
    size: str,
    images: int | None,
    queries: int | None,
    expected: SuiteSize,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes: list[SuiteSize] = []
    monkeypatch.setattr(generating, "generate", lambda _out, size, *_, **__: sizes.append(size))
    commands.generate_suite(tmp_path, size=size, images=images, queries=queries)
    assert sizes == [expected]


@pytest.mark.parametrize("size", ["papers", "-3", "12.5", "", "99999999"])
def test_an_invalid_size_is_refused(size: str, tmp_path: Path) -> None:
    with pytest.raises(UnsuitableSuiteError, match="a number of documents or `paper`"):
        commands.generate_suite(tmp_path, size=size)


def test_too_few_documents_for_a_larger_base_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generating, "min_document_count", lambda *_: 5000)
    with pytest.raises(UnsuitableSuiteError, match="at least 10000 are needed"):
        generate(tmp_path / "new", SuiteSize(documents=2300, images=0, queries=0))
    assert not (tmp_path / "new").exists()
