"""An open document has the diagnostics that `planspec check` reports for the same text in a file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from time import process_time

import pytest

from planspec.api.checking import check
from planspec.dsl.diagnostics.rendering import diagnostic_json
from planspec.dsl.workspace.workspace import Workspace
from planspec.live.language.diagnostics import diagnostics_by_uri, message_text
from planspec.live.language.editor import EditorState
from planspec.live.language.positions import position_of
from planspec.live.language.renaming import RenameRefusedError
from planspec.live.language.requests import METHODS, handle_request
from tests.paths import ROOT
from tests.planspec.live.language.texts import LIBRARY, SAMPLE, TASK, WORLD, Session

TASKS = ROOT / "tasks"
SHIPPED = sorted(path for path in TASKS.rglob("*.yaml") if "planspec:" in path.read_text(encoding="utf-8")[:2000])
CHECKED_DOCUMENTS = [
    path
    for number, path in enumerate(SHIPPED)
    if path.name.endswith(("library.yaml", "suite.yaml")) or number % 20 == 0
]
"""All libraries and suites, and every twentieth task or world.

`benchmarks/language_server.py` checks all documents.
"""
SAMPLE_NAMES = (
    "examples/meetings.task.yaml",
    "libraries/veritrip.library.yaml",
    "veritrip/usa.world.yaml",
    "worldtravel/worldtravel.suite.yaml",
    "worldtravel-berlin/berlin-001.task.yaml",
    "travelplanner-small/tasks/1.yaml",
    "mobilitybench/tasks/mb-000001.yaml",
)
REQUESTS = sorted(METHODS.keys() - {"textDocument/rename", "textDocument/prepareRename", "textDocument/references"})


@pytest.mark.slow
def test_shipped_documents_have_no_diagnostics() -> None:
    editor = EditorState()
    for path in CHECKED_DOCUMENTS:
        document = editor.open(path.as_uri(), path.read_text(encoding="utf-8"))
        assert diagnostics_by_uri(editor, document) == {document.uri: []}, path
        editor.close(document.uri)


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLE_NAMES)
def test_every_request_about_a_shipped_document_is_answered(name: str) -> None:
    path = TASKS / name
    session = Session(path.parent)
    document = session.editor.open(path.as_uri(), path.read_text(encoding="utf-8"))
    text = document.source.text
    for method in REQUESTS:
        result = session.request(
            method.removeprefix("textDocument/"),
            document,
            "id:",
            4,
            positions=[{"line": 1, "character": 5}],
            context={"diagnostics": []},
        )
        json.dumps(result)
    analysis = session.editor.analysis(document)
    assert analysis is not None and len(analysis.occurrences) > text.count("uses:")
    wrong = [x for x in analysis.occurrences if not x.span.text.strip()]
    assert not wrong


@pytest.mark.parametrize(
    "text",
    [
        SAMPLE.replace("<= budget", "<= budgt"),
        SAMPLE.replace("dwell(v) >= 90min", "dwell(v) >= 90 EUR"),
        SAMPLE.replace("given:", "givn:"),
        SAMPLE.replace("scope:", "scope: {"),
        SAMPLE + "  - {a\n",
        "planspec: task/1\nid: x\n",
        "planspec: tusk/1\nid: x\n",
    ],
)
def test_an_open_text_has_the_diagnostics_of_its_file(tmp_path: Path, text: str) -> None:
    session = Session(tmp_path)
    document = session.open("x.task.yaml", text)
    typed = session.editor.check(document)
    (tmp_path / "x.task.yaml").write_text(text, encoding="utf-8")
    saved = check(tmp_path / "x.task.yaml", workspace=Workspace())
    assert typed and list(map(diagnostic_json, typed)) == list(map(diagnostic_json, saved))
    items = diagnostics_by_uri(session.editor, document)[document.uri]
    assert [item["code"] for item in items] == [diagnostic.code for diagnostic in saved]
    assert [item["message"] for item in items] == list(map(message_text, saved))


def test_positions_count_utf_16_units(tmp_path: Path) -> None:
    session = Session(tmp_path)
    text = SAMPLE.replace("unhurried:", "unhurried: # 🚶🚶 slow").replace(
        "dwell(v) >= 90min", 'contains("🚶é", "x") or dwel(v) >= 90min'
    )
    document = session.open("x.task.yaml", text)
    (wrong,) = diagnostics_by_uri(session.editor, document)[document.uri]
    line = text.split("\n")[wrong["range"]["start"]["line"]]
    units = line.encode("utf-16-le")
    start, end = wrong["range"]["start"]["character"], wrong["range"]["end"]["character"]
    assert units[2 * start : 2 * end].decode("utf-16-le") == "dwel"
    assert session.request("hover", document, "90min", 2)["range"]["start"]["character"] == start + len("dwel(v) >= ")


def test_windows_line_endings_keep_positions(tmp_path: Path) -> None:
    session = Session(tmp_path)
    document = session.open("x.task.yaml", SAMPLE.replace("<= budget", "<= budgt").replace("\n", "\r\n"))
    (wrong,) = diagnostics_by_uri(session.editor, document)[document.uri]
    assert wrong["range"]["start"]["line"] == SAMPLE.count("\n", 0, SAMPLE.index("<= budget"))


def test_edits_of_a_library_change_the_diagnostics_of_its_tasks(tmp_path: Path) -> None:
    """The three documents exist only in the editor. They are found by their ids."""
    session = Session(tmp_path)
    task = session.open_all_three()
    assert diagnostics_by_uri(session.editor, task)[task.uri] == []
    session.open("walks.library.yaml", LIBRARY.replace("budget", "limit"))
    (wrong, *_) = diagnostics_by_uri(session.editor, task)[task.uri]
    assert wrong["code"] == "PS210" and "budget" in wrong["message"]
    session.open("walks.library.yaml", LIBRARY.replace("total <= budget", "totl <= budget"))
    by_uri = diagnostics_by_uri(session.editor, task)
    assert [x["code"] for x in by_uri[(tmp_path / "walks.library.yaml").as_uri()]] == ["PS201"]
    session.open("walks.library.yaml", LIBRARY)
    assert diagnostics_by_uri(session.editor, task) == {task.uri: []}


def test_a_document_is_found_by_its_current_id(tmp_path: Path) -> None:
    session = Session(tmp_path)
    task = session.open_all_three()
    session.open("town.world.yaml", WORLD.replace("id: town", "id: city"))
    assert [x["code"] for x in diagnostics_by_uri(session.editor, task)[task.uri]] == ["PS012"]
    session.open("day.task.yaml", TASK.replace("world: town", "world: city"))
    task = session.editor.document(task.uri)
    assert diagnostics_by_uri(session.editor, task) == {task.uri: []}


def test_a_closed_document_is_read_from_its_file(tmp_path: Path) -> None:
    (tmp_path / "walks.library.yaml").write_text(LIBRARY)
    session = Session(tmp_path)
    session.open_all_three()
    library = session.open("walks.library.yaml", LIBRARY.replace("budget", "limit"))
    task = session.editor.document((tmp_path / "day.task.yaml").as_uri())
    assert diagnostics_by_uri(session.editor, task)[task.uri]
    session.editor.close(library.uri)
    assert diagnostics_by_uri(session.editor, task) == {task.uri: []}
    (tmp_path / "walks.library.yaml").write_text(LIBRARY.replace("budget", "limit"))
    session.editor.reread()
    assert diagnostics_by_uri(session.editor, task)[task.uri]


def test_rows_of_worlds_are_cached_until_files_are_reread(tmp_path: Path) -> None:
    session = Session(tmp_path)
    rows = tmp_path / "places.csv"
    rows.write_text("id,label,price\nmuseum,the museum,12 EUR\npark,the park,0 EUR\n")
    session.open("walks.library.yaml", LIBRARY)
    session.open("town.world.yaml", WORLD[: WORLD.index("tables:")] + "tables:\n  Place: {csv: places.csv}\n")

    def diagnostic_codes(text: str) -> list[str]:
        document = session.open("day.task.yaml", text)
        return [x["code"] for items in diagnostics_by_uri(session.editor, document).values() for x in items]

    wrong = TASK.replace("total", "totl").replace("visits[museum]", "visits[musem]")
    assert diagnostic_codes(TASK) == [] and diagnostic_codes(wrong) == ["PS201"]
    rows.write_text("id,label,price\nmusem,the museum,12 EUR\npark\n")
    assert diagnostic_codes(TASK) == [] and diagnostic_codes(wrong) == [
        "PS201"
    ]  # the change of the file was not reported
    session.editor.reread()
    assert diagnostic_codes(wrong).count("PS015") == 1 and diagnostic_codes(wrong).count("PS015") == 1
    rows.write_text("id,label,price\nmusem,the museum,12 EUR\n")
    session.editor.reread()
    assert diagnostic_codes(wrong) == []


def test_yaml_files_that_are_not_planspec_documents_are_ignored(tmp_path: Path) -> None:
    session = Session(tmp_path)
    document = session.open("compose.yaml", "services:\n  web: {image: nginx}\n")
    assert diagnostics_by_uri(session.editor, document) == {document.uri: []}
    assert session.request("hover", document, "web", 1) is None
    assert session.request("completion", document, "image", 2)["items"] == []
    empty = session.open("new.yaml", "# planspec\n\nplanspec: task/1\n")
    assert diagnostics_by_uri(session.editor, empty)[empty.uri]


def test_tasks_of_a_shard_are_checked_at_their_positions(tmp_path: Path) -> None:
    session = Session(tmp_path)
    shard = "\n---\n".join(
        [SAMPLE.rstrip("\n"), SAMPLE.replace("id: sample", "id: two").replace("<= budget", "<= budgt")]
    )
    document = session.open("many.tasks.yaml", shard)
    (wrong,) = diagnostics_by_uri(session.editor, document)[document.uri]
    assert shard.split("\n")[wrong["range"]["start"]["line"]].endswith("<= budgt")
    hover = session.request("hover", document, "party: adults", 1)
    assert "party: int" in hover["contents"]["value"]
    second = shard.index("party: adults", shard.index("id: two"))
    at = position_of(document.source, second + len("party: "))
    place = handle_request(
        session.editor, "textDocument/definition", {"textDocument": {"uri": document.uri}, "position": at}
    )
    assert shard.split("\n")[place["range"]["start"]["line"]] == "  adults: 2"
    assert place["range"]["start"]["line"] > shard.count("\n", 0, shard.index("id: two"))
    with pytest.raises(RenameRefusedError, match="many tasks"):
        session.request("rename", document, "party: adults", 1, newName="people")


@pytest.mark.slow
def test_an_edited_task_is_checked_without_rereading_its_library(tmp_path: Path) -> None:
    """Later checks take far less time, since only the first one reads the library and the world."""
    session = Session(tmp_path)
    path = TASKS / "worldtravel-berlin" / "berlin-001.task.yaml"
    text = path.read_text(encoding="utf-8")

    def check_time_s(text: str) -> float:
        document = session.editor.open(path.as_uri(), text)
        start = process_time()
        assert diagnostics_by_uri(session.editor, document) == {document.uri: []}
        return process_time() - start

    first = check_time_s(text)
    later = min(check_time_s(f"{text}# {number}\n") for number in range(4))
    assert later < first / 4


@pytest.mark.slow
def test_requests_need_neither_a_protocol_library_nor_a_solver() -> None:
    """In a browser neither is available."""
    script = "import sys, planspec.live.language.requests as a; print(sorted({m.split('.')[0] for m in sys.modules} & set(sys.argv[1:])))"
    heavy = ("pygls", "lsprotocol", "asyncio", "ortools", "z3", "numpy", "networkx")
    result = subprocess.run([sys.executable, "-c", script, *heavy], capture_output=True, check=True, text=True)
    assert result.stdout.strip() == "[]"
