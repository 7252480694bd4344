"""The official profile reproduces the public toolkit's numbers for 348 published runs on 58 of its episodes."""

import csv
import json
from typing import Any

import pytest

from planspec.families.mobilitybench.official.evaluator import (
    METRICS,
    equal_texts,
    score,
    shared_characters,
    truths_of,
)
from planspec.families.mobilitybench.official.similarity import SimilarityMeasure
from planspec.families.mobilitybench.official.truth import Truth
from planspec.families.mobilitybench.traces_reading import trace_of_mobilitybench
from tests.paths import SHARED

FOLDER = SHARED / "data" / "mobilitybench"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the public sample of MobilityBench is not here")


@pytest.fixture(scope="module")
def truths() -> list[Truth]:
    """Return the cases of the public sample with their ground truth."""
    with (FOLDER / "sample_dev.csv").open(encoding="utf-8-sig", newline="") as file:
        return list(truths_of(list(csv.DictReader(file))))


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    """Return the published runs with the toolkit's metrics."""
    return [json.loads(line) for line in (FOLDER / "official_metrics_dev.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize(("column", "measure"), [("official", shared_characters), ("official_exact_sim", equal_texts)])
def test_every_number_equals_the_toolkits_number(
    truths: list[Truth], records: list[dict[str, Any]], column: str, measure: SimilarityMeasure
) -> None:
    different = []
    for record in records:
        scores = score(truths[record["row"] // 2], trace_of_mobilitybench(record["raw_result"]), measure)
        for metric, names in METRICS.items():
            official_row, row = record[column][metric], scores.rows.get(metric)
            expected = official_row and {name: official_row[name] for name in names}
            if expected != row:
                different.append((record["trace_id"], metric, expected, row))
    assert len(records) == 348
    assert not different


@pytest.mark.slow
def test_the_published_runs_are_read_without_faults(records: list[dict[str, Any]]) -> None:
    traces = [trace_of_mobilitybench(record["raw_result"]) for record in records]
    assert not [trace.faults for trace in traces if trace.faults]
    assert not [trace.extra for trace in traces if trace.extra]
