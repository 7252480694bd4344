"""`solve` and `validate`: ask back ends; every plan has passed the verifier before it is printed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planspec.commands.console import (
    Exit,
    Format,
    known_backend,
    leave,
    note,
    plain_json,
    print_json,
    show_diagnostics,
    worst,
)

if TYPE_CHECKING:
    from planspec.outputs import ValidateOutput
    from planspec.solvers.prove import Claim

Seconds = Annotated[float, typer.Option(help="Seconds for each question to a back end.", min=0.001)]


def solve(
    task: Annotated[str, typer.Argument(help="A task's file or id.", metavar="TASK")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the plan there, as an envelope.")
    ] = None,
    backend: Annotated[str, typer.Option(help="cpsat, smt or brute.")] = "cpsat",
    limit: Seconds = 60.0,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Find the best plan, proved best where the status says optimal."""
    from planspec.api import Judge, load
    from planspec.commands.judging import print_verdict
    from planspec.outputs import SoftOutput, SolveOutput
    from planspec.solvers import prove
    from planspec.solvers.outcome import Limits, Status

    known_backend(backend)
    judge = Judge(load(task))
    found = prove.solve(judge.ground, backend=backend, limits=Limits(seconds=limit))
    plan = plain_json(judge.encode(found.plan)) if found.plan is not None else None
    scale = found.scale
    output_model = SolveOutput(
        task=judge.task.id, status=found.status.value, plan=plan,
        objective=_scaled(found.objective, scale), bound=_scaled(found.bound, scale),
        soft=SoftOutput(satisfied=found.soft_weight, total=found.soft_total), backend=backend, seconds=round(found.seconds, 4),
    )  # fmt: skip
    if output is not None and plan is not None:
        output.write_text(
            json.dumps({"task": judge.task.id, "plan": plan}, indent=2, ensure_ascii=False) + "\n", "utf-8"
        )
    if format is Format.json:
        print_json(output_model)
    else:
        if plan is not None and output is None:
            sys.stdout.write(
                json.dumps({"task": judge.task.id, "plan": plan}, indent=2, ensure_ascii=False) + "\n"
            )
        if found.plan is not None and output is not None:
            print_verdict(judge.plan(found.plan))
        said = [found.status.value]
        if found.soft_total:
            said.append(f"soft weight {found.soft_weight}/{found.soft_total}")
        if found.objective is not None:
            said.append(f"objective {_scaled(found.objective, scale)}")
        note(f"{', '.join(said)} ({backend}, {found.seconds:.2f} s)")
    leave({Status.INFEASIBLE: Exit.FAILS, Status.UNKNOWN: Exit.UNDECIDED}.get(found.status, Exit.HOLDS))


def _scaled(value: int | None, scale: int) -> int | float | None:
    return value if value is None or scale == 1 else value / scale


def validate(
    tasks: Annotated[list[str], typer.Argument(help="Tasks, suites or folders.", metavar="TASK|SUITE...")],
    backends: Annotated[str, typer.Option(help="Who is asked, with commas between.")] = "cpsat,smt",
    limit: Seconds = 60.0,
    jobs: Annotated[int, typer.Option(help="Processes to prove with.", min=1)] = 1,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Is there a plan, is it the only one, and who proved it?"""
    from planspec.catalog import Catalog

    names = [name.strip() for name in backends.split(",") if name.strip()]
    known_backend(*names)
    catalog = Catalog()
    paths = [str(path) for name in tasks for path in catalog.expand(name)]
    made: list[ValidateOutput] = []
    codes = []
    for number, (code, result) in enumerate(_validated([(p, names, limit) for p in paths], jobs), 1):
        codes.append(code)
        if result is not None:
            made.append(result)
            if format is Format.text:
                _print_validation(result)
        if len(paths) > 1 and sys.stderr.isatty():
            sys.stderr.write(f"\r{number} of {len(paths)}\r")
    if format is Format.json:
        print_json(list(made))
    leave(worst(codes))


Job = tuple[str, list[str], float]


def _validated(jobs: list[Job], processes: int) -> Any:
    if processes == 1 or len(jobs) < 2:
        return map(_validate_one, jobs)
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(processes) as pool:
        return list(pool.map(_validate_one, jobs))


def _validate_one(job: Job) -> tuple[Exit, ValidateOutput | None]:
    from planspec.api import Judge, load
    from planspec.dsl.diagnostics import DiagnosticError
    from planspec.outputs import DifferenceOutput, ReferenceOutput, UniqueOutput, ValidateOutput
    from planspec.solvers import prove
    from planspec.solvers.outcome import Limits
    from planspec.solvers.problem import identity
    from planspec.verifiers.differences import differences

    path, names, limit = job
    try:
        judge = Judge(load(path))
        found = prove.validate(judge.ground, backends=names, limits=Limits(seconds=limit))
    except DiagnosticError as error:
        show_diagnostics(error.diagnostics)
        return Exit.WRONG_INPUT, None
    except prove.InternalError as error:
        note(f"this is a bug in planspec: {error} (task {error.task_hash[:16]}); please report it")
        return Exit.BUG, None
    present, accepted = judge.reference()
    second, apart = None, []
    told_apart = identity(judge.ground)
    if found.witness is not None and found.second is not None:
        second = plain_json(judge.encode(found.second))
        apart = [
            DifferenceOutput.of(d)
            for d in differences(judge.task, found.witness, found.second)
            if d.field is None or d.field in told_apart[d.table]
        ]
    feasible = _claim(found.feasible)
    unique = _claim(found.unique)
    output = ValidateOutput(
        task=judge.task.id, feasible=feasible, unique=UniqueOutput(status=unique.status, backends=unique.backends, second=second, differences=apart),
        reference=ReferenceOutput(present=present, accepted=accepted),
        witness=None if found.witness is None else plain_json(judge.encode(found.witness)),
    )  # fmt: skip
    if (
        found.feasible.status == "infeasible"
        or found.unique.status == "multiple"
        or (present and not accepted)
    ):
        return Exit.FAILS, output
    if "unknown" in (found.feasible.status, found.unique.status):
        return Exit.UNDECIDED, output
    return Exit.HOLDS, output


def _claim(claim: Claim) -> Any:
    from planspec.outputs import BackendOutput, ClaimOutput

    backends = {
        n: BackendOutput(status=b.status, seconds=round(b.seconds, 4)) for n, b in claim.backends.items()
    }
    return ClaimOutput(status=claim.status, backends=backends)


def _print_validation(result: ValidateOutput) -> None:
    who = ", ".join(f"{n} {b.status} {b.seconds:.2f} s" for n, b in result.unique.backends.items())
    reference = ""
    if result.reference.present:
        reference = (
            "; the reference is accepted" if result.reference.accepted else "; the reference is NOT accepted"
        )
    sys.stdout.write(f"{result.task}: {result.feasible.status}, {result.unique.status} ({who}){reference}\n")
    for free in result.unique.differences:
        sys.stdout.write(f"  free: {free.said}\n")
