"""`planspec import worldtravel`, `planspec generate worldtravel` and `planspec generate webscape`."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

from planspec.parallel import Jobs
from planspec.suite_writing.folder import ImportResult
from planspec.suite_writing.options import (
    GeneratedSuite,
    OnProgress,
    Option,
    UnsuitableSuiteError,
    ignore_progress,
)

PAGES = 0.1
"""Share of the time for the pages; the rest is for their pictures."""


def import_suite(
    tasks: Annotated[
        list[Path],
        Option("The authors' tasks as JSON; may be given several times.", "FILE.json", exists="file"),
    ],
    out: Annotated[Path, Option("The suite's folder, new or of an earlier import.", "DIR")],
    answers: Annotated[
        list[Path],
        Option("Answers to them as JSON; may be given several times.", "FILE.json", exists="file"),
    ] = [],  # noqa: B006
    year: Annotated[int, Option("Of dates that name none, such as 7.1.", least=1)] = 2026,
) -> ImportResult:
    """WorldTravel: tasks with the authors' rubrics, and answers to them.

    A task has an id, a query and its constraints, each a call of one of the five verification functions. Nothing else
    is known of its world, so nothing else is judged.

    Reports how many calls there are of each function, what cannot be known, and each record that is no task or answer
    (exit status 2).
    """
    from planspec.families.worldtravel.importing import import_worldtravel, suite_folder

    suite_folder(out).require()
    return import_worldtravel(tasks, answers, year, out)


def generate_suite(
    city: Annotated[str, Option("A city that ships (berlin, ...), or the folder of one.", "CITY")],
    out: Annotated[Path, Option("The folder, new or begun before.", "DIR")],
    tasks: Annotated[int, Option("Number of tasks; the paper has 30 a city.", least=1)] = 30,
    seed: Annotated[int, Option("Seed of calendar, tasks and words.")] = 0,
    after: Annotated[int, Option("Tasks of the benchmark in other cities before this one.", least=0)] = 0,
    jobs: Annotated[Jobs, Option("Number of processes; the result does not depend on it.", least=1)] = 1,
    on_progress: OnProgress = ignore_progress,
) -> GeneratedSuite:
    """WorldTravel: trips through a city, each with exactly one solution, and the city's calendar.

    Cores of the city's scenarios are varied by who travels, what is wished for and where they sleep. A valid itinerary
    is found for each, then starts are sold out until no other one is left; CP-SAT and Z3 prove that. Constraints and
    anchors have the paper's distribution. The same command goes on with what was broken off.
    """
    from planspec.families.worldtravel.generator.generating import CitySuiteOptions, generate

    with as_file(files("planspec.tasks") / "cities") as shipped:
        folder = Path(city) if Path(city).is_dir() else shipped / city
        if not folder.is_dir():
            shipped_names = ", ".join(sorted(path.name for path in shipped.iterdir() if path.is_dir()))
            raise UnsuitableSuiteError(f"`{city}` is no city that ships ({shipped_names}), and no folder")
        return generate(out, CitySuiteOptions(folder, tasks, seed, after, named=city), on_progress, jobs=jobs)


def generate_pages(
    city: Annotated[
        str, Option("A city whose suite ships (berlin, ...), or the folder of a generated suite.", "CITY")
    ],
    out: Annotated[Path, Option("The folder, new or generated before.", "DIR")],
    seed: Annotated[int, Option("Seed of sites, layouts and words.")] = 0,
    pictures: Annotated[
        bool, Option("Also take a picture of each page with Chromium; only of pages that have none yet.")
    ] = False,
    export: Annotated[
        bool,
        Option("Also write a front page, a search and a cart; they work from a folder and from any server."),
    ] = False,
    visual_only: Annotated[
        bool,
        Option("Leave what greys and colours tell to the eye: programs that read pages aloud are not told."),
    ] = False,
    width: Annotated[int, Option("Of the window for pictures, in pixels.", least=320)] = 1280,
    scale: Annotated[int, Option("Pixels of a picture for one of the window.", least=1)] = 1,
    jobs: Annotated[Jobs, Option("Number of browsers that take pictures.", least=1)] = 1,
    on_progress: OnProgress = ignore_progress,
) -> GeneratedSuite:
    """WorldTravel's Webscape: a city as pages that have to be looked at.

    Overviews, hotels, ways, booking day by day, reservations, guides, floor plans, menus and notes on dining, as many as the
    paper has, on eight sites and in several layouts a kind. `facts.jsonl` records what each page tells, where on it, and
    from which cell of the world. The same seed gives the same bytes.
    """
    from planspec.families.worldtravel.webscape.camera import Lens, require_browser, take
    from planspec.families.worldtravel.webscape.writing import SITE, write_pages

    with as_file(files("planspec.tasks")) as shipped:
        own = bool(city) and Path(city).is_dir()
        folder = Path(city) if own else shipped / f"worldtravel-{city.lower().removeprefix('worldtravel-')}"
        if not folder.is_dir():
            names = ", ".join(
                sorted(
                    path.parent.name.removeprefix("worldtravel-")
                    for path in shipped.glob("worldtravel-*/world")
                )
            )
            raise UnsuitableSuiteError(f"`{city}` is no city whose suite ships ({names}), and no folder")
        if not pictures:
            return write_pages(folder, out, seed, on_progress, export=export, visual_only=visual_only)
        require_browser()
        made = write_pages(
            folder, out, seed, lambda text, share=None: on_progress(text, PAGES * (share or 0)), export=export,
            visual_only=visual_only,
        )  # fmt: skip
        taken = take(
            out,
            SITE,
            Lens(width, scale),
            lambda text, share=None: on_progress(text, PAGES + (1 - PAGES) * (share or 0)),
            jobs=jobs,
        )
        return replace(made, pictures=taken)
