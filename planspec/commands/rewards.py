"""`rewards`: rewards by agent role in a run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from planspec.commands.completion import complete_runs
from planspec.commands.console import Exit, Format, collect_garbage_often, leave, print_json


def rewards(
    run: Annotated[Path, typer.Argument(help="The folder of a run.", metavar="RUN", autocompletion=complete_runs)],
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Show rewards by agent role.

    An agent with several roles has a coordinator, and executors for the parts (days) of a task; other agents have one
    role. A trajectory is the work of one role in an attempt; an executor has one for each round. The
    trajectories of a role at a task, over all repeats, form a group. The text output has each group's mean and standard
    deviation; JSON also has each trajectory, with its advantage in the group.

    The recorded verdicts are used.
    """
    from planspec.api.outputs.runs import RewardsOutput
    from planspec.scores.role_rewards import role_rewards

    collect_garbage_often()
    result = role_rewards(run)
    if format is Format.json:
        document = {
            "run": result.run,
            "unserved": result.unserved,
            "rewards": [
                {
                    "task": one.task,
                    "repeat": one.repeat,
                    "role": one.role,
                    "round": one.round,
                    "stage": one.stage,
                    "reward": float(one.reward),
                    "advantage": one.advantage,
                    "terms": {name: float(term) for name, term in one.terms.items()},
                }
                for one in result.rewards
            ],
            "groups": [
                {"task": one.task, "role": one.role, "size": one.size, "mean": one.mean, "std": one.std}
                for one in result.groups
            ],
        }
        print_json(RewardsOutput.model_validate(document))
    else:
        sys.stdout.write(f"{result}\n")
    leave(Exit.HOLDS)
