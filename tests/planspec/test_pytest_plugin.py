"""pytest collects the cases of tasks, and ignores all other files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from planspec.pytest_plugin import has_cases
from tests.planspec.api.cases.afternoon import AFTERNOON, text_with_cases

pytest_plugins = ["pytester"]

OPTIONS = (
    "-p",
    "no:planspec",
    "-p",
    "planspec.pytest_plugin",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:benchmark",
)
"""Options of pytest that load the plugin as a module, whether or not it is installed as an entry point."""


@pytest.fixture
def folder(pytester: pytest.Pytester) -> Path:
    """Write tasks with and without cases, and other files."""
    texts = {
        "good.task.yaml": text_with_cases("reference: {passes: true}", "again: {answer: reference, violates: [order]}"),
        "wrong.task.yaml": text_with_cases("reference: {violates: [ordr]}"),
        "bare.task.yaml": AFTERNOON,
        "broken.yaml": "planspec: task/1\nid: [\ncases:\n  a: {\n",
        "other.yaml": "a: b\ncases: c\n",
        "jinja.yaml": "{{ cases: }}\ncases:\n",
        "empty.yaml": "",
        "more.tasks.yaml": AFTERNOON.replace("id: afternoon", "id: one")
        + "---\n"
        + text_with_cases("reference: {passes: true}"),
    }
    for name, text in texts.items():
        (pytester.path / name).write_text(text)
    (pytester.path / "latin.yaml").write_bytes(b"\xff\xfe\x00planspec: task/1\ncases:\n")
    return pytester.path


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_each_case_is_a_test_and_other_files_are_not(pytester: pytest.Pytester) -> None:
    outcome = pytester.inline_run(*OPTIONS)
    passed, skipped, failed = outcome.listoutcomes()
    assert [report.nodeid for report in passed] == [
        "good.task.yaml::reference",
        "more.tasks.yaml::afternoon:reference",
    ]
    assert not skipped
    messages = {report.nodeid: str(report.longrepr) for report in failed}
    assert set(messages) == {"broken.yaml::document", "good.task.yaml::again", "wrong.task.yaml::reference"}
    assert messages["good.task.yaml::again"].startswith("hard order: expected violated, found satisfied (0min)")
    assert "error[PS605]: the task has no constraint `ordr`" in messages["wrong.task.yaml::reference"]
    assert "error[PS002]" in messages["broken.yaml::document"]


@pytest.mark.slow
def test_a_file_can_be_named_and_the_plugin_switched_off(folder: Path, pytester: pytest.Pytester) -> None:
    named = pytester.inline_run(*OPTIONS, f"{folder / 'good.task.yaml'}::reference")
    assert [len(outcomes) for outcomes in named.listoutcomes()] == [1, 0, 0]
    assert pytester.inline_run(*OPTIONS, "-o", "planspec_cases=false").ret == pytest.ExitCode.NO_TESTS_COLLECTED


@pytest.mark.usefixtures("folder")
def test_only_tasks_with_cases_are_read(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir() if has_cases(path)) == [
        "broken.yaml",
        "good.task.yaml",
        "more.tasks.yaml",
        "wrong.task.yaml",
    ]
    assert not has_cases(folder / "gone.yaml")


def test_the_plugin_loads_nothing_of_planspec() -> None:
    code = "import sys, planspec.pytest_plugin; print(sorted(m for m in sys.modules if m.startswith('planspec')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['planspec', 'planspec.pytest_plugin']\n"
