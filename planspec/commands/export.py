"""`planspec export`: suites and runs for other programs."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn, TypeAlias

import typer

from planspec.commands.completion import complete_suites
from planspec.commands.console import (
    CommandLineError,
    Exit,
    Format,
    command_group,
    leave,
    note,
    print_json,
    reject_nan,
)

MOST_NAMES = 5
"""Maximum number of tasks named in a note."""

if TYPE_CHECKING:
    from planspec.api.outputs.runs import DatasetOutput, HarborOutput, OrsOutput
    from planspec.exports.bundle import ExportResult

export = command_group("Write suites and runs for other programs.")


SuiteOrTask: TypeAlias = Annotated[
    str,
    typer.Argument(
        help="A suite or task, by file, folder or id.",
        metavar="SUITE",
        show_default=False,
        autocompletion=complete_suites,
    ),
]
NewFolder: TypeAlias = Annotated[Path, typer.Option("--out", help="The new folder.", metavar="DIR")]
SettingName: TypeAlias = Annotated[
    str | None,
    typer.Option(help="The setting in which agents solve the tasks; if left out, the first.", show_default=False),
]
AnswerTimeout: TypeAlias = Annotated[
    float,
    typer.Option(
        help="Time limit in seconds for finding the right answer of a task without a reference.",
        min=0.001,
        callback=reject_nan,
    ),
]
PrintFormat: TypeAlias = Annotated[Format, typer.Option(help="How to print.")]


class RunTableName(StrEnum):
    """Table of a run."""

    attempts = "attempts"
    findings = "findings"
    calls = "calls"
    messages = "messages"
    generations = "generations"
    conversations = "conversations"


@export.command("rows")
def export_rows(
    source: Annotated[
        str,
        typer.Argument(
            help="A suite, by file, folder or id; or the folder of a run.",
            metavar="SUITE|RUN",
            show_default=False,
            autocompletion=complete_suites,
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", help="The file: Parquet if it ends with .parquet, otherwise JSON lines.", metavar="FILE"
        ),
    ],
    setting: Annotated[
        str | None,
        typer.Option(
            help="For a suite: the setting in which agents solve its tasks; if left out, the first.", show_default=False
        ),
    ] = None,
    table: Annotated[
        RunTableName | None, typer.Option(help="For a run: the table; if left out, attempts.", show_default=False)
    ] = None,
    failed: Annotated[
        bool, typer.Option("--failed", help="For conversations: include attempts that do not pass.")
    ] = False,
    format: PrintFormat = Format.text,
) -> None:
    """Write a suite or a run as rows.

    A suite's rows are its tasks as agents see them: messages, tools, the schema of answers, labels, hash. A run's rows
    are its attempts, findings, calls, messages, generations (each reply of a model with its input, for training), or
    conversations (chat messages with tool calls, for fine-tuning).
    """
    from planspec.api.outputs.runs import RowsOutput
    from planspec.exports.conversations import ConversationRow, conversation_rows
    from planspec.exports.row_files import write_rows
    from planspec.exports.rows import RUN_TABLES, TaskRow, run_rows, task_rows

    if (Path(source) / "run.json").is_file():
        if setting is not None:
            raise CommandLineError("--setting is for suites; a run has its own")
        name = (table or RunTableName.attempts).value
        if failed and table is not RunTableName.conversations:
            raise CommandLineError("--failed is for the table conversations; the others have every attempt")
        if table is RunTableName.conversations:
            count = write_rows(conversation_rows(source, failed=failed), ConversationRow, out)
        else:
            count = write_rows(run_rows(source, name), RUN_TABLES[name].row, out)
    else:
        if table is not None:
            raise CommandLineError(f"--table is for runs, and `{source}` is not the folder of a run")
        if failed:
            raise CommandLineError(f"--failed is for runs, and `{source}` is not the folder of a run")
        name, count = "tasks", write_rows(task_rows(source, setting), TaskRow, out)
    if format is Format.json:
        print_json(RowsOutput.model_validate({"file": str(out), "table": name, "rows": count}))
    else:
        sys.stdout.write(f"{count} rows of {name} in {out}\n")
    leave(Exit.HOLDS)


@export.command("dataset")
def export_dataset(
    suite: SuiteOrTask,
    out: NewFolder,
    setting: SettingName = None,
    license: Annotated[
        str | None,
        typer.Option(help="The SPDX identifier of the tasks' licence, such as CC-BY-4.0.", show_default=False),
    ] = None,
    format: PrintFormat = Format.text,
) -> None:
    """Write a suite as a data set for a hub.

    The folder has the rows of the tasks, a card, and Croissant metadata. It has no answers.
    """
    from planspec.api.outputs.runs import DatasetOutput
    from planspec.exports.datasets import export_dataset as write_export

    result = write_export(suite, out, setting=setting, license=license)
    _print_tasks(result, DatasetOutput, format)


@export.command("harbor")
def export_harbor(
    suite: SuiteOrTask,
    out: NewFolder,
    setting: SettingName = None,
    image: Annotated[str, typer.Option(help="The image of all containers: one with Python.")] = "python:3.12-slim",
    timeout: AnswerTimeout = 60.0,
    format: PrintFormat = Format.text,
) -> None:
    """Write a suite as Harbor tasks.

    Each task is a folder with its instruction, a server of its tools, a verifier and a right answer.
    """
    from planspec.api.outputs.runs import HarborOutput
    from planspec.exports.harbor import export_harbor as write_export

    result = write_export(suite, out, setting=setting, image=image, seconds=timeout)
    _print_tasks(result, HarborOutput, format)


@export.command("ors")
def export_ors(
    suite: SuiteOrTask,
    out: NewFolder,
    setting: SettingName = None,
    image: Annotated[str, typer.Option(help="The image of the container: one with Python.")] = "python:3.12-slim",
    timeout: AnswerTimeout = 60.0,
    format: PrintFormat = Format.text,
) -> None:
    """Write a suite as a server of the Open Reward Standard.

    One folder serves prompts, tools and rewards for all tasks.
    """
    from planspec.api.outputs.runs import OrsOutput
    from planspec.exports.ors import export_ors as write_export

    result = write_export(suite, out, setting=setting, image=image, seconds=timeout)
    _print_tasks(result, OrsOutput, format)


def _print_tasks(
    result: ExportResult, output: type[DatasetOutput | HarborOutput | OrsOutput], format: Format
) -> NoReturn:
    """Print the folder and the tasks written to it."""
    if format is Format.json:
        print_json(output(folder=str(result.folder), tasks=list(result.tasks)))
    else:
        count = len(result.tasks)
        sys.stdout.write(f"{count} {'task' if count == 1 else 'tasks'} in {result.folder}\n")
        if result.floor is not None:
            sys.stdout.write(f"floor of the dense reward: {result.floor:.2f} at most\n")
    if result.replaced:
        shown = ", ".join(result.replaced[:MOST_NAMES]) + (", ..." if len(result.replaced) > MOST_NAMES else "")
        note(f"right answers of ours stand in place of {len(result.replaced)} references that do not pass: {shown}")
    leave(Exit.HOLDS)


@export.command("submission")
def export_submission(
    run: Annotated[str, typer.Argument(help="The folder of a run.", metavar="RUN", show_default=False)],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file.", metavar="FILE")],
    suite: Annotated[
        str | None,
        typer.Option(help="The run's suite, if it has moved.", show_default=False, autocompletion=complete_suites),
    ] = None,
    repeat: Annotated[int, typer.Option(help="Which attempt at each task, from 0.", min=0)] = 0,
    format: PrintFormat = Format.text,
) -> None:
    """Write a run for its benchmark's public toolkit.

    Writes one record for each task, in the order of the run and in the format of the family's toolkit, if it has one.
    """
    from planspec.api.outputs.runs import SubmissionOutput
    from planspec.exports.submissions import export_submission as write_export

    result = write_export(run, out, suite=suite, repeat=repeat)
    if format is Format.json:
        print_json(SubmissionOutput(file=str(result.file), records=result.records, missing=list(result.missing)))
    else:
        missing = f", {len(result.missing)} of them without an attempt" if result.missing else ""
        sys.stdout.write(f"{result.records} records in {result.file}{missing}\n")
    leave(Exit.HOLDS)


@export.command("table")
def export_table(
    suite: Annotated[
        str,
        typer.Argument(
            help="A suite, by file, folder or id.",
            metavar="SUITE",
            show_default=False,
            autocompletion=complete_suites,
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file.", metavar="FILE")],
    format: PrintFormat = Format.text,
) -> None:
    """Write a suite as the table that its benchmark publishes.

    Writes one row for each task, if the family has such a table, and names what its columns cannot express.
    """
    from planspec.api.outputs.runs import TableOutput
    from planspec.exports.tables import export_table as write_export

    result = write_export(suite, out)
    if format is Format.json:
        print_json(
            TableOutput(
                file=str(result.file),
                rows=result.rows,
                columns=list(result.columns),
                unsaid=dict(result.unsaid),
            )
        )
    else:
        sys.stdout.write(f"{result.rows} rows in {result.file}\n")
        sys.stdout.writelines(
            f"  not in the toolkit's columns: {what} ({count})\n" for what, count in result.unsaid.items()
        )
    leave(Exit.HOLDS)
