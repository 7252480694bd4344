"""`planspec report` on the command line."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from planspec.cli import app
from planspec.commands.console import CommandLineError
from planspec.report.proofs import FILE
from planspec.runs import InvalidRunError, RunFolder
from tests.planspec.report.stroll import RIGHT, WRONG, write_run, write_suite

CLI = CliRunner()


@pytest.mark.slow
def test_a_page_is_written_and_the_scores_are_printed(
    folders: Sequence[RunFolder], report_page: object, tmp_path: Path
) -> None:
    out = tmp_path / "page.html"
    result = CLI.invoke(app, ["report", *(str(f.path) for f in folders), "-o", str(out), "--timeout", "20"])
    assert result.exit_code == 0
    assert re.search(r"^strolls  empty: 2 of 3 pass, 67 % \(\d+.\d+ %\)$", result.stdout, re.MULTILINE)
    assert "1 without a record" in result.stdout
    assert "Both runs have 3 tasks; " in result.stdout
    assert f"page: {out}" in result.stderr
    assert out.read_text("utf-8").startswith("<!doctype html>")


def test_without_proofs_no_solver_runs(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", write_suite(tmp_path / "suite", "a"), {"a": WRONG})
    out = tmp_path / "page.html"
    assert CLI.invoke(app, ["report", str(folder.path), "--no-proofs", "-o", str(out)]).exit_code == 0
    assert not (folder.path / FILE).exists()
    assert "were left out" in out.read_text("utf-8")


def test_the_numbers_are_printed_as_json(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", write_suite(tmp_path / "suite", "a"), {"a": RIGHT})
    out = tmp_path / "page.html"
    result = CLI.invoke(app, ["report", str(folder.path), "--no-proofs", "-o", str(out), "--format", "json"])
    document = json.loads(result.stdout)
    assert document["page"] == str(out)
    assert [(one["name"], one["passed"]) for one in document["runs"]] == [("run", 1)]
    assert document["comparisons"] == []


def test_a_folder_that_is_not_a_run_is_a_usage_error(tmp_path: Path) -> None:
    result = CLI.invoke(app, ["report", str(tmp_path)])
    assert isinstance(result.exception, InvalidRunError)
    assert "no run" in str(result.exception)


def test_a_run_given_twice_is_named_once(folders: Sequence[RunFolder]) -> None:
    path = str(folders[0].path)
    result = CLI.invoke(app, ["report", path, path])
    assert isinstance(result.exception, CommandLineError)
    assert "twice" in str(result.exception)


@pytest.mark.parametrize("option", ["--timeout", "--jobs"])
def test_limits_are_positive(option: str, folders: Sequence[RunFolder]) -> None:
    assert CLI.invoke(app, ["report", str(folders[0].path), option, "0"]).exit_code == 2
