"""Settings for every test: how hard Hypothesis searches, and which tests are slow."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import Generator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import is_hypothesis_test, settings

# A run must give the same result on every machine, so the default draws the same examples each time and has no
# deadline. Looking for new failures is a separate act: `make deep`.
settings.register_profile("steady", derandomize=True, deadline=None, print_blob=True, max_examples=50)
settings.register_profile("deep", derandomize=False, deadline=None, print_blob=True, max_examples=2_000)
settings.load_profile("steady")

TESTS = Path(__file__).parent
SLOW_ROOMS = frozenset(TESTS / name for name in ("audit", "differential", "docs", "mutation"))
"""Folders in which every test is slow: those that compare meanings, attack what is judged, or run the pages."""
SLOW = frozenset({"slow", "integration"})
SECONDS = "seconds of CPU"
SPENT = pytest.StashKey[float]()
CACHE = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """Keep checked tasks in a folder of this run, which its workers and the programs that they start share."""
    if not hasattr(config, "workerinput"):
        config.stash[CACHE] = os.environ["PLANSPEC_CACHE"] = tempfile.mkdtemp(prefix="planspec-tests-")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove that folder."""
    if CACHE in config.stash:
        shutil.rmtree(config.stash[CACHE], ignore_errors=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--over", type=float, metavar="SECONDS", help="list tests that took more seconds of CPU and are not marked slow"
    )  # fmt: skip


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the slow folders unread where no slow test is asked for: importing them takes seconds."""
    left_out = "not slow" in config.option.markexpr and collection_path in SLOW_ROOMS
    return True if left_out else None


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what is slow by its kind (random examples, and the slow folders), and what stays on one worker.

    The tests of a file share what it keeps, and what they import first. Those of the slow folders, each dear and on its
    own, are handed out one by one; xdist starts them last, so that all workers end at the same time.
    """
    for item in items:
        group, slow_room = _room(item.path)
        if item.get_closest_marker("xdist_group") is None and (not slow_room or _shares(item)):
            item.add_marker(pytest.mark.xdist_group(group))
        if slow_room or is_hypothesis_test(getattr(item, "obj", None)):
            item.add_marker(pytest.mark.slow)
    if getattr(config.option, "loadgroup", False):
        for item in items:
            _name_group(item)


@cache
def _room(path: Path) -> tuple[str, bool]:
    """The group of a file's tests, and whether it stands in a slow folder."""
    return path.relative_to(TESTS).as_posix(), not SLOW_ROOMS.isdisjoint(path.parents)


def _name_group(item: pytest.Item) -> None:
    """Write the group behind the test's name, by which xdist keeps it together.

    xdist 3.8 writes it into `_nodeid`, which pytest reads no more since 9.2: without this there would be no groups.
    """
    groups = sorted({str(mark.args[0]) for mark in item.iter_markers("xdist_group")})
    if groups and not hasattr(item, "_nodeid"):
        item._id = type(item._id).parse(f"{item.nodeid}@{'_'.join(groups)}")


def _shares(item: pytest.Item) -> bool:
    """The test uses what is made once for its file: two workers would make it twice."""
    if not isinstance(item, pytest.Function):
        return False
    made = item._fixtureinfo.name2fixturedefs.values()
    return any(definitions[-1].scope == "module" for definitions in made)


def pytest_collection_finish() -> None:
    """Take what was collected out of the garbage collector's sight, and let it look more seldom: it slows every test."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


def _cpu() -> float:
    """Seconds of CPU of this process and of those that it started and waited for."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Note what was spent before the test and its fixtures."""
    item.stash[SPENT] = _cpu()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Tell what the test spent with its fixtures, which of xdist's workers only the report carries out."""
    report = yield
    if report.when == "teardown":
        report.user_properties.append((SECONDS, _cpu() - item.stash[SPENT]))
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """List what `--over` asks for, the slowest first."""
    bound = config.getoption("over")
    if bound is None:
        return
    spent = {
        report.nodeid: dict(report.user_properties).get(SECONDS, 0.0)
        for report in terminalreporter.stats.get("", ())
        if not SLOW.intersection(report.keywords)
    }
    terminalreporter.section(f"not marked slow, and over {bound:g} s of CPU")
    for name, seconds in sorted(spent.items(), key=lambda test: -test[1]):
        if seconds > bound:
            terminalreporter.write_line(f"{seconds:6.2f} s  {name}")
