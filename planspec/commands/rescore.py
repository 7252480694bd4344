"""`rescore`: a run judged again, and what moved."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from planspec.commands.completion import runs_named, suites_named
from planspec.commands.console import Exit, Format, collect_as_it_goes, leave, note, print_json
from planspec.measures.intervals import require_intervals


def rescore(
    run: Annotated[
        Path, typer.Argument(help="The folder of a run.", metavar="RUN", autocompletion=runs_named)
    ],
    suite: Annotated[
        str | None,
        typer.Option(
            help="Another version of the run's suite, by file, folder or id; if left out, its own as it is now.",
            metavar="NEW",
            show_default=False,
            autocompletion=suites_named,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="The new folder; if left out, RUN-rescored.", metavar="DIR", show_default=False),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Number of processes.", min=1)] = 1,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Judge a run again after its suite was mended.

    Tells which verdicts moved, by which constraints, and the metrics before and now. No agent is asked. The run stays as
    it is; the new verdicts are a run of their own, for `report`.

    Exits 0 when every attempt was judged again, whatever moved.
    """
    from planspec.api.outputs.runs import RescoreOutput
    from planspec.scores.rescoring import rescore as rescored

    collect_as_it_goes()
    require_intervals()
    made = rescored(run, suite, out=out, jobs=jobs)
    if format is Format.json:
        document = {
            "run": made.run, "out": made.out, "suite": made.suite, "attempts": made.attempts,
            "moved": [asdict(moved) for moved in made.moved],
            "metrics": {"before": made.before, "after": made.metrics},
            "gone": list(made.gone), "added": list(made.added),
        }  # fmt: skip
        print_json(RescoreOutput.model_validate(document))
    else:
        sys.stdout.write(f"{made}\n")
        note(f"next: planspec report {quote(made.run)} {quote(made.out)}")
    leave(Exit.HOLDS)
