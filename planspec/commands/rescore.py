"""`rescore`: judges a run again, and shows changed verdicts."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from planspec.commands.completion import complete_runs, complete_suites
from planspec.commands.console import Exit, Format, collect_garbage_often, leave, note, print_json
from planspec.scores.intervals import require_intervals


def rescore(
    run: Annotated[Path, typer.Argument(help="The folder of a run.", metavar="RUN", autocompletion=complete_runs)],
    suite: Annotated[
        str | None,
        typer.Option(
            help="Another version of the run's suite, by file, folder or id; if left out, the run's own suite as it is now.",
            metavar="NEW",
            show_default=False,
            autocompletion=complete_suites,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="The new folder; if left out, RUN-rescored.", metavar="DIR", show_default=False),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Number of processes.", min=1)] = 1,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Judge a run again after its suite was corrected.

    Shows which verdicts changed and because of which constraints, and the metrics before and after. The agent is
    not run. RUN is unchanged; the new verdicts form a new run, for `report`.

    Exits 0 when every attempt was judged again, whatever changed.
    """
    from planspec.api.outputs.runs import RescoreOutput
    from planspec.scores.rescoring import rescore as judge_again

    collect_garbage_often()
    require_intervals()
    result = judge_again(run, suite, out=out, jobs=jobs)
    if format is Format.json:
        document = {
            "run": result.run,
            "out": result.out,
            "suite": result.suite,
            "attempts": result.attempts,
            "moved": [asdict(moved) for moved in result.moved],
            "metrics": {"before": result.before, "after": result.metrics},
            "gone": list(result.gone),
            "added": list(result.added),
        }
        print_json(RescoreOutput.model_validate(document))
    else:
        sys.stdout.write(f"{result}\n")
        note(f"next: planspec report {quote(result.run)} {quote(result.out)}")
    leave(Exit.HOLDS)
