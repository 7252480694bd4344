"""`fmt`: formats documents."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import unified_diff
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planspec.commands.check import DEFAULT_STDIN_NAME, STDIN, StdinName, read_stdin_document
from planspec.commands.completion import complete_documents
from planspec.commands.console import CommandLineError, Exit, leave, note, show_diagnostics
from planspec.commands.terminal import is_colored, style_text
from planspec.files import replace_bytes

if TYPE_CHECKING:
    from planspec.dsl.workspace.shards import Shard


@dataclass(frozen=True, slots=True)
class FormattedFile:
    """A file's name in messages, with its text before and after formatting."""

    name: str
    before: str
    after: str


def fmt(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Files, folders, or `-`; if left out, the current folder.",
            metavar="[PATH...]",
            autocompletion=complete_documents,
        ),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Change nothing; exit 1 if a file would change.")] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Change nothing; show the changes, and exit 1 if there are any.")
    ] = False,
    stdin_filename: StdinName = DEFAULT_STDIN_NAME,
) -> None:
    """Format documents, keeping comments.

    Formats standard input (`-`) to standard output.
    """
    from planspec.dsl.workspace.shards import shard_bytes

    named = paths or [Path()]
    if STDIN in named and len(named) > 1:
        raise CommandLineError("`-` cannot be combined with files: the formatted text goes to standard output")
    for path in named:
        if path != STDIN and not path.exists():
            raise CommandLineError(f"there is no file or folder `{path}`")
    dry = check or diff
    count = changed = wrong = 0
    files = [STDIN] if named == [STDIN] else sorted(_files_in(named))
    for path in files:
        count += 1
        result = _format(path, stdin_filename)
        if result is None:
            wrong += 1
            continue
        differs = result.after != result.before
        changed += differs
        if differs and diff:
            sys.stdout.writelines(_color_diff(unified_diff(*_lines_before_and_after(result), result.name, result.name)))
        if path == STDIN and not dry:
            if isinstance(sys.stdout, TextIOWrapper):
                sys.stdout.reconfigure(encoding="utf-8")  # documents are UTF-8, whatever the terminal uses
            sys.stdout.write(result.after)
        elif differs and not dry:
            replace_bytes(path, shard_bytes(path, result.after))
        if differs and not diff and path != STDIN:
            note(f"{'would change' if dry else 'formatted'} {result.name}")
    if not files:
        note(f"warning: there is no document in {', '.join(f'`{path}`' for path in named)}")
    elif path != STDIN:
        note(_summary(changed, count - changed - wrong, wrong, dry=dry))
    leave(Exit.WRONG_INPUT if wrong else Exit.FAILS if changed and dry else Exit.HOLDS)


def _format(path: Path, stdin_name: Path) -> FormattedFile | None:
    """Return a file with its formatted text. If it has errors, print them and return None."""
    from planspec.dsl.diagnostics.diagnostic import DiagnosticError, Report
    from planspec.dsl.resources.paths import shown_path
    from planspec.dsl.workspace.shards import Shard, documents_by_name, is_shard, read_shard
    from planspec.dsl.yaml.source_files import read_source

    report = Report()
    file = stdin_name if path == STDIN else path
    name, data = shown_path(file), b""
    shard: Shard | None = None
    try:
        if path == STDIN:
            data = read_stdin_document(stdin_name).encode("utf-8")
        elif is_shard(file):
            shard = read_shard(path, name, report)
        elif read_source(path, name, report=report) is not None:
            data = path.read_bytes()
        report.stop_if_failed()
        if is_shard(file):
            return _format_shard(shard or Shard(file, data, documents_by_name(data)), name)
        before = data.decode("utf-8")
        return FormattedFile(name, before, _canonical_text(before, name))
    except DiagnosticError as error:
        show_diagnostics(error.diagnostics)
        return None


def _files_in(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the documents in files and folders, and files with the common part of a table's tasks.

    JSON Lines files are skipped.
    """
    from planspec.api.catalog import documents_in
    from planspec.dsl.workspace.shards import BASE, JSON_ENDINGS
    from planspec.dsl.workspace.workspace import files_below

    yield from (path for path in documents_in(paths) if not path.name.endswith(JSON_ENDINGS))
    for folder in filter(Path.is_dir, paths):
        yield from files_below(folder, [f"*{BASE}"])


def _format_shard(shard: Shard, name: str) -> FormattedFile:
    """Format the tasks in a YAML file with several tasks (a shard). The text between them is unchanged.

    Raises:
        DiagnosticError: a task cannot be read, or is not a planspec document.
    """
    from planspec.dsl.diagnostics.diagnostic import Report

    parts, at = [], 0
    for task, entry in shard.entries.items():
        report = Report()
        source = shard.source(task, name, report)
        report.stop_if_failed()
        assert source is not None
        between = shard.data[at : entry.start].decode("utf-8", "replace")
        parts += [
            between.removeprefix("\ufeff").replace("\r\n", "\n"),
            _canonical_text(source.text, name, entry.line),
        ]
        at = entry.end
    return FormattedFile(name, shard.data.decode("utf-8", "replace"), "".join(parts))


def _canonical_text(text: str, name: str, first_line: int = 1) -> str:
    """Return the text of a document in the standard format.

    Raises:
        DiagnosticError: the text cannot be read, or is not a planspec document.
    """
    from planspec.dsl.editing.formatter import format_text
    from planspec.dsl.structure.document import kind_of

    return format_text(text, name, first_line=first_line, check=kind_of)


def _lines_before_and_after(result: FormattedFile) -> tuple[list[str], list[str]]:
    return result.before.splitlines(keepends=True), result.after.splitlines(keepends=True)


def _color_diff(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a unified diff in colour, each with a line end."""
    tones = {"+": "green", "-": "red", "@": "cyan"}
    for line in lines:
        whole = line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"
        tone = tones.get(line[0])
        yield style_text(whole, fg=tone) if tone and is_colored(sys.stdout) else whole


def _summary(changed: int, unchanged: int, wrong: int, *, dry: bool) -> str:
    """Return a summary such as `2 files would change, 10 are formatted already`."""
    parts = []
    if changed:
        files = f"{changed} file{'s' * (changed != 1)}"
        parts.append(f"{files} would change" if dry else f"{files} formatted")
    if unchanged:
        files = "" if parts else f" file{'s' * (unchanged != 1)}"
        parts.append(f"{unchanged}{files} {'is' if unchanged == 1 else 'are'} formatted already")
    if wrong:
        parts.append(f"{wrong} with mistakes")
    return ", ".join(parts)
