"""Fixtures for tests of the report: two runs and their page."""

from collections.abc import Sequence

import pytest

from planspec.agents.failures import AttemptFailedError
from planspec.report import ReportOptions, ReportPage, gather
from planspec.runs import RunFolder
from planspec.scores import run_scores
from tests.planspec.report.stroll import HOSTILE, RIGHT, WRONG, write_run, write_suite


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Sequence[RunFolder]:
    """Return two runs: a mostly correct one, and one whose agent writes hostile text."""
    base = tmp_path_factory.mktemp("strolls")
    strolls = write_suite(base / "suite", "a", "b", "c")
    good = write_run(base / "good", strolls, {"a": RIGHT, "b": RIGHT, "c": WRONG}, "I look around.")
    failed = AttemptFailedError("provider", "".join(HOSTILE))
    bad = write_run(base / "bad", strolls, {"a": WRONG, "b": failed}, *HOSTILE, "x" * 50_000, agent="echo")
    return good, bad


@pytest.fixture(scope="session")
def report_page(folders: Sequence[RunFolder]) -> ReportPage:
    """Return the page of both runs."""
    return gather([(folder, run_scores(folder)) for folder in folders], ReportOptions(seconds=20.0))
