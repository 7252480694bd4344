"""Settings of all tests: profiles of Hypothesis, the cache of tasks, and marks of slow tests."""

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

from tests.random_examples import examples

# A run must give the same result on every machine, so the default draws the same examples each time and has no
# deadline. `make deep` searches for new failures.
settings.register_profile("steady", derandomize=True, deadline=None, print_blob=True, max_examples=examples(50))
settings.register_profile("deep", derandomize=False, deadline=None, print_blob=True, max_examples=2_000)
settings.load_profile("steady")

TESTS = Path(__file__).parent
SLOW_FOLDERS = frozenset(TESTS / name for name in ("audit", "differential", "docs", "mutation"))
"""Folders in which all tests are slow: they compare evaluators, attack judges, or run the documentation."""
SLOW = frozenset({"slow", "integration"})
SECONDS = "seconds of CPU"
CPU_BEFORE = pytest.StashKey[float]()
CACHE = pytest.StashKey[str]()
RARELY = 200_000, 50, 100
"""Thresholds of the garbage collector, which would otherwise take a tenth of the time."""


def pytest_configure(config: pytest.Config) -> None:
    """Create a folder in which this test run, its workers and the programs that they start cache checked tasks."""
    if not hasattr(config, "workerinput"):
        config.stash[CACHE] = os.environ["PLANSPEC_CACHE"] = tempfile.mkdtemp(prefix="planspec-tests-")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return the number of workers of `-n auto`: three for two cores, since some tests wait for programs."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + cores // 2


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the cache of checked tasks."""
    if CACHE in config.stash:
        shutil.rmtree(config.stash[CACHE], ignore_errors=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option `--over`."""
    parser.addoption(
        "--over", type=float, metavar="SECONDS", help="list tests that took more seconds of CPU and are not marked slow"
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip the slow folders if no slow test is requested: importing them takes seconds."""
    is_left_out = "not slow" in config.option.markexpr and collection_path in SLOW_FOLDERS
    return True if is_left_out else None


@pytest.hookimpl(tryfirst=True)  # must run before xdist reads the groups
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark slow kinds of tests, and group tests that should run on one worker.

    Of each n consecutive cases of a test marked `sampled(n)` one runs in `make test`; the others are marked `thorough`.
    It is the first of the first n, the second of the next n, and so on. If it were always the first, and n a multiple
    of the number of back ends, a test of all back ends would run with one of them.
    Tests with random examples and tests in the slow folders are slow. The tests of a file share its fixtures and
    imports, and form a group. Tests in the slow folders are expensive and independent, and are distributed one
    by one. xdist starts them last, so that all workers end at about the same time.
    """
    counts: dict[tuple[Path, str], int] = {}
    for item in items:
        sample = item.get_closest_marker("sampled")
        if sample is not None and isinstance(item, pytest.Function):
            place = item.path, item.originalname
            counts[place] = counts.get(place, -1) + 1
            block, number = divmod(counts[place], sample.args[0])
            if number != block % sample.args[0]:
                item.add_marker(pytest.mark.thorough)
        group, slow_room = _group_of(item.path)
        if item.get_closest_marker("xdist_group") is None and (not slow_room or _uses_module_fixture(item)):
            item.add_marker(pytest.mark.xdist_group(group))
        if slow_room or is_hypothesis_test(getattr(item, "obj", None)):
            item.add_marker(pytest.mark.slow)
    if getattr(config.option, "loadgroup", False):
        for item in items:
            _name_group(item)


@cache
def _group_of(path: Path) -> tuple[str, bool]:
    """Return the name of the group of a file's tests, and whether the file is in a slow folder."""
    return path.relative_to(TESTS).as_posix(), not SLOW_FOLDERS.isdisjoint(path.parents)


def _name_group(item: pytest.Item) -> None:
    """Append the group to the test's id, where xdist looks for it.

    xdist 3.8 writes it to `_nodeid`, which pytest has not read since 9.2. Without this function, xdist would
    find no groups.
    """
    groups = sorted({str(mark.args[0]) for mark in item.iter_markers("xdist_group")})
    if groups and not hasattr(item, "_nodeid"):
        item._id = type(item._id).parse(f"{item.nodeid}@{'_'.join(groups)}")


def _uses_module_fixture(item: pytest.Item) -> bool:
    """Return whether a test uses a fixture of module scope, which two workers would set up twice."""
    if not isinstance(item, pytest.Function):
        return False
    fixtures = item._fixtureinfo.name2fixturedefs.values()
    return any(definitions[-1].scope == "module" for definitions in fixtures)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect tests without the garbage collector, which would search the growing tree of tests again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Freeze the collected objects, and run the garbage collector less often, since it slows every test."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*RARELY)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Restore the thresholds of the garbage collector, which commands under test change."""
    gc.set_threshold(*RARELY)


def _cpu_seconds() -> float:
    """Return the CPU seconds of this process and of the child processes that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Record the CPU time before the test and its fixtures."""
    item.stash[CPU_BEFORE] = _cpu_seconds()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the CPU time of the test and its fixtures to the report, which xdist sends to the main process."""
    report = yield
    if report.when == "teardown":
        report.user_properties.append((SECONDS, _cpu_seconds() - item.stash[CPU_BEFORE]))
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """List the tests that took more CPU time than `--over`, slowest first."""
    bound = config.getoption("over")
    if bound is None:
        return
    seconds_by_test = {
        report.nodeid: dict(report.user_properties).get(SECONDS, 0.0)
        for report in terminalreporter.stats.get("", ())
        if not SLOW.intersection(report.keywords)
    }
    terminalreporter.section(f"not marked slow, and over {bound:g} s of CPU")
    for name, seconds in sorted(seconds_by_test.items(), key=lambda test: -test[1]):
        if seconds > bound:
            terminalreporter.write_line(f"{seconds:6.2f} s  {name}")
