"""`verify`: judges one answer, without a solver."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planspec.commands.completion import complete_answers, complete_tasks
from planspec.commands.console import (
    CommandLineError,
    Exit,
    Format,
    GivenValues,
    leave,
    load_answered_task,
    parse_given,
    print_json,
    read_bytes,
)
from planspec.commands.terminal import Terminal, style_text
from planspec.verifiers.meaning.verdict import Verdict, verdict_lines, violation_lines

if TYPE_CHECKING:
    from planspec.verifiers.official.protocol import ProfileDifference

Profile = Annotated[
    str,
    typer.Option(help="`strict` judges by the task's rules, `official` like the family's public evaluator."),
]

AnsweredSetting = Annotated[
    str | None,
    typer.Option(
        "--setting",
        help="The setting in which the answers were made; it decides whether they may be refusals. If left out, the "
        "task's default.",
        show_default=False,
    ),
]


def verdict_exit(verdict: Verdict) -> Exit:
    """Return the exit code for a verdict. A plan that takes too long to judge counts as undecided, not as a failure."""
    if verdict.status == "pass":
        return Exit.HOLDS
    undecided = any(finding.kind == "not-judged" for finding in verdict.findings)
    return Exit.UNDECIDED if undecided else Exit.FAILS


def verify(
    plan: Annotated[
        str,
        typer.Argument(
            help="A JSON file with the answer, `-` for standard input.",
            metavar="PLAN",
            autocompletion=complete_answers,
        ),
    ],
    task_too: Annotated[
        str | None,
        typer.Argument(
            help="The task's file or id, before or after the answer.",
            metavar="[TASK]",
            autocompletion=complete_tasks,
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(help="The task's file or id, if the answer does not name it.", autocompletion=complete_tasks),
    ] = None,
    profile: Profile = "strict",
    setting: AnsweredSetting = None,
    explain_differences: Annotated[
        bool,
        typer.Option(
            "--explain-differences",
            help="Also list the rules that the profiles `strict` and `official` judge differently, each with the cause.",
        ),
    ] = False,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair",
            help="Also find the nearest plan that satisfies every hard constraint of the task, whatever the --profile.",
        ),
    ] = False,
    best: Annotated[
        bool,
        typer.Option(
            "--best", help="Find the best plan now, for comparison, instead of reading it from the certificate."
        ),
    ] = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Print only violations and the verdict.")] = False,
    given: GivenValues = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Judge one plan by every constraint.

    Prints each constraint with its margin, and for a violated one the reason and the place of the rule. JSON
    also names the rows that cause a violation.
    """
    from planspec.api.judging import Judge
    from planspec.verifiers.answers.envelope import read_answer
    from planspec.verifiers.official.protocol import OFFICIAL, STRICT

    if task_too is not None:
        if task is not None:
            raise CommandLineError(f"the task is named twice: `{task_too}` and --task {task}")
        plan, task = (task_too, plan) if _is_task(plan) and not _is_task(task_too) else (plan, task_too)
    data = read_bytes(plan, "the plan")
    answer = read_answer(data)
    loaded = load_answered_task(task, answer.task, parse_given(given))
    judges = {
        name: Judge(loaded, name, setting=setting)
        for name in (profile, *((STRICT, OFFICIAL) if explain_differences else ()))
    }
    judge = judges[profile]
    answer = judge.reading(data)
    if best and loaded.objectives:
        from planspec.api.best_values import BestValues
        from planspec.api.oracles import best_plan

        best_values = BestValues.of(best_plan(judge))
        for each in judges.values():
            each.best_values = best_values
    verdicts = {name: each.beside_best(each.judge(answer)) for name, each in judges.items()}
    verdict = verdicts[profile]
    differences = None
    if explain_differences:
        differences = judges[OFFICIAL].differences(answer, verdicts[STRICT], verdicts[OFFICIAL])
    document = asdict(verdict)
    if differences is not None:
        document["differences"] = [asdict(difference) for difference in differences]
    if format is Format.text:
        print_verdict(verdict, quiet=quiet)
        if differences is not None:
            print_differences(differences)
    elif not repair:
        print_json(document)
    if repair:
        from planspec.api.search import Limits
        from planspec.commands.repair import decode_answer, print_repair, repair_answer

        strict = judge if profile == STRICT else Judge(loaded)  # repairs always use planspec's own constraints
        decoded, valid = decode_answer(strict, answer)
        _, output = repair_answer(strict, decoded, valid=valid, backend="cpsat", limits=Limits(), format=format)
        if format is Format.json:
            print_json({**document, "repair": output.model_dump(mode="json")})
        else:
            print_repair(output, format, with_plan=False)
    leave(verdict_exit(verdict))


def _is_task(name: str) -> bool:
    """Return whether an argument names a task, by a YAML file or an id. Other files are answers."""
    path = Path(name)
    return name != "-" and (path.suffix in (".yaml", ".yml") or not path.exists())


def print_differences(differences: Sequence[ProfileDifference]) -> None:
    """Print the rules on which the two profiles disagree."""
    if not differences:
        sys.stdout.write("strict and official agree on every rule\n")
        return
    sys.stdout.write("strict and official disagree:\n")
    for one in differences:
        rule = style_text(one.constraint, bold=True)
        sys.stdout.write(f"  {rule} (strict {one.strict}, official {one.official})\n    {one.quirk}: {one.message}\n")


def print_violations(verdict: Verdict) -> None:
    """Print the findings that make a plan fail."""
    sys.stdout.writelines(f"{line}\n" for line in violation_lines(verdict.findings, Terminal()))


def print_verdict(verdict: Verdict, *, quiet: bool = False) -> None:
    """Print a verdict: violations first, then satisfied constraints, unless `quiet` is true."""
    sys.stdout.writelines(f"{line}\n" for line in verdict_lines(verdict, Terminal(), quiet=quiet))
