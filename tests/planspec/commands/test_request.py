"""`planspec request`: requests in natural language on the command line."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.api.outputs.shown import RequestOutput
from tests.extras import needs
from tests.planspec.api.requests.towns import TASK, WORDING, write
from tests.planspec.commands.test_command_line import run


@needs("babel", extra="words")
def test_the_command_prints_the_query_and_quotations_as_sections_of_a_task(
    monkeypatch: Any, capsys: Any, tmp_path: Path
) -> None:
    path = write(tmp_path)
    code, out, _ = run(monkeypatch, capsys, "request", str(path))
    assert code == 0
    assert out == planspec.request(path).sections()
    assert path.read_text("utf-8") == TASK


@needs("babel", extra="words")
def test_json_has_the_query_and_its_quotations(monkeypatch: Any, capsys: Any, tmp_path: Path) -> None:
    path = write(tmp_path)
    code, out, _ = run(monkeypatch, capsys, "request", str(path), "--format", "json", "--language", "en-GB")
    output = RequestOutput.model_validate_json(out)
    assert (code, output.task, output.language, output.wordings) == (0, "town", "en-GB", ["errands.en"])
    assert output.tells["budget"] in output.query
    assert set(json.loads(out)) == {"task", "language", "query", "tells", "wordings"}


@needs("babel", extra="words")
def test_the_command_writes_the_query_into_the_task(monkeypatch: Any, capsys: Any, tmp_path: Path) -> None:
    path = write(tmp_path)
    code, out, err = run(monkeypatch, capsys, "request", str(path), "--write", "--seed", "3")
    assert code == 0
    assert err.startswith("wrote the query of ")
    assert out in path.read_text("utf-8")
    assert planspec.load(path).query == planspec.request(path, seed=3).query


@needs("babel", extra="words")
def test_a_value_without_words_exits_2_and_names_its_position(monkeypatch: Any, capsys: Any, tmp_path: Path) -> None:
    path = write(tmp_path, errands_en_wording=WORDING.replace("  often: Stop often.\n", "").format(language="en"))
    code, out, err = run(monkeypatch, capsys, "request", str(path), "--write")
    assert (code, out) == (2, "")
    assert "error[PS332]: nothing says the rule `often`" in err
    assert "errands.library.yaml:31:11" in err
    assert path.read_text("utf-8") == TASK


def test_without_babel_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: Any, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "babel", None)
    code, out, err = run(monkeypatch, capsys, "request", str(write(tmp_path)))
    assert (code, out) == (2, "")
    assert err == "error: requests in words need an extra: pip install 'planspec[words]'\n"
