"""Colours in the output, and lines that fit the terminal."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from planspec.cli import COMMANDS, app
from planspec.commands.terminal import Color, apply_color, fit_line, is_colored
from planspec.dsl.workspace.workspace import Workspace
from planspec.verifiers.meaning.verdict import shown_file_name
from tests.planspec.commands.test_command_line import TINY, folder, run

__all__ = ["folder"]

VARIABLES = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "TERM")


class Stream(io.StringIO):
    """A stream that is or is not a terminal."""

    def __init__(self, is_terminal: bool) -> None:
        super().__init__()
        self._tty = is_terminal

    def isatty(self) -> bool:
        return self._tty


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the environment variables about colours during the test."""
    for name in VARIABLES:
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


@pytest.mark.parametrize(
    ("variables", "terminal_", "pipe"),
    [
        ({}, True, False),
        ({"NO_COLOR": "1"}, False, False),
        ({"NO_COLOR": ""}, True, False),
        ({"TERM": "dumb"}, False, False),
        ({"TERM": "xterm"}, True, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"FORCE_COLOR": "0"}, True, False),
        ({"CLICOLOR_FORCE": "1"}, True, True),
        ({"CLICOLOR_FORCE": "1", "TERM": "dumb"}, True, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
    ],
)
def test_the_environment_decides_on_colours(
    variables: dict[str, str], terminal_: bool, pipe: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert (is_colored(Stream(True)), is_colored(Stream(False))) == (terminal_, pipe)


def test_the_option_overrides_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    apply_color(Color.always)
    assert is_colored(Stream(False))
    apply_color(Color.never)
    assert not is_colored(Stream(True))
    apply_color(Color.auto)
    assert (is_colored(Stream(True)), is_colored(Stream(False))) == (True, False)
    assert not {"NO_COLOR", "FORCE_COLOR"} & set(os.environ)


@pytest.mark.parametrize(
    "words",
    [
        ("--color", "always", "check", "wrong.task.yaml"),
        ("check", "wrong.task.yaml", "--color", "always"),
        ("solve", "wrong.task.yaml", "--color=always"),
        ("verify", "good.json", "--color=always"),
    ],
)
def test_every_kind_of_output_is_coloured_or_plain(
    words: tuple[str, ...], folder: Path, monkeypatch: Any, capsys: Any
) -> None:
    (folder / "wrong.task.yaml").write_text(
        TINY.replace("id: tiny", "id: wrong").replace("calls[anna].end <=", "calls[ana].end <=")
    )
    _, out, err = run(monkeypatch, capsys, *words)
    assert "\x1b[" in out + err
    _, out, err = run(monkeypatch, capsys, *(word.replace("always", "never") for word in words))
    assert "\x1b[" not in out + err


def test_every_command_takes_color() -> None:
    group: Any = get_command(app)
    for name in COMMANDS:
        command_ = group.get_command(None, name)
        for command in (command_, *getattr(command_, "commands", {}).values()):
            assert "color" in [param.name for param in command.params]


def test_lines_fit_a_terminal_and_are_not_broken_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    monkeypatch.setenv("NO_COLOR", "1")
    message = "the tickets cost 368.30 EUR, which is more than the 300.00 EUR that are left"
    whole = f"  x hard  purse {message}  trip.task.yaml:7"
    assert fit_line("  x hard  purse", message, "trip.task.yaml:7") == whole
    monkeypatch.setattr(sys, "stdout", Stream(True))
    lines = fit_line("  x hard  purse", message, "trip.task.yaml:7").split("\n")
    assert lines[0] == "  x hard  purse"
    assert max(map(len, lines)) <= 50
    assert " ".join(line.strip() for line in lines[1:]).split() == f"{message} trip.task.yaml:7".split()
    assert fit_line("  x hard  purse", "too much", "t:7") == "  x hard  purse too much  t:7"


def test_shipped_documents_are_named_by_their_file_name_without_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shipped = Workspace().shipped / "libraries" / "worldtravel.library.yaml"
    assert shown_file_name(str(shipped)) == "worldtravel.library.yaml"
    assert shown_file_name(str(tmp_path / "own.library.yaml")) == str(tmp_path / "own.library.yaml")
    assert shown_file_name("own.library.yaml") == "own.library.yaml"
