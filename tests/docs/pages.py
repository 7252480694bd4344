"""Runner of the examples on Markdown pages: it writes files, executes commands and compares outputs.

A fenced block with a file name after its language (`yaml museum.task.yaml`) is the contents of that file. A
`console` block has commands after `$ `, each followed by its output, in which a line `...` stands for any
lines. A `console one` block is a single command whose output may contain lines that begin with `$ `. Times are not
compared. Numbers of steps of proofs are not compared either, since they depend on the prover.
"""

from __future__ import annotations

import io
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from planspec.cli import command_line
from tests.paths import ROOT

BIN = Path(sys.executable).parent
FENCE = re.compile(r"^```(\w[\w+-]*)?(.*)$")
TIMES = (
    (re.compile(r"\b\d+\.\d\d s\b"), "0.00 s"),
    (re.compile(r'("seconds": )[\d.e-]+'), r"\g<1>0"),
    (re.compile(r"\b[\d,]+ steps\b"), "0 steps"),
)
ELLIPSIS = "..."
COLUMNS = 120
"""Width of the terminal in which commands run, in columns."""
TERMINAL = {"COLUMNS": str(COLUMNS), "NO_COLOR": "1", "TERM": "dumb"}
DEMO = f"make --no-print-directory -o .venv/.solve BIN={BIN} demo"
"""Command `make demo`, run in the checkout with the packages of this environment and without installing anything."""
UNSET = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "FORCE_COLOR")
CALL = re.compile(r"(?:planspec|python \S+\.py) [^|&;<>$`*?#\\~]*")
"""Pattern of a command that calls planspec or a Python script and for which no shell is needed."""


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block.

    Attributes:
        language: language of the block, or empty.
        rest: text after the language on the first line.
        text: contents of the block.
        start: index in the page of the first line of the contents, from 0.
        end: index of the line after the contents.
    """

    language: str
    rest: str
    text: str
    start: int
    end: int

    @property
    def file(self) -> str | None:
        """Name of the file whose contents the block is, or None."""
        return self.rest if "." in self.rest and " " not in self.rest else None


@dataclass(frozen=True, slots=True)
class Exchange:
    """A command in a console block, and its output on the page."""

    command: str
    printed: str


def blocks(page: str) -> Iterator[Block]:
    """Yield the fenced blocks of a page, in order."""
    lines = page.split("\n")
    number = 0
    while number < len(lines):
        opening = FENCE.match(lines[number])
        if opening is None:
            number += 1
            continue
        end = lines.index("```", number + 1)
        text = "\n".join(lines[number + 1 : end])
        yield Block(opening[1] or "", opening[2].strip(), text, number + 1, end)
        number = end + 1


def exchanges(block: Block) -> Iterator[Exchange]:
    """Yield the commands of a console block with their outputs."""
    most = 1 if block.rest == "one" else 0
    for part in re.split(r"^\$ ", block.text, maxsplit=most, flags=re.MULTILINE)[1:]:
        command, _, printed = part.partition("\n")
        yield Exchange(command, printed.rstrip("\n"))


def outputs_match(expected: str, printed: str) -> bool:
    """Return whether an output matches that on a page.

    Times, spaces at line ends, and lines at `...` are ignored.
    """
    parts = re.split(r"^\.\.\.$", _normalize(expected), flags=re.MULTILINE)
    pattern = r"(?:.*\n)*?".join(re.escape(part.lstrip("\n") if i else part) for i, part in enumerate(parts))
    return (
        re.fullmatch(pattern + r"(?:.*\n?)*" if expected.endswith(ELLIPSIS) else pattern, _normalize(printed))
        is not None
    )


def _normalize(text: str) -> str:
    for pattern, replacement in TIMES:
        text = pattern.sub(replacement, text)
    return "\n".join(line.rstrip() for line in text.rstrip("\n").split("\n"))


class Shell:
    """A shell for the commands of one page, in a folder with the page's files.

    Args:
        folder: an empty folder. It gets links to `tasks` and `docs` of the checkout.
        starts_processes: whether every command starts a process. Otherwise commands that need no shell run in
            this process, which saves the second that loading the solvers takes.
    """

    def __init__(self, folder: Path, *, starts_processes: bool) -> None:
        self._folder = folder
        self._starts_processes = starts_processes
        self._last = 0
        for name in ("tasks", "docs"):
            (folder / name).symlink_to(ROOT / name)

    def write(self, name: str, text: str) -> None:
        """Write a file of the page."""
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")

    def run(self, command: str) -> str:
        """Run a command, and return what a terminal shows: the output on both streams."""
        if command == "echo $?":
            return str(self._last)
        if not self._starts_processes and CALL.fullmatch(command):
            return self._run_in_process(shlex.split(command))
        folder = self._folder
        if command == "make demo":
            folder, command = ROOT, DEMO
        env = {
            **os.environ,
            "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}",
            "PYTHONUNBUFFERED": "1",
            **TERMINAL,
        }
        for name in UNSET:
            env.pop(name, None)
        process = subprocess.run(
            [shutil.which("sh") or "/bin/sh", "-c", command],
            cwd=folder,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=300,
        )
        self._last = process.returncode
        return process.stdout.decode("utf-8").rstrip("\n")

    def _run_in_process(self, words: list[str]) -> str:
        """Run planspec or a script in this process, and return its output on both streams."""
        printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self._folder)
            patch.setattr(sys, "argv", words if words[0] == "planspec" else words[1:])
            patch.setattr(sys, "stdout", printed)
            patch.setattr(sys, "stderr", printed)
            for name, value in TERMINAL.items():
                patch.setenv(name, value)
            for name in UNSET:
                patch.delenv(name, raising=False)
            try:
                if words[0] == "planspec":
                    command_line()
                else:
                    runpy.run_path(words[1], run_name="__main__")
            except SystemExit as stop:
                self._last = stop.code if isinstance(stop.code, int) else 0
            else:
                self._last = 0
        return printed.buffer.getvalue().decode("utf-8").rstrip("\n")


@dataclass(frozen=True, slots=True)
class Difference:
    """An output that differs from the page."""

    command: str
    expected: str
    printed: str

    def __str__(self) -> str:
        return f"$ {self.command}\n--- the page\n{self.expected}\n--- printed\n{self.printed}"


def run_page(page: str, folder: Path, *, starts_processes: bool = True) -> tuple[list[Difference], str]:
    """Run everything on a page.

    Args:
        page: text of the page.
        folder: an empty folder to run in.
        starts_processes: whether every command starts a process; see `Shell`.

    Returns:
        The outputs that differ, and the page's text with the printed outputs instead.
    """
    shell = Shell(folder, starts_processes=starts_processes)
    lines = page.split("\n")
    differences: list[Difference] = []
    replacements: list[tuple[Block, str]] = []
    for block in blocks(page):
        if block.file is not None:
            shell.write(block.file, block.text)
        elif block.language == "console":
            parts = []
            for exchange in exchanges(block):
                printed = shell.run(exchange.command)
                shown = exchange.printed
                if not outputs_match(exchange.printed, printed):
                    differences.append(Difference(exchange.command, exchange.printed, printed))
                    shown = "\n".join(line.rstrip() for line in printed.split("\n"))
                parts.append(f"$ {exchange.command}" + (f"\n{shown}" if shown else ""))
            replacements.append((block, "\n".join(parts)))
    for block, text in reversed(replacements):
        lines[block.start : block.end] = text.split("\n")
    return differences, "\n".join(lines)
