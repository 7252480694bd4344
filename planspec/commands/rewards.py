"""`rewards`: what each part of an agent earned in a run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from planspec.commands.completion import runs_named
from planspec.commands.console import Exit, Format, collect_as_it_goes, leave, print_json


def rewards(
    run: Annotated[
        Path, typer.Argument(help="The folder of a run.", metavar="RUN", autocompletion=runs_named)
    ],
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Tell what each role of an agent earned in a run.

    A trajectory is what one role did in one attempt: of an agent with several, the coordinator, and each executor in each round; other
    agents have one role. Trajectories of one role at one task, over all repeats, are a group: text has its mean and
    standard deviation, JSON each trajectory too, with its advantage in the group.

    Nothing is judged again.
    """
    from planspec.api.outputs.runs import RewardsOutput
    from planspec.scores.role_rewards import role_rewards

    collect_as_it_goes()
    made = role_rewards(run)
    if format is Format.json:
        document = {
            "run": made.run, "unserved": made.unserved,
            "rewards": [
                {
                    "task": one.task, "repeat": one.repeat, "role": one.role, "round": one.round, "stage": one.stage,
                    "reward": float(one.reward), "advantage": one.advantage,
                    "terms": {name: float(term) for name, term in one.terms.items()},
                }
                for one in made.rewards
            ],
            "groups": [
                {"task": one.task, "role": one.role, "size": one.size, "mean": one.mean, "std": one.std}
                for one in made.groups
            ],
        }  # fmt: skip
        print_json(RewardsOutput.model_validate(document))
    else:
        sys.stdout.write(f"{made}\n")
    leave(Exit.HOLDS)
