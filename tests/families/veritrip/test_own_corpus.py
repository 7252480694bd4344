"""Documents and pictures provided by users work in all settings. Mistakes are reported by line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planspec.environments import AgentTask, open_task
from planspec.environments.agent_task import UnpreparedSettingError
from planspec.families.veritrip.corpus.provenance import Provenance, imprint
from planspec.families.veritrip.corpus.trust import truths_of
from planspec.families.veritrip.environment.environment import TRUST
from planspec.families.veritrip.facts_check.verdict import facts_of
from planspec.families.veritrip.importing import import_veritrip
from planspec.families.veritrip.own_corpus.html_text import read_html
from planspec.families.veritrip.own_corpus.mistakes import InvalidCorpusError
from planspec.families.veritrip.own_corpus.own_corpus import OWN_MARK, read_own_corpus
from planspec.families.veritrip.query import Query
from planspec.families.veritrip.saving import save_base
from tests.families.veritrip.written_base import rounded_base
from tests.planspec.commands.test_command_line import run
from tests.planspec.environments.views import view_of

BASE = rounded_base()
SIGHT = next(sight for sight in BASE.attractions if sight.city == "Brunn")
ASKED: dict[str, Any] = {
    "id": "q-1",
    "start_city": "Aldorf",
    "target_city": "Brunn",
    "start_date": "2025-10-15",
    "end_date": "2025-10-17",
    "people_number": 2,
    "budget": 5000,
    "difficulty": "Easy",
    "p_attraction": SIGHT.name,
    "nature_language": "Show me Brunn, and what is in the picture.",
    "images": ["q-1-1.png"],
    "shown": [SIGHT.name],
}
MARKDOWN = f"""---
title: "A day at {SIGHT.name}"
date: 2025-09-01T10:00
source: The Brunn Post
url: https://post.example/day
tags: [museums]
---
# Another heading

The ticket for {SIGHT.name} is cheap.
"""
HTML = f"""<!doctype html><html><head><title>Visit
{SIGHT.name}</title><meta name="date" content="2025-08-01"><meta property="og:site_name" content="Brunn Tourism">
<link rel="canonical" href="https://visit.example/"><script>var hidden = "never";</script></head>
<body><nav><ul><li>Home</li></ul></nav><p>Opening&nbsp;hours &amp; tickets:</p><p>Come early<br>and stay.</p></body></html>"""


def write_documents(folder: Path, *, pictures: bool = False) -> Path:
    """Write a folder with documents of every kind and, optionally, pictures."""
    (folder / "more").mkdir(parents=True)
    (folder / "a.md").write_text(MARKDOWN, "utf-8")
    (folder / "more" / "b.html").write_text(HTML, "utf-8")
    (folder / "more" / "c.txt").write_text("Just a line on the harbour of Brunn.", "utf-8")
    lines = [
        {
            "title": "Trains",
            "text": "Trains to Brunn.",
            "id": 7,
            "published": "2025-09-09",
            "origin": "railway",
            "city": "Aldorf",
        },
        {"title": "More", "text": "More trains.", "date": "2025-09-10"},
    ]
    (folder / "d.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    (folder / "notes.pdf").write_bytes(b"not looked at")
    (folder / ".hidden.md").write_text("nor is this", "utf-8")
    if pictures:
        image = pytest.importorskip("PIL.Image", reason="pictures need the extra `images`")
        pytest.importorskip("cv2", reason="pictures need the extra `images`")
        for place, colours in ((folder / "one.png", (20, 90)), (folder / "two.png", (200, 40))):
            picture = image.effect_noise((160, 120), 80).convert("RGB")
            picture.paste((*colours, 10), (20, 20, 90, 90))
            picture.save(place)
        (folder / "anchors").mkdir()
        (folder / "anchors" / "q-1-1.png").write_bytes((folder / "one.png").read_bytes())
        (folder / "pictures.csv").write_text(
            f"file,place,city\none.png,{SIGHT.name},Brunn\ntwo.png,Harbour,\n", "utf-8"
        )
    return folder


def import_suite(
    tmp_path: Path, folder: Path | None, *, query_row: dict[str, Any] = ASKED, clean: bool = False
) -> Path:
    """Import a query with the user's documents, and return the folder of the suite."""
    save_base(BASE, tmp_path / "facts")
    (tmp_path / "queries.jsonl").write_text(json.dumps(query_row), "utf-8")
    import_veritrip(tmp_path / "facts", "CNY", [tmp_path / "queries.jsonl"], tmp_path / "suite", folder, clean=clean)
    return tmp_path / "suite"


def open_setting(suite: Path, setting: str | None = None) -> AgentTask:
    return open_task(suite / "tasks" / "q-1.yaml", setting, folder=suite)


def documents(suite: Path) -> list[dict[str, Any]]:
    """Return the imported documents."""
    return [json.loads(line) for line in (suite / "corpus" / "documents.jsonl").read_text("utf-8").splitlines()]


NO_PICTURE = ASKED | {"images": [], "shown": []}


def test_documents_of_every_kind_are_read_with_their_metadata(tmp_path: Path) -> None:
    rows = documents(import_suite(tmp_path, write_documents(tmp_path / "docs"), query_row=NO_PICTURE))
    assert [row["id"] for row in rows] == [1, 2, 3, 4, 7]
    by = {row["title"]: row for row in rows}
    day = by[f"A day at {SIGHT.name}"]
    assert (day["published"], day["origin"]) == ("2025-09-01", "The Brunn Post, https://post.example/day")
    assert day["text"] == f"# Another heading\n\nThe ticket for {SIGHT.name} is cheap."
    page = by[f"Visit {SIGHT.name}"]
    assert (page["published"], page["origin"]) == ("2025-08-01", "Brunn Tourism, https://visit.example/")
    assert page["text"] == "Home\n\nOpening hours & tickets:\n\nCome early\nand stay."
    assert (by["c"]["text"], by["c"]["origin"], by["c"]["published"]) == (
        "Just a line on the harbour of Brunn.",
        "more/c.txt",
        "",
    )
    assert (by["Trains"]["id"], by["Trains"]["city"], by["Trains"]["origin"]) == (7, "Aldorf", "railway")
    assert by["More"]["published"] == "2025-09-10"


def test_agents_search_and_read_a_user_s_corpus_like_a_generated_one(tmp_path: Path) -> None:
    suite = import_suite(tmp_path, write_documents(tmp_path / "docs"), query_row=NO_PICTURE)
    view = view_of(open_setting(suite, "text"))
    results = view.tools.call("docSearch", {"query": f"is {SIGHT.name} cheap"})["results"]
    assert results[0]["title"] == f"A day at {SIGHT.name}"
    assert "The ticket" in view.tools.call("getDocument", {"docID": results[0]["docID"]})["text"]
    assert view.tools.call("getRecommendRestaurant", {"city": "Brunn"})["results"]
    assert TRUST not in view.brief, "these documents have no imprints"
    assert view_of(open_setting(suite)).setting == "tools"


@pytest.mark.slow
def test_a_user_s_pictures_are_searched_and_shown(tmp_path: Path) -> None:
    suite = import_suite(tmp_path, write_documents(tmp_path / "docs", pictures=True))
    view = view_of(open_setting(suite, "tools"))
    assert list(view.images) == ["q-1-1.png"]
    best = view.tools.call("imgSearch", {"imgPath": "q-1-1.png"})["results"][0]
    assert best["imageID"] == "one"
    assert view_of(open_setting(suite, "pictures")).images == view.images
    text_view = view_of(open_setting(suite, "text"))
    assert text_view.images == {}
    assert text_view.materials == {"What the pictures show": f"1. {SIGHT.name}"}


def test_the_brief_has_the_rule_of_trust_if_documents_have_imprints(tmp_path: Path) -> None:
    folder = write_documents(tmp_path / "docs")
    (folder / "signed.txt").write_text(f"A notice.\n\n{imprint(Provenance('X', 'operator'), 'en')}", "utf-8")
    assert TRUST in view_of(open_setting(import_suite(tmp_path, folder, query_row=NO_PICTURE), "text")).brief


def test_a_clean_corpus_is_named_in_the_setting(tmp_path: Path) -> None:
    folder = write_documents(tmp_path / "docs")
    suite = import_suite(tmp_path, folder, query_row=NO_PICTURE)
    with pytest.raises(UnpreparedSettingError, match="has misleading documents"):
        open_setting(suite, "text-clean")
    import_suite(tmp_path, folder, query_row=NO_PICTURE, clean=True)
    assert open_setting(suite, "text").setting == "text-clean"


def statements(*rows: dict[str, Any]) -> str:
    """Return rows of statements as JSON lines."""
    return "\n".join(json.dumps(row) for row in rows)


def test_citations_are_checked_against_the_given_statements(tmp_path: Path) -> None:
    folder = write_documents(tmp_path / "docs")
    place = {"subject": SIGHT.name, "city": "Brunn"}
    (folder / "hidden.jsonl").write_text(
        statements(
            {"document": 7, "kind": "transport"},
            {"document": 1, **place, "field": "existence", "value": "true"},
            {"document": 1, **place, "field": "ticket", "value": str(SIGHT.ticket)},
            {"document": 2, **place, "field": "ticket", "value": str(SIGHT.ticket + 1)},
            {
                "document": 7,
                "subject": "G1 2025-10-15",
                "city": "Aldorf",
                "field": "price",
                "value": "1",
                "true": False,
            },
        ),
        "utf-8",
    )
    suite = import_suite(tmp_path, folder, query_row=NO_PICTURE)
    row = {
        "Date": "2025-10-16",
        "active_item_number": 1,
        "active_type": "attraction",
        "start_time": "10:00",
        "end_time": "11:00",
        "name": SIGHT.name,
        "price_per_person": SIGHT.ticket,
        "notes": "Go [1].",
    }
    for notes, kind in (
        ("Go [1].", "supported"),
        ("Go [2].", "contradicted"),
        ("Go [3].", "silent"),
        ("Go.", "uncited"),
    ):
        answer = {
            "transportationTable": [],
            "accommodationTable": [],
            "itineraryTable": [row | {"notes": notes}],
        }
        facts = facts_of(open_setting(suite, "text").judge.answer(answer))
        assert facts is not None
        assert {cell.column: cell.citation for cell in facts.cells}["price_per_person"] == kind
    stored = [json.loads(line) for line in (suite / "corpus" / "hidden.jsonl").read_text("utf-8").splitlines()]
    assert [one["true"] for one in stored] == [True, True, False]


def test_a_later_import_removes_the_corpus(tmp_path: Path) -> None:
    suite = import_suite(tmp_path, write_documents(tmp_path / "docs"), query_row=NO_PICTURE)
    (suite / "mine.txt").write_text("mine", "utf-8")
    import_suite(tmp_path, None, query_row=NO_PICTURE)
    assert not (suite / OWN_MARK).exists()
    assert not (suite / "corpus").exists()
    assert (suite / "mine.txt").exists()
    with pytest.raises(UnpreparedSettingError, match="import your own by `planspec import veritrip --corpus`"):
        open_setting(suite, "tools")
    assert open_setting(suite).setting == "facts"


WRONG: list[tuple[str, str | bytes, str]] = [
    ("x.md", "---\ndate: soon\n---\nText.", "x.md:2: `soon` is not a date such as 2025-10-18"),
    ("x.md", "---\ntitle: T\n\nid: 3.5\n---\nText.", "x.md:4: the id `3.5` is not a whole number from 1"),
    ("x.md", "---\ntitle: T\nText.", "x.md:1: the metadata that begin with `---` have no closing `---`"),
    ("x.txt", "  \n", "x.txt: it has no text"),
    ("x.txt", b"\xff\xfe", "x.txt: it is not UTF-8 (byte 0)"),
    ("x.html", "<title>T</title><script>x</script>", "x.html: it has no text"),
    ("x.html", '\n<meta name="date" content="1 May">\nText', "x.html:2: `1 May` is not a date such as 2025-10-18"),
    ("x.jsonl", '{"title": "T", "text": "x"}\n{"title": "T"}', "x.jsonl:2: text: it is missing"),
    ("x.jsonl", '\n{"title": " ", "text": "x"}', "x.jsonl:2: title: "),
    ("x.jsonl", "{", "x.jsonl:1: no JSON"),
    ("x.jsonl", '{"id": 7, "title": "T", "text": "x"}', "x.jsonl:1: the id 7 is already used by d.jsonl:1"),
    ("x.jsonl", '{"title": "T", "text": "x", "date": "2025"}', "x.jsonl:1: date: "),
    (
        "hidden.jsonl",
        '{"document": 99, "subject": "a", "city": "b", "field": "ticket", "value": "1"}',
        "hidden.jsonl:1: document: there is no document 99",
    ),
    (
        "hidden.jsonl",
        '{"document": 1, "subject": "a", "city": "b", "field": "ticket"}',
        "hidden.jsonl:1: value: it is missing",
    ),
    (
        "hidden.jsonl",
        '{"document": 1, "subject": "a", "city": "b", "field": "opens", "value": "nine"}',
        "hidden.jsonl:1: value: it must be a time such as 09:00",
    ),
    (
        "hidden.jsonl",
        '{"document": 1, "subject": "a", "city": "b", "field": "ticket", "value": "$3"}',
        "hidden.jsonl:1: value: it must be a whole number",
    ),
    (
        "hidden.jsonl",
        '{"document": 1, "subject": "a", "city": "b", "field": "visit", "value": "1h"}',
        "hidden.jsonl:1: value: it must be minutes",
    ),
    (
        "hidden.jsonl",
        '{"document": 1, "subject": "a", "city": "b", "field": "closed_on", "value": "Mo"}',
        "hidden.jsonl:1: value: it must be weekdays",
    ),
    (
        "hidden.jsonl",
        '{"document": 1, "subject": "a", "city": "b", "field": "existence", "value": "yes"}',
        "hidden.jsonl:1: value: it must be `true` or `false`",
    ),
    ("pictures.csv", "name,place\n", "pictures.csv:1: there is no column `file`"),
    ("pictures.csv", "file,place\nmissing.png,X\n", "pictures.csv:2: there is no file `missing.png`"),
    ("pictures.csv", "file,place\n../a.png,X\n", "pictures.csv:2: `../a.png` is not within the folder"),
    ("pictures.csv", "file,place\na.md,X\n", "pictures.csv:2: `a.md` is no picture"),
    ("pictures.csv", "file,place\n,X\n", "pictures.csv:2: `file` is empty"),
    ("pictures.csv", b"file,place\n\xff,X\n", "pictures.csv: it is no CSV in UTF-8"),
]


@pytest.mark.parametrize(
    ("name", "content", "message"), WRONG, ids=[f"{name} {message[-30:]}" for name, _, message in WRONG]
)
def test_a_mistake_is_reported_with_its_file_and_line(
    name: str, content: str | bytes, message: str, tmp_path: Path
) -> None:
    folder = write_documents(tmp_path / "docs")
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InvalidCorpusError) as caught:
        read_own_corpus(folder, (), truths_of(BASE))
    first, *others = str(caught.value).splitlines()
    assert first == f"`{folder}` is not a valid corpus:"
    assert len(others) == 1
    assert others[0].strip().startswith(message)


def test_all_mistakes_are_reported_at_once_up_to_a_limit(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "x.jsonl").write_text("{\n" * 30, "utf-8")
    with pytest.raises(InvalidCorpusError) as caught:
        read_own_corpus(folder, [Query.model_validate(ASKED)], truths_of(BASE))
    lines = str(caught.value).splitlines()
    assert len(lines) == 22
    assert lines[-1] == "  and 11 more"


def test_missing_documents_and_pictures_are_reported(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidCorpusError, match=r"it has no document: a file \.md"):
        read_own_corpus(tmp_path / "empty", (), {})
    with pytest.raises(
        InvalidCorpusError, match=r"anchors: there is no picture `q-1-1\.png`, which the query `q-1` shows"
    ):
        read_own_corpus(write_documents(tmp_path / "docs"), [Query.model_validate(ASKED)], {})


def test_an_unreadable_picture_is_reported(tmp_path: Path) -> None:
    folder = write_documents(tmp_path / "docs", pictures=True)
    (folder / "two.png").write_bytes(b"\x89PNG\r\n\x1a\n broken")
    with pytest.raises(InvalidCorpusError, match=r"two\.png: the picture cannot be read"):
        read_own_corpus(folder, (), {})


def test_the_command_summarises_the_corpus_and_refuses_an_invalid_one(
    tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    save_base(BASE, tmp_path / "facts")
    (tmp_path / "queries.jsonl").write_text(json.dumps(NO_PICTURE), "utf-8")
    words = (
        "import",
        "veritrip",
        "--facts",
        str(tmp_path / "facts"),
        "--currency",
        "CNY",
        "--queries",
        str(tmp_path / "queries.jsonl"),
        "--out",
        str(tmp_path / "suite"),
    )
    code, _, err = run(monkeypatch, capsys, *words, "--corpus", str(write_documents(tmp_path / "docs")))
    assert code == 0
    assert "note: 5 documents, 0 pictures, 0 pictures of queries" in err
    assert "note: citations are not checked: there is no `hidden.jsonl`" in err
    code, _, err = run(monkeypatch, capsys, *words, "--corpus", str(tmp_path / "nowhere"))
    assert (code, "there is no folder" in err) == (2, True)
    code, _, err = run(monkeypatch, capsys, *words, "--clean")
    assert (code, "--clean needs a corpus" in err) == (2, True)
    (tmp_path / "docs" / "x.md").write_text("---\ndate: soon\n---\nText.", "utf-8")
    before = sorted(path for path in (tmp_path / "suite").rglob("*"))
    code, _, err = run(monkeypatch, capsys, *words, "--corpus", str(tmp_path / "docs"))
    assert (code, "x.md:2: `soon` is not a date" in err) == (2, True)
    assert sorted(path for path in (tmp_path / "suite").rglob("*")) == before


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("", ""),
        ("plain", "plain"),
        ("<p>a<p>b", "a\n\nb"),
        ("<b>un<i>closed", "unclosed"),
        ("<script>x", ""),
        ("a<!-- no -->b", "ab"),
        ("<table><tr><td>1</td><td>2</td></tr></table>", "1\n2"),
        ("&lt;p&gt; &#233;", "<p> é"),
        ("</div></div>x", "x"),
    ],
)
def test_the_text_of_any_page_can_be_read(page: str, text: str) -> None:
    assert read_html(page).text == text
