"""`planspec import mobilitybench`, `planspec import osm` and `planspec generate mobilitybench`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from planspec.families.mobilitybench.map.records import Language
from planspec.parallel import Jobs
from planspec.suite_writing.folder import ImportResult
from planspec.suite_writing.options import (
    GeneratedSuite,
    OnProgress,
    Option,
    UnsuitableSuiteError,
    ignore_progress,
)


def import_suite(
    out: Annotated[Path, Option("The suite's folder, new or of an earlier import.", "DIR")],
    table: Annotated[
        Path | None,
        Option("The public table: .csv, .xlsx or another spreadsheet, or .json.", "FILE", exists="file"),
    ] = None,
    csv: Annotated[Path | None, Option("Former name of `--table`.", "FILE", exists="file")] = None,
    sandbox: Annotated[
        Path | None,
        Option("The folder with the JSON caches of the toolkit's sandbox.", "DIR", exists="folder"),
    ] = None,
) -> ImportResult:
    """MobilityBench: the public table as episodes with recorded tool results, and as tasks.

    With --sandbox, the tools also answer the calls that are recorded in the caches of the public toolkit's sandbox.
    Results that are cut off in the table are then taken from these caches if possible.

    Reports for each column the cells that are cut off or cannot be read, and therefore have no value. Lists the
    questions that tasks leave out because a value is missing, and the rows that are not episodes (exit status 2).
    """
    from planspec.families.mobilitybench.public.importing import import_mobilitybench

    given = [path for path in (table, csv) if path is not None]
    if len(given) != 1:
        raise UnsuitableSuiteError("give the public table once, by `--table FILE`")
    result, report = import_mobilitybench(given[0], out, sandbox)
    lost = (str(cell) for cell in report.cells if cell.is_missing)
    filled = (f"{report.filled:,} results that the table lacks are in the caches",) if report.filled else ()
    return replace(result, notes=(*lost, *filled, *map(str, report.unjudged)))


def import_map(
    file: Annotated[
        Path,
        Option(
            "An extract of OpenStreetMap: .osm.pbf, or another format that osmium reads.",
            "FILE",
            exists="file",
            bare=True,
        ),
    ],
    out: Annotated[Path, Option("The map's folder, new or of an earlier import.", "DIR")],
    name: Annotated[str | None, Option("The city's name; if left out, that of a city or town in the extract.")] = None,
    language: Annotated[Language, Option("Language of addresses and instructions.")] = "en",
    country: Annotated[
        str,
        Option(
            "Code of the country (ISO 3166), which decides currency, side of the road and holidays if they are known.",
            "CODE",
        ),
    ] = "",
) -> ImportResult:
    """OpenStreetMap: streets, places and addresses, as a map for `planspec generate mobilitybench --map DIR`.

    Needs the extra `osm`. A map has at most 20,000 junctions; if an extract has more, footpaths and cycle paths are left
    out. The map has no public transport, since OpenStreetMap has no timetables. The folder holds the notice of the
    licence, the ODbL; this notice must accompany every copy.
    """
    from planspec.families.mobilitybench.map_folder import import_osm

    return import_osm(file, out, name, language, country)


def generate_suite(
    out: Annotated[Path, Option("The folder, new or generated before.", "DIR")],
    seed: Annotated[int, Option("Seed of the cities and queries.")] = 0,
    size: Annotated[int, Option("Number of episodes; the paper has 100000.", least=1)] = 2000,
    cities: Annotated[
        int | None,
        Option(
            "Number of cities to draw from, the most popular first; if left out, it depends on the size.",
            least=1,
        ),
    ] = None,
    map: Annotated[
        Path | None,
        Option("A map of `planspec import osm`, in which all episodes take place.", "DIR", exists="folder"),
    ] = None,
    jobs: Annotated[Jobs, Option("Number of processes; the result does not depend on it.", least=1)] = 1,
    on_progress: OnProgress = ignore_progress,
) -> GeneratedSuite:
    """MobilityBench: queries about routes through and between cities, the tools' results, and the truth.

    Scenarios have the paper's proportions. The 398 cities in 22 countries are real, but their streets are invented. A
    few cities have many queries, and many cities have few. All days are in 2026. The reference program of each episode
    calls the tools, and the answer that follows from their results passes the verifier. A suite of 10,000 episodes or
    more is written in shards; if the command is interrupted, the same command continues the suite.
    """
    from planspec.families.mobilitybench.generating import SuiteOptions, generate

    return generate(out, SuiteOptions(seed, size, cities, jobs, map), on_progress)
