"""`planspec generate`: a family's seeded generator."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from planspec.commands.console import CallError, Format, collect_as_it_goes, command_group, print_json
from planspec.commands.progress import waiting

generate = command_group("Make a suite with a seeded generator.")


@generate.callback()
def _families() -> None:
    """Make a suite with a seeded generator."""
    collect_as_it_goes()


@generate.command()
def mobilitybench(
    out: Annotated[Path, typer.Option(help="The folder, new or generated before.", metavar="DIR")],
    seed: Annotated[int, typer.Option(help="Another one gives other cities and queries.")] = 0,
    size: Annotated[int, typer.Option(help="Episodes; the paper has 100000.", min=1)] = 2000,
    cities: Annotated[
        int | None, typer.Option(help="How many cities are grown; by default by the size.", min=1)
    ] = None,
    jobs: Annotated[int, typer.Option(help="Processes; the result does not depend on it.", min=1)] = 1,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """MobilityBench: queries about ways through invented cities, what the tools said, and what is true.

    Scenarios come in the paper's proportions, queries in English and Chinese. Each episode's own program is executed,
    and the answer that follows from it was judged right. Episodes are written one by one.
    """
    from planspec.api.outputs import GenerateEpisodesOutput
    from planspec.families.mobilitybench.generating import Wanted, generate

    try:
        with waiting("generating") as told:
            made = generate(out, Wanted(seed, size, cities, jobs), told)
    except (FileExistsError, NotADirectoryError, ValueError) as error:
        raise CallError(str(error)) from None
    output = GenerateEpisodesOutput(
        family="mobilitybench", suite=made.suite, folder=str(made.folder), cities=made.cities,
        episodes=made.episodes, scenarios=dict(made.scenarios), languages=dict(made.languages),
        wishes=made.wished, biting=made.biting, dropped=dict(made.dropped.most_common()),
    )  # fmt: skip
    if format is Format.json:
        print_json(output)
        return
    counts = "".join(f"  {name}: {count}\n" for name, count in sorted(made.scenarios.items()))
    given_up = "".join(f"  {count} {reason}\n" for reason, count in made.dropped.most_common())
    languages = ", ".join(f"{count} {name}" for name, count in sorted(made.languages.items()))
    sys.stdout.write(
        f"suite {made.suite}: {made.episodes} episodes of {made.cities} {'city' if made.cities == 1 else 'cities'} in {out} ({languages})\n{counts}"
        f"{made.biting} of {made.wished} wishes change the best way\n"
        f"draws given up: {made.dropped.total()}\n{given_up}"
    )


@generate.command()
def veritrip(
    out: Annotated[Path, typer.Option(help="The folder, new or generated before.", metavar="DIR")],
    seed: Annotated[int, typer.Option(help="Another one gives other services, documents and queries.")] = 0,
    size: Annotated[int, typer.Option(help="Documents of the corpus; the paper has 8210.", min=0)] = 2000,
    images: Annotated[int, typer.Option(help="Pictures of the corpus; the paper has 4146.", min=0)] = 400,
    queries: Annotated[int, typer.Option(help="Queries that have a plan; the paper has 228.", min=0)] = 60,
    clean: Annotated[bool, typer.Option("--clean", help="No document contradicts the facts.")] = False,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """VeriTrip: a world of facts, documents and pictures about it, and queries.

    Real places of six cities; services, documents, pictures and queries are made of the seed. Each query is proved to
    have a plan with all its preferences; a few near misses are kept apart, with the rules that cannot hold together.
    """
    from planspec.api.outputs import GenerateOutput
    from planspec.families.veritrip.generating import Wanted, generate, is_generated

    if out.exists() and not (out.is_dir() and is_generated(out)):
        raise CallError(f"`{out}` is neither a new folder nor one that was generated before")
    wanted = Wanted(seed, size, images, queries, clean)
    try:
        with waiting("generating") as told:
            made = generate(out, wanted, told)
    except (ModuleNotFoundError, ValueError) as error:
        raise CallError(str(error)) from None
    if format is Format.json:
        print_json(
            GenerateOutput(
                family="veritrip",
                suite=made.suite,
                folder=str(made.folder),
                documents=made.documents,
                images=made.images,
                tasks=list(made.tasks),
                near_misses=list(made.near_misses),
            )
        )
        return
    sys.stdout.write(
        f"{made.documents} documents and {made.images} pictures in {out / 'corpus'}\n"
        f"suite {made.suite}: {len(made.tasks)} tasks in {out}\n"
        f"suite {made.suite}-near-misses: {len(made.near_misses)} tasks without a plan\n"
    )
