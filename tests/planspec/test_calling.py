"""How commands are called: names, help, options that all of them share."""

from __future__ import annotations

from typing import Any

import pytest
from typer.main import get_command

from planspec.cli import COMMANDS, FORMER, GROUPS, TIMED, app
from tests.planspec.test_command_line import run


def options(command: str) -> dict[str, Any]:
    """The options of a command, by each of their names."""
    group: Any = get_command(app)
    made = group.get_command(None, command)
    return {name: param for param in made.params for name in param.opts}


def test_a_limit_of_time_is_called_timeout_and_a_limit_counts() -> None:
    kinds = {
        name: {option: found[option].type.name for option in ("--timeout", "--limit") if option in found}
        for name in COMMANDS
        for found in (options(name),)
    }
    told = {name: kind for name, kind in kinds.items() if kind}
    assert told.pop("run") == {"--timeout": "float range", "--limit": "int range"}
    assert set(told) == set(TIMED)
    assert all(kind == {"--timeout": "float range"} for kind in told.values())


@pytest.mark.parametrize("command", FORMER)
def test_former_names_lead_to_options_and_hide_none(command: str) -> None:
    found = options(command)
    for former, now in FORMER[command].items():
        assert former not in found
        assert now in found


@pytest.mark.parametrize("words", [("--limit", "5"), ("--limit=5",)])
def test_a_former_name_is_understood_with_a_note(
    words: tuple[str, ...], monkeypatch: Any, capsys: Any
) -> None:
    code, _, err = run(monkeypatch, capsys, "solve", "no-such-task-at-all", *words)
    assert code == 2
    assert err.startswith("note: `--limit` is now `--timeout`\n")
    assert "there is no task" in err


def test_what_stands_behind_two_dashes_is_no_option(monkeypatch: Any, capsys: Any) -> None:
    _, _, err = run(monkeypatch, capsys, "solve", "--", "--limit")
    assert "is now" not in err


def test_a_mistyped_command_is_met_with_the_nearest(monkeypatch: Any, capsys: Any) -> None:
    code, _, err = run(monkeypatch, capsys, "chek", "x")
    assert code == 2
    assert "there is no command `chek`; did you mean `check`?" in err


@pytest.mark.parametrize(
    "words", [("-h",), ("check", "-h"), ("tasks", "list", "-h"), ("import", "veritrip", "-h")]
)
def test_h_is_help(words: tuple[str, ...], monkeypatch: Any, capsys: Any) -> None:
    code, out, _ = run(monkeypatch, capsys, *words)
    assert code == 0
    assert out.startswith("Usage: ")


def test_help_has_every_command_once_in_its_group(monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = run(monkeypatch, capsys, "--help")
    lines = out.splitlines()
    for title, names in GROUPS.items():
        assert f"{title}:" in lines
        for name in names:
            assert sum(line.startswith(f"  {name} ") for line in lines) == 1
