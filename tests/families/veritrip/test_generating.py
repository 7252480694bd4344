"""The generator gives the same bytes for the same seed, and the shipped suite is its output."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import planspec_pictures
from planspec.families.veritrip import generating, open_tools, query_streams
from planspec.families.veritrip.drafting import draft_queries
from planspec.families.veritrip.fact_bases import fact_bases
from planspec.families.veritrip.generating import (
    GeneratedTasks,
    SuiteSize,
    generate,
    is_empty_or_generated,
)
from planspec.families.veritrip.outputs import GenerateOutput
from planspec.families.veritrip.query import Difficulty
from tests.paths import ROOT
from tests.planspec.commands.test_command_line import run

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("veritrip-generating")]


SHIPPED = ROOT / "tasks" / "veritrip"
SMALL = SuiteSize(images=2, queries=2)
"""Options of a suite with the shipped number of documents and only two pictures and queries."""
COMMAND = """
import sys
from planspec.families.veritrip import query_streams
query_streams.query_counts = lambda n: {"Simple": n}
from planspec.cli import command_line
command_line()
"""


def only_simple_queries(n: int) -> dict[Difficulty, int]:
    """Return the numbers of queries by difficulty if all `n` queries are simple. Others take longer to prove."""
    return {"Simple": n}


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GeneratedTasks]:
    """Yield a generated suite with the shipped documents, two pictures and two queries."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(query_streams, "query_counts", only_simple_queries)
        yield generate(tmp_path_factory.mktemp("generated"), SMALL)


def read_files(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every file in a folder, by path."""
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def text_with_shipped_ids(path: Path) -> str:
    """Read a file, and replace the ids of the generated suite by the shipped suite's ids."""
    return path.read_text("utf-8").replace("veritrip-s0q2-", "veritrip-")


def dump_database(path: Path) -> list[str]:
    """Return the contents of a database as SQL. The file's bytes also depend on SQLite's version."""
    with closing(sqlite3.connect(path)) as opened:
        return [line for line in opened.iterdump() if "sqlite_stat" not in line]


def read_json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.thorough
def test_the_shipped_suite_is_the_output_for_seed_0(generated: GeneratedTasks) -> None:
    for country in ("china", "usa"):
        name = f"{country}.world.yaml"
        assert text_with_shipped_ids(generated.folder / name) == (SHIPPED / name).read_text("utf-8")
        assert dump_database(generated.folder / f"{country}.sqlite") == dump_database(SHIPPED / f"{country}.sqlite")
    assert generated.tasks == ("veritrip-s0q2-001", "veritrip-s0q2-002")
    queries = text_with_shipped_ids(generated.folder / "queries.jsonl").splitlines()
    assert queries == (SHIPPED / "queries.jsonl").read_text("utf-8").splitlines()[:2]
    for task in generated.tasks:
        shipped = SHIPPED / "tasks" / f"{task.replace('-s0q2', '')}.yaml"
        assert text_with_shipped_ids(generated.folder / "tasks" / f"{task}.yaml") == shipped.read_text("utf-8")


@pytest.mark.thorough
def test_the_command_makes_the_same_bytes_in_other_processes(generated: GeneratedTasks, tmp_path: Path) -> None:
    """Sets are ordered differently in other processes. Two worker processes prove the queries and draw the
    pictures.
    """
    out = tmp_path / "again"
    call = [
        sys.executable,
        "-c",
        COMMAND,
        "generate",
        "veritrip",
        "--out",
        str(out),
        "--seed",
        "0",
        "--size",
        "2000",
        "--images",
        str(SMALL.images),
        "--queries",
        "2",
        "--jobs",
        "2",
        "--format",
        "json",
    ]
    environment = {**os.environ, "PYTHONHASHSEED": "77"}
    done = subprocess.run(call, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    output = GenerateOutput.model_validate_json(done.stdout)
    assert (output.family, output.folder, output.documents) == ("veritrip", str(out), 2000)
    assert output.images == generated.images >= SMALL.images
    assert (tuple(output.tasks), tuple(output.near_misses)) == (generated.tasks, generated.near_misses)
    first, second = read_files(generated.folder), read_files(out)
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []


@pytest.mark.thorough
def test_a_clean_corpus_contradicts_nothing(bare_size: SuiteSize, tmp_path: Path) -> None:
    clean = generate(tmp_path, replace(bare_size, clean=True))
    assert clean.documents == bare_size.documents
    assert [
        _count_statements(tmp_path / f"{country}.sqlite", "\"right\" = 'false'") for country in ("china", "usa")
    ] == [0, 0]


@pytest.mark.thorough
def test_the_clean_corpus_has_the_same_size_and_tasks_and_contradicts_nothing(
    generated: GeneratedTasks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query_streams, "query_counts", only_simple_queries)
    clean = generate(tmp_path, replace(SMALL, clean=True))
    assert (clean.documents, clean.tasks, clean.near_misses) == (
        generated.documents,
        generated.tasks,
        generated.near_misses,
    )
    for name in ("queries.jsonl", "near-misses.jsonl", *(f"tasks/{task}.yaml" for task in generated.tasks)):
        assert (tmp_path / name).read_bytes() == (generated.folder / name).read_bytes(), name
    ids = [
        [d["id"] for d in read_json_lines(folder / "corpus" / "documents.jsonl")]
        for folder in (tmp_path, generated.folder)
    ]
    assert ids[0] == ids[1] == list(range(1, 2001))
    for country in ("china", "usa"):
        wrong = [
            _count_statements(f / f"{country}.sqlite", "\"right\" = 'false'") for f in (tmp_path, generated.folder)
        ]
        assert wrong[0] == 0 < wrong[1]


@pytest.mark.thorough
def test_pictures_show_the_sights_that_the_words_do_not_name(generated: GeneratedTasks) -> None:
    queries = [
        *read_json_lines(generated.folder / "queries.jsonl"),
        *read_json_lines(generated.folder / "near-misses.jsonl"),
    ]
    truth = {
        line["image"]: (line["city"], line["place"]) for line in read_json_lines(generated.folder / "anchors.jsonl")
    }
    shown = {
        image: (query["target_city"], name)
        for query in queries
        for image, name in zip(query["images"], query["shown"], strict=True)
    }
    assert truth == shown
    assert {p.name for p in (generated.folder / "anchors").iterdir()} == truth.keys()
    assert all((generated.folder / "anchors" / image).read_bytes()[:2] == b"\xff\xd8" for image in truth)


@pytest.mark.thorough
def test_the_facts_are_written_unchanged(generated: GeneratedTasks) -> None:
    from planspec.families.veritrip.reading import read_base

    for country, base in fact_bases(0).items():
        assert read_base(generated.folder / "facts" / country, base.currency)[0] == base


@pytest.mark.thorough
def test_documents_for_agents_reveal_neither_country_nor_truth(generated: GeneratedTasks) -> None:
    for line in read_json_lines(generated.folder / "corpus" / "documents.jsonl"):
        assert not {"country", "right", "true", "statements"} & set(line)


@pytest.fixture
def bare_size() -> SuiteSize:
    """Return the size of a suite without queries and pictures."""
    return SuiteSize(documents=800, images=0, queries=0)


@pytest.mark.thorough
def test_another_seed_changes_services_documents_and_queries(bare_size: SuiteSize, tmp_path: Path) -> None:
    for seed in (0, 1):
        generate(tmp_path / str(seed), replace(bare_size, seed=seed))
    first, second = read_files(tmp_path / "0"), read_files(tmp_path / "1")
    assert first.keys() == second.keys()
    different = {name for name in first if first[name] != second[name]}
    for country in ("china", "usa"):
        assert {f"{country}.sqlite", f"facts/{country}/transportation.csv"} <= different
        assert f"facts/{country}/attractions.csv" not in different
    assert "corpus/documents.jsonl" in different
    base = fact_bases(0)["usa"]
    drawn = [list(islice(draft_queries(base, "Simple", f"{seed}/usa"), 5)) for seed in (0, 1)]
    assert drawn[0] != drawn[1]


def test_a_suite_may_have_no_queries_and_no_pictures(bare_size: SuiteSize, tmp_path: Path) -> None:
    generated = generate(tmp_path, bare_size)
    assert (generated.documents, generated.images, generated.tasks, generated.near_misses) == (800, 0, (), ())
    assert not (tmp_path / "anchors").exists() and not (tmp_path / "corpus" / "images").exists()


@pytest.mark.thorough
def test_a_suite_can_be_generated_again_into_its_folder(bare_size: SuiteSize, tmp_path: Path) -> None:
    assert is_empty_or_generated(tmp_path)
    generate(tmp_path, bare_size)
    first = read_files(tmp_path)
    assert is_empty_or_generated(tmp_path)
    generate(tmp_path, bare_size)
    assert read_files(tmp_path) == first


@pytest.mark.parametrize("size", ["0", "700"])
def test_too_few_documents_for_all_facts_are_refused(size: str, tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    words = ("generate", "veritrip", "--out", str(tmp_path / "new"), "--size", size)
    code, out, err = run(monkeypatch, capsys, *words, "--images", "0", "--queries", "0")
    assert (code, out) == (2, "")
    assert "documents are too few to state every fact" in err
    assert not (tmp_path / "new").exists()


def test_a_folder_with_other_files_is_refused_and_unchanged(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    for out in (tmp_path, tmp_path / "mine.txt"):
        code, _, err = run(monkeypatch, capsys, "generate", "veritrip", "--out", str(out))
        assert code == 2
        assert "is neither a new folder nor one that was generated before" in err
    assert read_files(tmp_path) == {"mine.txt": b"mine"}


def test_the_output_summarises_the_suite(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    words = ("--out", str(tmp_path / "g"), "--size", "801", "--images", "0", "--queries", "0")
    code, out, _ = run(monkeypatch, capsys, "generate", "veritrip", *words)
    assert code == 0
    first, noise, *rest = out.splitlines()
    assert first == f"801 documents and 0 pictures in {tmp_path / 'g' / 'corpus'}"
    assert "facts are contradicted" in noise
    assert "share with the true value found: rule 1.00, newest 0." in noise
    assert rest == [
        f"suite veritrip-s0q0-named: 0 tasks in {tmp_path / 'g'}",
        "suite veritrip-s0q0-named-near-misses: 0 tasks without a plan",
    ]


@pytest.mark.thorough
def test_generating_again_keeps_only_files_of_the_user(
    tmp_path: Path,
) -> None:
    out, fresh = tmp_path / "out", tmp_path / "fresh"
    generate(out, SuiteSize(documents=801, images=2, queries=0))
    (out / "corpus" / "documents.sqlite").write_bytes(b"an index of before")
    (out / "mine.txt").write_text("mine", "utf-8")
    again = SuiteSize(seed=5, documents=850, images=1, queries=0)
    generate(out, again)
    generate(fresh, again)
    remaining = read_files(out)
    assert remaining.pop("mine.txt") == b"mine"
    assert remaining == read_files(fresh)


@pytest.mark.thorough
def test_an_interrupted_run_with_other_arguments_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, fresh = tmp_path / "out", tmp_path / "fresh"
    out.mkdir()
    generate(out, SuiteSize(documents=801, images=0, queries=0))
    (out / "mine.txt").write_text("mine", "utf-8")

    def fail(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(generating, "_write_suites", fail)
        with pytest.raises(KeyboardInterrupt):
            generate(out, SuiteSize(seed=3, documents=900, images=4, queries=0))
    last = SuiteSize(seed=5, documents=850, images=1, queries=0)
    generate(out, last)
    generate(fresh, last)
    remaining = read_files(out)
    assert remaining.pop("mine.txt") == b"mine"
    assert remaining == read_files(fresh)


@pytest.mark.thorough
def test_every_place_that_a_query_shows_has_a_picture(generated: GeneratedTasks) -> None:
    captions = {line["caption"] for line in read_json_lines(generated.folder / "corpus" / "images.jsonl")}
    shown = {f"{line['place']}, {line['city']}" for line in read_json_lines(generated.folder / "anchors.jsonl")}
    assert shown
    assert shown <= captions


@pytest.mark.thorough
def test_pictures_are_in_honest_documents_about_their_places(generated: GeneratedTasks) -> None:
    stated = {
        (s["document"], s["city"], s["subject"])
        for s in read_json_lines(generated.folder / "corpus" / "hidden.jsonl")
        if "subject" in s
    }
    pictures = read_json_lines(generated.folder / "corpus" / "images.jsonl")
    files = {f"{picture['id']}.jpg" for picture in pictures}
    assert {path.name for path in (generated.folder / "corpus" / "images").iterdir()} == files
    for picture in pictures:
        name, _, city = picture["caption"].rpartition(", ")
        assert (picture["document"], city, name) in stated
    with open_tools(generated.folder, generated.tasks[0]) as tools:
        document = tools.call("getDocument", {"docID": str(pictures[0]["document"])})
        assert {"imageID": pictures[0]["id"], "caption": pictures[0]["caption"]} in document["pictures"]


@pytest.mark.thorough
def test_photographs_replace_renderings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail_if_rendered(*_: Any) -> bytes:
        raise AssertionError("nothing is rendered")

    monkeypatch.setattr(planspec_pictures, "picture", fail_if_rendered)
    monkeypatch.setattr(planspec_pictures, "anchor", fail_if_rendered)
    monkeypatch.setattr(query_streams, "query_counts", only_simple_queries)
    photos = tmp_path / "photos"
    photos.mkdir()
    sights = [place for base in fact_bases(0).values() for place in base.attractions]
    listed = [(n, place) for n, place in enumerate([*sights[::2], *sights[::2], *sights[1::9]])]
    for number, _ in listed:
        colour = (number * 37 % 256, number * 91 % 256, number * 13 % 256)
        Image.new("RGB", (120, 90), colour).save(photos / f"{number}.jpg")
    rows = "".join(f'{number}.jpg,"{place.name}",{place.city}\n' for number, place in listed)
    (photos / "pictures.csv").write_text(f"file,place,city\n{rows}", "utf-8")
    generated = generate(tmp_path / "out", SuiteSize(images=1, queries=2), photos=photos)
    twice = {(place.city, place.name) for place in sights[::2]}
    assert generated.images == len(sights[::2]) + len(sights[1::9])
    shown = {(line["city"], line["place"]) for line in read_json_lines(generated.folder / "anchors.jsonl")}
    assert shown and shown <= twice


def test_unusable_photographs_are_reported_by_line(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    (tmp_path / "pictures.csv").write_text("file,place\nnone.jpg,The Bund\n", "utf-8")
    words = ("generate", "veritrip", "--out", str(tmp_path / "new"), "--photos", str(tmp_path))
    code, out, err = run(monkeypatch, capsys, *words)
    assert (code, out) == (2, "")
    assert "pictures.csv:2: there is no file `none.jpg`" in err
    assert not (tmp_path / "new").exists()
    code, _, err = run(monkeypatch, capsys, *words[:-1], str(tmp_path / "nowhere"))
    assert code == 2 and "there is no folder" in err


@pytest.mark.thorough
def test_queries_without_pictures_name_every_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query_streams, "query_counts", only_simple_queries)
    generated = generate(tmp_path, SuiteSize(images=0, queries=2))
    for query in read_json_lines(generated.folder / "queries.jsonl"):
        assert query["images"] == query["shown"] == []
        assert all(name in query["nature_language"] for name in (query["p_attraction"] or "").split("|"))
        assert "picture" not in query["nature_language"]


def _count_statements(path: Path, where: str) -> int:
    """Return the number of statements in a database that satisfy an SQL condition."""
    with closing(sqlite3.connect(path)) as opened:
        count: int = opened.execute(f"select count(*) from Statement where {where}").fetchone()[0]
        return count
