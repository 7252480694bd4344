"""`planspec score` reproduces the public toolkit's numbers for real runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from planspec.families.mobilitybench.metrics.trace_metrics import MobilityBenchTraceMetrics
from planspec.families.mobilitybench.official.evaluator import METRICS
from planspec.families.mobilitybench.public.importing import import_mobilitybench
from planspec.traces.metrics import TraceRequest, TraceScores
from tests.lengths import try_few
from tests.paths import SHARED

FOLDER = SHARED / "data" / "mobilitybench"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the public sample of MobilityBench is not here")
VARIANTS = ("perfect", "missing_tool", "wrong_arg", "no_output", "gamed", "fuzz1")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the imported public sample."""
    folder = tmp_path_factory.mktemp("real") / "sample"
    import_mobilitybench(FOLDER / "sample_dev.csv", folder)
    return folder


@pytest.fixture(scope="module")
def records() -> Mapping[str, list[dict[str, Any]]]:
    """Return the published runs of each variant of agent. Each case is named by its row in the suite's table."""
    by_variant: dict[str, list[dict[str, Any]]] = {}
    for line in (FOLDER / "official_metrics_dev.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        record["raw_result"]["case_id"] = f"case_{record['row'] // 2 + 1}"
        by_variant.setdefault(record["variant"], []).append(record)
    return by_variant


def score_runs(
    suite: Path, runs: list[dict[str, Any]], folder: Path, profile: str, *, differences: bool = False
) -> TraceScores:
    """Score runs in the public toolkit's format. `profile` is `strict` or `official`."""
    file = folder / "raw_results.json"
    file.write_text(json.dumps([run["raw_result"] for run in runs]), "utf-8")
    request = TraceRequest(suite="sample", folder=suite, traces=file, profile=profile, differences=differences)
    return MobilityBenchTraceMetrics().over(request)


def test_the_tests_cover_every_variant_of_the_published_runs(records: Mapping[str, list[dict[str, Any]]]) -> None:
    assert set(records) == set(VARIANTS)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_rows_and_totals_equal_those_of_the_public_toolkit(
    variant: str, suite: Path, records: Mapping[str, list[dict[str, Any]]], tmp_path: Path
) -> None:
    runs = records[variant]
    scores = score_runs(suite, runs, tmp_path, "official")
    rows: dict[str, Any] = {one["task"]: one["rows"] for one in scores.traces}  # type: ignore[misc]
    totals: dict[str, float] = {}
    for metric, names in METRICS.items():
        official_rows = [run["official"][metric] for run in runs]
        for run, official_row in zip(runs, official_rows, strict=True):
            expected = official_row and {name: official_row[name] for name in names}
            assert rows[run["raw_result"]["case_id"]].get(metric) == expected
        present = [official_row for official_row in official_rows if official_row]
        if present:
            totals |= {
                name: round(sum(official_row[name] for official_row in present) / len(present), 4) for name in names
            }
    assert scores.metrics["overall"]["means"] == totals  # type: ignore[index, call-overload]
    assert scores.metrics["n"] == len(runs) == 58


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("variant", try_few(VARIANTS, {"perfect", "gamed", "fuzz1"}))
def test_every_difference_has_a_cause(
    variant: str, suite: Path, records: Mapping[str, list[dict[str, Any]]], tmp_path: Path
) -> None:
    scores = score_runs(suite, records[variant], tmp_path, "strict", differences=True)
    assert scores.differences is not None
    assert scores.differences["unexplained"] == 0
    assert scores.differences["runs"] == 58


@pytest.mark.slow
def test_constant_answers_that_the_toolkit_passes_do_not_pass(
    suite: Path, records: Mapping[str, list[dict[str, Any]]], tmp_path: Path
) -> None:
    strict = score_runs(suite, records["gamed"], tmp_path, "strict").metrics
    official = score_runs(suite, records["gamed"], tmp_path, "official").metrics
    assert official["overall"]["means"]["FPR"] > 0.6  # type: ignore[index, call-overload, operator]
    for metric in ("ID", "IE", "DEC_P", "DEC_R", "SC", "FPR"):
        assert strict["metrics"][metric]["mean"] == 0  # type: ignore[index, call-overload]
