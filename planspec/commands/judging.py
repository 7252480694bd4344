"""`verify` and `score`: judge answers; no solver is loaded."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import asdict
from typing import Annotated, Any

import typer

from planspec.commands.console import (
    CallError,
    Exit,
    Format,
    leave,
    note,
    print_json,
    read_bytes,
    styled,
    worst,
)
from planspec.verifiers.margin import in_words
from planspec.verifiers.verdict import Finding, Tally, Verdict

Profile = Annotated[str, typer.Option(help="`strict` is the library's meaning.")]


def verify(
    plan: Annotated[
        str, typer.Argument(help="A JSON file with the answer, `-` for standard input.", metavar="PLAN")
    ],
    task: Annotated[
        str | None, typer.Option(help="The task's file or id, if the answer does not name it.")
    ] = None,
    profile: Profile = "strict",
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Also find the nearest plan that satisfies every hard constraint."),
    ] = False,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Judge one plan by every constraint.

    Each has its margin; of those that are violated the text says why and where the rule stands, JSON also which
    rows are to blame.
    """
    from planspec.api import PROFILES, Judge, load
    from planspec.errors import UnknownProfile
    from planspec.verifiers.answer import Undelivered, read_answer

    data = read_bytes(plan, "the plan")
    read = read_answer(data)
    named = task or read.task
    if named is None:
        raise CallError("the answer does not say which task it is for; name it with --task TASK")
    made = load(named)
    if read.task not in (None, named, made.id):
        note(f"the answer says that it is for `{read.task}`; it is judged as one for `{made.id}`")
    if profile not in PROFILES:
        whose = f"the family `{made.family}`" if made.family else "a task without a family"
        raise UnknownProfile(f"{whose} has no profile `{profile}`; there is strict")
    judge = Judge(made)
    if isinstance(read, Undelivered):
        verdict = judge.undelivered(read.reason)
    else:
        verdict = judge.decoded(read.plan, [f.as_finding() for f in read.findings])
    if format is Format.text:
        print_verdict(verdict)
    elif not repair:
        print_json(verdict)
    if repair:
        from planspec.commands.repairing import answered, print_repair, repaired

        answer, valid = answered(judge, read)
        _, mended = repaired(judge, answer, valid=valid, backend="cpsat", limit=60.0, format=format)
        if format is Format.json:
            print_json({**asdict(verdict), "repair": mended.model_dump(mode="json")})
        else:
            print_repair(mended, format, with_plan=False)
    leave(Exit.HOLDS if verdict.status == "pass" else Exit.FAILS)


def print_verdict(verdict: Verdict) -> None:
    """A verdict for people: what fails first, then what is met."""
    order = {"violated": 0, "satisfied": 1, "not-applicable": 2}
    ranked = sorted(
        verdict.findings, key=lambda f: (order[f.status], {"shape": 0, "hard": 1, "soft": 2}[f.level])
    )
    width = max((len(f.constraint) for f in ranked if f.status != "not-applicable"), default=0)
    for finding in ranked:
        if finding.status != "not-applicable" or finding.level == "shape":
            sys.stdout.write(_line(finding, width) + "\n")
    if verdict.status == "pass" and not verdict.in_scope:
        sys.stdout.write(
            "  - the plan is outside the task's scope, which is no fault: a search would not find it\n"
        )
    parts = [f"{level} {tally.satisfied}/{tally.total}" for level, tally in tallies(verdict) if tally.total]
    parts += [f"{name} {value}" for name, value in verdict.metrics.items() if value is not None]
    color = "green" if verdict.status == "pass" else "red"
    status = styled(verdict.status, fg=color, bold=True)
    sys.stdout.write(f"{status}  {verdict.task}: {', '.join(parts) or 'nothing asked'}\n")


def tallies(verdict: Verdict) -> tuple[tuple[str, Tally], ...]:
    """Both tallies with their names."""
    return ("hard", verdict.hard), ("soft", verdict.soft)


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
    if violated or finding.level == "shape":
        parts.append(finding.message + (styled(f"; none: {finding.none}", dim=True) if finding.none else ""))
        if finding.source is not None:
            parts.append(styled(f" {finding.source.file}:{finding.source.line}", dim=True))
    return " ".join(parts).rstrip()


def score(
    plans: Annotated[
        str, typer.Argument(help="JSON lines, an answer each; `-` for standard input.", metavar="PLANS.jsonl")
    ],
    suite: Annotated[str, typer.Option(help="The suite's file, folder or id.")],
    profile: Profile = "strict",
    jobs: Annotated[int, typer.Option(help="Processes to judge with.", min=1)] = 1,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Judge many plans, with the family's metrics.

    Tasks without an answer count as undelivered.
    """
    from planspec.api import PROFILES
    from planspec.catalog import Catalog
    from planspec.errors import UnknownProfile
    from planspec.outputs import ScoreOutput
    from planspec.verifiers.protocols.registry import protocol

    if profile not in PROFILES:
        raise UnknownProfile(f"there is no profile `{profile}`; there is strict")
    catalog = Catalog()
    found = catalog.suite(suite)
    paths = {entry.id: entry.path for entry in catalog.tasks(found.tasks)}
    lines = read_bytes(plans, "the answers").splitlines()
    work, order = _sorted_out(lines, paths)
    judged = _judged(work, {k: str(v) for k, v in paths.items()}, jobs)
    verdicts = [judged[key] for key in order]
    metrics = protocol(found.protocol or found.family)(verdicts)
    output = ScoreOutput(
        suite=found.id, profile=profile, metrics=json.loads(metrics.model_dump_json()), plans=verdicts
    )
    if format is Format.json:
        print_json(output)
    else:
        counts = Counter(v.status for v in verdicts)
        for name, value in output.metrics.items():
            shown = "-" if value is None else f"{value:.4f}" if isinstance(value, float) else value
            sys.stdout.write(f"{name:<24} {shown}\n")
        sys.stdout.write(", ".join(f"{n} {status}" for status, n in sorted(counts.items())) + "\n")
        for verdict in verdicts:
            if verdict.status != "pass":
                broken = [
                    f.constraint for f in verdict.findings if f.status == "violated" and f.level != "soft"
                ]
                sys.stdout.write(f"  {verdict.status}  {verdict.task}: {', '.join(broken)}\n")
    leave(worst(Exit.HOLDS if v.status == "pass" else Exit.FAILS for v in verdicts))


def _sorted_out(lines: list[bytes], paths: dict[str, Any]) -> tuple[dict[str, bytes | None], list[str]]:
    """Each answer by its task, in the order of the lines; tasks without a line come last, empty."""
    from planspec.verifiers.answer import Undelivered, read_answer

    work: dict[str, bytes | None] = {}
    lines_of: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        read = read_answer(line)
        task = read.task
        if task is None and isinstance(read, Undelivered):
            raise CallError(f"line {number} is no answer: {read.reason}; each line is one, with its task")
        if task is None:
            raise CallError(
                f"line {number} does not say which task it answers; write "
                '`{"task": "its id", "plan": ...}` on one line'
            )
        if task not in paths:
            raise CallError(f"line {number}: the suite has no task `{task}`")
        if task in lines_of:
            raise CallError(f"line {number} answers `{task}` again, as line {lines_of[task]} did")
        lines_of[task] = number
        work[task] = line
    order = list(work)
    for task in paths:
        if task not in work:
            work[task] = None
            order.append(task)
    return work, order


def _judged(work: dict[str, bytes | None], paths: dict[str, str], jobs: int) -> dict[str, Verdict]:
    chunks = [(task, paths[task], line) for task, line in work.items()]
    if jobs == 1 or len(chunks) < 2:
        return dict(map(_judge_task, chunks))
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(jobs) as pool:
        return dict(pool.map(_judge_task, chunks))


def _judge_task(chunk: tuple[str, str, bytes | None]) -> tuple[str, Verdict]:
    from planspec.api import Judge, load

    task, path, line = chunk
    judge = Judge(load(path))
    if line is None:
        return task, judge.undelivered("no answer for this task")
    return task, judge.answer(line, details="violated")
