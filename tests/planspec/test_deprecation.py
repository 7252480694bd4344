"""Names of the previous release still work, and warn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec import agents, environments, errors, parallel, report, runs, scaffold
from planspec.agents import models, prompts, tools
from planspec.deprecation import former_parameters
from planspec.report import ReportOptions
from planspec.runs import RunFolder


@pytest.mark.parametrize(
    "module",
    [planspec, agents, environments, models, parallel, prompts, report, runs, scaffold, tools],
)
def test_a_former_name_refers_to_the_present_object_and_warns(module: object) -> None:
    renamed: dict[str, str] = getattr(module, "_FORMER_NAMES")  # noqa: B009
    assert renamed
    for former, present in renamed.items():
        with pytest.warns(DeprecationWarning, match=present):
            assert getattr(module, former) is getattr(module, present)


def test_former_names_of_errors_warn() -> None:
    for former, present in errors.FORMER_NAMES.items():
        for module in (errors, planspec):
            with pytest.warns(DeprecationWarning, match=present):
                assert getattr(module, former) is getattr(errors, present)


def test_an_unknown_attribute_is_still_an_error() -> None:
    with pytest.raises(AttributeError, match="no attribute `NotAnError`"):
        getattr(planspec, "NotAnError")  # noqa: B009 the stub has no such name


def test_a_former_parameter_is_passed_on_and_warns() -> None:
    @former_parameters(told="on_progress")
    def search(on_progress: str = "nothing") -> str:
        return on_progress

    former: Any = search
    with pytest.warns(DeprecationWarning, match="`told` of search.. is now `on_progress`"):
        assert former(told="a line") == "a line"
    with pytest.raises(TypeError, match="both"):
        former(on_progress="a", told="b")
    assert search() == "nothing"


def test_former_names_of_the_callbacks_of_check_warn() -> None:
    former: Any = planspec.check
    with pytest.warns(DeprecationWarning, match="`noted` of check.. is now `on_note`"):
        assert former([], noted=print) == ()


def test_a_former_field_is_read_and_set_under_the_present_name() -> None:
    former: Any = ReportOptions

    def on_progress(*_: int) -> None:
        raise AssertionError

    with pytest.warns(DeprecationWarning, match="`heard` of .* is now `on_progress`"):
        options = former(heard=on_progress)
    assert options.on_progress is on_progress
    with pytest.warns(DeprecationWarning, match="`ReportOptions.heard` is now `ReportOptions.on_progress`"):
        assert options.heard is on_progress


def test_a_former_method_calls_the_present_one(tmp_path: Path) -> None:
    folder: Any = RunFolder(tmp_path)
    with pytest.warns(DeprecationWarning, match="`RunFolder.run` is now `RunFolder.read_header`"):
        assert folder.run == folder.read_header
