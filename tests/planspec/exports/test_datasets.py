"""Export of suites as data sets: rows, cards and Croissant metadata."""

from __future__ import annotations

import json
from dataclasses import fields
from hashlib import sha256
from pathlib import Path

import pytest
import yaml

from planspec.exports.bundle import CANARY, UnsuitableExportError
from planspec.exports.datasets import UnknownLicenseError, export_dataset
from planspec.exports.rows import TaskRow

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("datasets")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a suite exported as a data set."""
    return export_dataset("scheduling", tmp_path_factory.mktemp("dataset") / "out", license="Apache-2.0").folder


def test_the_card_has_counts_of_expected_and_proved_results(folder: Path) -> None:
    card = (folder / "README.md").read_text("utf-8")
    _, front, text = card.split("---\n", 2)
    assert yaml.safe_load(front)["license"] == "apache-2.0"
    assert yaml.safe_load(front)["size_categories"] == ["n<1K"]
    assert "12 tasks of the suite `scheduling`" in text
    assert "- Proved by certificates: " in text
    assert "cpsat" in text
    assert CANARY in text


def test_croissant_describes_each_column_of_the_rows(folder: Path) -> None:
    croissant = json.loads((folder / "croissant.json").read_text("utf-8"))
    rows = (folder / "tasks.jsonl").read_bytes()
    assert croissant["distribution"][0]["sha256"] == sha256(rows).hexdigest()
    (records,) = croissant["recordSet"]
    columns = [field["name"] for field in records["field"]]
    assert columns == [each.name for each in fields(TaskRow)]
    assert all([*json.loads(line)] == columns for line in rows.splitlines())


def test_an_exported_data_set_contains_no_reference_answers(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "croissant.json", "tasks.jsonl"]
    assert "reference" not in {
        key for line in (folder / "tasks.jsonl").read_bytes().splitlines() for key in json.loads(line)
    }


def test_the_same_suite_makes_the_same_files(folder: Path, tmp_path: Path) -> None:
    again = export_dataset("scheduling", tmp_path / "out", license="Apache-2.0").folder
    assert {path.name: path.read_bytes() for path in again.iterdir()} == {
        path.name: path.read_bytes() for path in folder.iterdir()
    }


def test_a_wrong_licence_and_a_full_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownLicenseError, match="no identifier of a licence"):
        export_dataset("examples", tmp_path / "out", license="all rights")
    (tmp_path / "file").write_text("")
    with pytest.raises(UnsuitableExportError, match="not an empty folder"):
        export_dataset("examples", tmp_path)
