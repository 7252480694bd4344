"""The commands `planspec import worldtravel`, `planspec generate worldtravel` and `planspec generate webscape`."""

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
"""Share of the reported progress that writing the pages takes. Taking the pictures takes the rest."""


def import_suite(
    tasks: Annotated[
        list[Path],
        Option("The authors' tasks as JSON; may be given several times.", "FILE.json", exists="file"),
    ],
    out: Annotated[Path, Option("The suite's folder: a new one, or that of an earlier import.", "DIR")],
    answers: Annotated[
        list[Path],
        Option("Answers to the tasks as JSON; may be given several times.", "FILE.json", exists="file"),
    ] = [],  # noqa: B006
    year: Annotated[int, Option("Year of dates that name none, such as 7.1.", least=1)] = 2026,
) -> ImportResult:
    """WorldTravel: tasks with the authors' rubrics, and answers to them.

    A task has an id, a query and constraints. Each constraint calls one of the paper's five verification functions. The
    files have no prices, opening hours or other facts on places, so answers are judged only by these calls.

    The report counts the calls of each function and names the facts that the files lack. It lists each record that is
    neither a task nor an answer (exit status 2).
    """
    from planspec.families.worldtravel.importing import import_worldtravel, suite_folder

    suite_folder(out).require_writable()
    return import_worldtravel(tasks, answers, year, out)


def generate_suite(
    city: Annotated[str, Option("Name of a shipped city (berlin, ...), or the folder of a city.", "CITY")],
    out: Annotated[Path, Option("The suite's folder: a new one, or one that an interrupted run began.", "DIR")],
    tasks: Annotated[int, Option("Number of tasks; the paper has 30 for each city.", least=1)] = 30,
    seed: Annotated[int, Option("Seed of the calendar, the tasks and the wording.")] = 0,
    after: Annotated[
        int,
        Option(
            "Number of the benchmark's tasks in earlier cities, so that the numbers of constraints and anchors in all cities "
            "together follow the paper's distribution.",
            least=0,
        ),
    ] = 0,
    jobs: Annotated[Jobs, Option("Number of processes; the result does not depend on it.", least=1)] = 1,
    on_progress: OnProgress = ignore_progress,
) -> GeneratedSuite:
    """WorldTravel: a city's calendar, and tasks to plan a trip through the city, each with exactly one solution.

    Each task varies a scenario of the city: the travellers, their wishes and their hotel. The generator finds a valid
    itinerary, then marks start times as sold out until no other itinerary is possible. CP-SAT and Z3 prove that there
    is no other. The numbers of constraints and of anchors (places where a visit must begin at a bookable start time)
    follow the paper's distribution. The same command resumes an interrupted run.
    """
    from planspec.families.worldtravel.generator.generating import CitySuiteOptions, generate

    with as_file(files("planspec.tasks") / "cities") as shipped:
        folder = Path(city) if Path(city).is_dir() else shipped / city
        if not folder.is_dir():
            shipped_names = ", ".join(sorted(path.name for path in shipped.iterdir() if path.is_dir()))
            raise UnsuitableSuiteError(f"`{city}` is neither a shipped city ({shipped_names}) nor a folder")
        return generate(out, CitySuiteOptions(folder, tasks, seed, after, city_name=city), on_progress, jobs=jobs)


def generate_pages(
    city: Annotated[
        str,
        Option("Name of a city with a shipped suite (berlin, ...), or the folder of a generated suite.", "CITY"),
    ],
    out: Annotated[Path, Option("The folder of the pages: a new one, or one that this command filled before.", "DIR")],
    seed: Annotated[int, Option("Seed of the sites, layouts and wording.")] = 0,
    pictures: Annotated[bool, Option("With Chromium, also take a picture of each new or changed page.")] = False,
    export: Annotated[
        bool,
        Option("Also write a front page, a search and a cart. They work from a folder and on any server."),
    ] = False,
    visual_only: Annotated[
        bool,
        Option("Hide from screen readers the facts that only greys and colours show."),
    ] = False,
    width: Annotated[int, Option("Width of the window for pictures, in pixels.", least=320)] = 1280,
    scale: Annotated[int, Option("Pixels of the picture for each pixel of the window.", least=1)] = 1,
    jobs: Annotated[Jobs, Option("Number of browsers that take pictures at once.", least=1)] = 1,
    on_progress: OnProgress = ignore_progress,
) -> GeneratedSuite:
    """WorldTravel's Webscape: a city as web pages that show many facts only visually.

    The pages are routes, booking pages by day, reservation pages, guides, floor plans, menus, notes on dining, and
    overviews of attractions, restaurants and hotels. For shipped cities there are as many as in the paper. The pages
    belong to eight sites, and each kind of page has several layouts. `facts.jsonl` records the facts on each page, with
    their positions and the cells of the city's tables that they show. The same seed gives the same bytes.
    """
    from planspec.families.worldtravel.webscape.camera import PictureSettings, require_browser, take_pictures
    from planspec.families.worldtravel.webscape.writing import SITE, write_pages

    with as_file(files("planspec.tasks")) as shipped:
        is_folder = bool(city) and Path(city).is_dir()
        folder = Path(city) if is_folder else shipped / f"worldtravel-{city.lower().removeprefix('worldtravel-')}"
        if not folder.is_dir():
            names = ", ".join(
                sorted(path.parent.name.removeprefix("worldtravel-") for path in shipped.glob("worldtravel-*/world"))
            )
            raise UnsuitableSuiteError(f"`{city}` is neither a city with a shipped suite ({names}) nor a folder")
        if not pictures:
            return write_pages(folder, out, seed, on_progress, export=export, visual_only=visual_only)
        require_browser()
        written = write_pages(
            folder,
            out,
            seed,
            lambda text, share=None: on_progress(text, PAGES * (share or 0)),
            export=export,
            visual_only=visual_only,
        )
        picture_count = take_pictures(
            out,
            SITE,
            PictureSettings(width, scale),
            lambda text, share=None: on_progress(text, PAGES + (1 - PAGES) * (share or 0)),
            jobs=jobs,
        )
        return replace(written, pictures=picture_count)
