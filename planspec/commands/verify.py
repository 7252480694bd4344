"""`verify` and `score`: judge answers; no solver is loaded."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planspec.commands.completion import answers, suites_named, tasks_named
from planspec.commands.console import (
    Exit,
    Format,
    answered_task,
    collect_as_it_goes,
    leave,
    named_file,
    note,
    print_json,
    read_bytes,
    worst,
)
from planspec.commands.terminal import file_name, fitted, styled
from planspec.verifiers.meaning.margin import in_words
from planspec.verifiers.meaning.verdict import CheckSummary, Finding, Tally, Verdict

if TYPE_CHECKING:
    from planspec.verifiers.official.protocol import ProfileDifference

Profile = Annotated[
    str,
    typer.Option(help="`strict` judges by the library, `official` like the family's public evaluator."),
]


def _exit(verdict: Verdict) -> Exit:
    """The code for a verdict; a plan that took too long to judge is undecided, though it does not pass."""
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
            autocompletion=answers,
        ),
    ],
    task: Annotated[
        str | None,
        typer.Option(
            help="The task's file or id, if the answer does not name it.", autocompletion=tasks_named
        ),
    ] = None,
    profile: Profile = "strict",
    explain_differences: Annotated[
        bool,
        typer.Option(
            "--explain-differences", help="Also say where strict and official differ, and why, rule by rule."
        ),
    ] = False,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair",
            help="Also find the nearest plan that satisfies every hard constraint of the library (profile strict).",
        ),
    ] = False,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Judge one plan by every constraint.

    Prints each constraint with its margin. A violated one says why, and where the rule stands; JSON also names the
    rows to blame.
    """
    from planspec.api.judging import Judge
    from planspec.verifiers.answers.envelope import read_answer
    from planspec.verifiers.official.protocol import OFFICIAL, STRICT

    data = read_bytes(plan, "the plan")
    read = read_answer(data)
    made = answered_task(task, read.task)
    if task is not None and read.task not in (None, task, made.id):
        note(f"the answer says that it is for `{read.task}`; it is judged as one for `{made.id}`")
    judges = {
        name: Judge(made, name) for name in (profile, *((STRICT, OFFICIAL) if explain_differences else ()))
    }
    judge = judges[profile]
    read = judge.reading(data)
    verdicts = {name: each.judge(read) for name, each in judges.items()}
    verdict = verdicts[profile]
    differences = None
    if explain_differences:
        differences = judges[OFFICIAL].differences(read, verdicts[STRICT], verdicts[OFFICIAL])
    document = asdict(verdict)
    if differences is not None:
        document["differences"] = [asdict(difference) for difference in differences]
    if format is Format.text:
        print_verdict(verdict)
        if differences is not None:
            print_differences(differences)
    elif not repair:
        print_json(document)
    if repair:
        from planspec.commands.repair import answered, print_repair, repaired

        strict = judge if profile == STRICT else Judge(made)  # repairs are of the library's meaning
        known, valid = answered(strict, read)
        _, mended = repaired(strict, known, valid=valid, backend="cpsat", timeout=60.0, format=format)
        if format is Format.json:
            print_json({**document, "repair": mended.model_dump(mode="json")})
        else:
            print_repair(mended, format, with_plan=False)
    leave(_exit(verdict))


def print_differences(differences: Sequence[ProfileDifference]) -> None:
    """Print where the profiles differ, for people."""
    if not differences:
        sys.stdout.write("strict and official agree in every rule\n")
        return
    sys.stdout.write("strict and official part:\n")
    for one in differences:
        rule = styled(one.constraint, bold=True)
        sys.stdout.write(
            f"  {rule} (strict {one.strict}, official {one.official})\n    {one.quirk}: {one.message}\n"
        )


def print_violations(verdict: Verdict) -> None:
    """Print the findings that fail a plan, for people."""
    found = [f for f in verdict.findings if f.status == "violated" and f.level != "soft"]
    width = max((len(f.constraint) for f in found), default=0)
    for finding in sorted(found, key=lambda f: LEVELS.index(f.level)):
        sys.stdout.write(_line(finding, width) + "\n")


def print_verdict(verdict: Verdict) -> None:
    """A verdict for people: what fails first, then what is met."""
    order = {"violated": 0, "satisfied": 1, "not-applicable": 2}
    ranked = sorted(verdict.findings, key=lambda f: (order[f.status], LEVELS.index(f.level)))
    width = max((len(f.constraint) for f in ranked if f.status != "not-applicable"), default=0)
    for finding in ranked:
        if finding.status == "violated":
            sys.stdout.write(_line(finding, width) + "\n")
    for check in verdict.checks:
        _print_faults(check)
    for finding in ranked:
        if finding.status == "satisfied" or (finding.status == "not-applicable" and finding.level == "shape"):
            sys.stdout.write(_line(finding, width) + "\n")
    if verdict.status == "pass" and verdict.profile == "strict" and not verdict.in_scope:
        sys.stdout.write(
            "  - the plan is outside the task's scope, which is no fault: a search would not find it\n"
        )
    parts = [f"{level} {tally.satisfied}/{tally.total}" for level, tally in tallies(verdict) if tally.total]
    parts += [f"{check.name} {check.tally.satisfied}/{check.tally.total}" for check in verdict.checks]
    parts += [f"{name} {value}" for name, value in verdict.metrics.items() if value is not None]
    color = "green" if verdict.status == "pass" else "red"
    status = styled(verdict.status, fg=color, bold=True)
    sys.stdout.write(f"{status}  {verdict.task}: {', '.join(parts) or 'nothing asked'}\n")


def _print_faults(check: CheckSummary) -> None:
    """The family's own findings beside the rules."""
    label = styled(f"{check.label:<5}", dim=True)
    for place, fault in check.faults:
        sys.stdout.write(f"{styled('  x', **MARKS['violated'][1])} {label} {place} {fault}\n")


def tallies(verdict: Verdict) -> tuple[tuple[str, Tally], ...]:
    """Both tallies with their names."""
    return ("hard", verdict.hard), ("soft", verdict.soft)


LEVELS = ("shape", "hard", "soft")
"""The order in which findings are printed."""
MARKS: dict[str, tuple[str, dict[str, Any]]] = {
    "violated": ("x", {"fg": "red", "bold": True}),
    "satisfied": ("+", {"fg": "green"}),
    "not-applicable": ("-", {"dim": True}),
}


def _line(finding: Finding, width: int) -> str:
    mark, style = MARKS[finding.status]
    violated = finding.status == "violated"
    parts = [
        styled(f"  {mark}", **style),
        styled(f"{finding.level:<5}", dim=True),
        styled(f"{finding.constraint:<{width}}", bold=violated) + " ",
    ]
    if finding.margin is not None:
        parts.append(styled(f"({in_words(finding.margin, finding.unit)})", **style))
    if not violated and finding.level != "shape":
        return " ".join(parts).rstrip()
    said = finding.message + (styled(f"; none: {finding.none}", dim=True) if finding.none else "")
    if finding.since is not None:
        said += styled(f" (since turn {finding.since})", dim=True)
    source = finding.source
    place = "" if source is None else f"{file_name(source.file)}:{source.line}"
    return fitted(" ".join(parts), said, place)


def score(
    plans: Annotated[
        str,
        typer.Argument(
            help="JSON lines, one answer or trace on each; `-` for standard input.",
            metavar="PLANS.jsonl",
            autocompletion=answers,
        ),
    ],
    suite: Annotated[str, typer.Option(help="The suite's file, folder or id.", autocompletion=suites_named)],
    profile: Profile = "strict",
    explain_differences: Annotated[
        bool,
        typer.Option(
            "--explain-differences",
            help="Also say where strict and official differ, and why (families whose traces are scored).",
        ),
    ] = False,
    jobs: Annotated[int, typer.Option(help="Number of processes.", min=1)] = 1,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Judge many plans, with the family's metrics.

    Tasks without an answer count as undelivered. Families whose metrics look at tool calls and tokens take whole
    traces: `trace/1`, records of the public toolkit, chats, or answers alone.
    """
    collect_as_it_goes()
    from planspec.api.outputs import ScoreOutput
    from planspec.scores.answers import score as scores_of

    answers = (
        read_bytes(plans, "the answers").splitlines() if plans == "-" else named_file(plans, "the answers")
    )
    scores = scores_of(
        suite,
        answers,
        profile=profile,
        jobs=jobs,
        differences=explain_differences,
        details=format is Format.json,
    )
    if format is Format.text:
        sys.stdout.write(f"{scores}\n")
    elif scores.traces is not None:
        print_json(scores.traces)
    else:
        output = ScoreOutput(
            suite=scores.suite,
            profile=scores.profile,
            metrics=dict(scores.metrics),
            plans=list(scores.verdicts),
        )
        print_json(output)
    if scores.traces is not None:
        leave(Exit.HOLDS if scores.passed else Exit.FAILS)
    leave(worst(map(_exit, scores.verdicts)))
