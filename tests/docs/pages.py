"""Markdown pages whose examples run: files are written, commands executed, outputs compared.

A fenced block with a file's name behind its language (`yaml museum.task.yaml`) is that file. A `console` block holds
commands behind `$ ` and what each prints; a line `...` stands for any lines. A `console one` block is a single command whose
output may have such lines itself. Times are not compared, nor how many steps a proof has: that is the prover's affair.
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
    (re.compile(r"\b\d+\.\d\d s\b"), "0.00 s"), (re.compile(r'("seconds": )[\d.e-]+'), r"\g<1>0"),
    (re.compile(r"\b[\d,]+ steps\b"), "0 steps"),
)  # fmt: skip
ELLIPSIS = "..."
OUTPUT = 120
"""Columns of the terminal in which commands run."""
TERMINAL = {"COLUMNS": str(OUTPUT), "NO_COLOR": "1", "TERM": "dumb"}
UNSET = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "FORCE_COLOR")
CALL = re.compile(r"(?:planspec|python \S+\.py) [^|&;<>$`*?#\\~]*")
"""A call of planspec, or of a script with arguments, in which the shell has nothing to do but to split it into words."""


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, what stands behind that, its text, and its content's lines in the page."""

    language: str
    rest: str
    text: str
    start: int
    end: int

    @property
    def file(self) -> str | None:
        """The name of the file that the block is, if it is one."""
        return self.rest if "." in self.rest and " " not in self.rest else None


@dataclass(frozen=True, slots=True)
class Exchange:
    """A command of a console block and what the page says it prints."""

    command: str
    printed: str


def blocks(page: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
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
    """The commands of a console block."""
    most = 1 if block.rest == "one" else 0
    for part in re.split(r"^\$ ", block.text, maxsplit=most, flags=re.MULTILINE)[1:]:
        command, _, printed = part.partition("\n")
        yield Exchange(command, printed.rstrip("\n"))


def same(told: str, printed: str) -> bool:
    """The page tells what was printed, but for times, spaces at line ends, and what `...` stands for."""
    parts = re.split(r"^\.\.\.$", _plain(told), flags=re.MULTILINE)
    pattern = r"(?:.*\n)*?".join(re.escape(part.lstrip("\n") if i else part) for i, part in enumerate(parts))
    return (
        re.fullmatch(pattern + r"(?:.*\n?)*" if told.endswith(ELLIPSIS) else pattern, _plain(printed))
        is not None
    )


def _plain(text: str) -> str:
    for pattern, replacement in TIMES:
        text = pattern.sub(replacement, text)
    return "\n".join(line.rstrip() for line in text.rstrip("\n").split("\n"))


class Shell:
    """Runs the commands of one page, one after another, in a folder where the page's files lie.

    Args:
        folder: an empty folder; `tasks` and `docs` of the checkout are seen in it.
        starting: every command starts its process; else calls of planspec and of scripts that need no shell run in this
            one, which saves each of them the second in which the solvers load.
    """

    def __init__(self, folder: Path, *, starting: bool) -> None:
        self._folder = folder
        self._starting = starting
        self._last = 0
        for name in ("tasks", "docs"):
            (folder / name).symlink_to(ROOT / name)

    def write(self, name: str, text: str) -> None:
        """Put a file of the page in its place."""
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")

    def run(self, command: str) -> str:
        """What a command prints on both streams, as a terminal shows them."""
        if command == "echo $?":
            return str(self._last)
        if not self._starting and CALL.fullmatch(command):
            return self._call(shlex.split(command))
        folder = self._folder
        if command == "make demo":  # in the checkout, with what is installed here, whatever `.venv` holds
            folder = ROOT
            command = f"make --no-print-directory -o .venv/.installed BIN={BIN} demo"
        env = {
            **os.environ,
            "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}",
            "PYTHONUNBUFFERED": "1",
            **TERMINAL,
        }
        for name in UNSET:
            env.pop(name, None)
        done = subprocess.run(
            [shutil.which("sh") or "/bin/sh", "-c", command],
            cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=300,
        )  # fmt: skip
        self._last = done.returncode
        return done.stdout.decode("utf-8").rstrip("\n")

    def _call(self, words: list[str]) -> str:
        """What a call of planspec or of a script prints on both streams, in this process."""
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
            except SystemExit as left:
                self._last = left.code if isinstance(left.code, int) else 0
            else:
                self._last = 0
        return printed.buffer.getvalue().decode("utf-8").rstrip("\n")


@dataclass(frozen=True, slots=True)
class Difference:
    """An output that the page tells otherwise."""

    command: str
    told: str
    printed: str

    def __str__(self) -> str:
        return f"$ {self.command}\n--- the page\n{self.told}\n--- printed\n{self.printed}"


def run_page(page: str, folder: Path, *, starting: bool = True) -> tuple[list[Difference], str]:
    """Run everything on a page.

    Args:
        page: its text.
        folder: an empty folder to run in.
        starting: every command starts its process; else `Shell` says which do.

    Returns:
        The outputs that differ, and the page with what is printed in their place.
    """
    shell = Shell(folder, starting=starting)
    lines = page.split("\n")
    wrong: list[Difference] = []
    changed: list[tuple[Block, str]] = []
    for block in blocks(page):
        if block.file is not None:
            shell.write(block.file, block.text)
        elif block.language == "console":
            made = []
            for exchange in exchanges(block):
                printed = shell.run(exchange.command)
                kept = exchange.printed
                if not same(exchange.printed, printed):
                    wrong.append(Difference(exchange.command, exchange.printed, printed))
                    kept = "\n".join(line.rstrip() for line in printed.split("\n"))
                made.append(f"$ {exchange.command}" + (f"\n{kept}" if kept else ""))
            changed.append((block, "\n".join(made)))
    for block, text in reversed(changed):
        lines[block.start : block.end] = text.split("\n")
    return wrong, "\n".join(lines)
