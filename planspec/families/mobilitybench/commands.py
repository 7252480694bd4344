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
    csv: Annotated[Path | None, Option("The same, as it was called before.", "FILE", exists="file")] = None,
    sandbox: Annotated[
        Path | None,
        Option("The folder with the JSON caches of the toolkit's sandbox.", "DIR", exists="folder"),
    ] = None,
) -> ImportResult:
    """MobilityBench: episodes with their recorded tools, and tasks, of the public table.

    With the caches of the public toolkit's sandbox, its tools answer all that is recorded there, and results that are cut off in the
    table are taken from them.

    Reports what became of each column's cells: those that are cut off or cannot be read have no value. Names the
    questions that a task does not ask for lack of a value, and each row that is not an episode (exit status 2).
    """
    from planspec.families.mobilitybench.public.importing import import_mobilitybench

    given = [path for path in (table, csv) if path is not None]
    if len(given) != 1:
        raise UnsuitableSuiteError("give the public table once, by `--table FILE`")
    result, report = import_mobilitybench(given[0], out, sandbox)
    lost = (str(cell) for cell in report.cells if cell.lost)
    filled = (f"{report.filled:,} results that the table lacks are in the caches",) if report.filled else ()
    return replace(result, notes=(*lost, *filled, *map(str, report.unasked)))


def import_map(
    file: Annotated[
        Path,
        Option(
            "An extract of OpenStreetMap: .osm.pbf, or what osmium reads.", "FILE", exists="file", bare=True
        ),
    ],
    out: Annotated[Path, Option("The map's folder, new or of an earlier import.", "DIR")],
    name: Annotated[
        str | None, Option("The city's name; if left out, that of a city or town in the extract.")
    ] = None,
    language: Annotated[Language, Option("Of addresses and instructions.")] = "en",
    country: Annotated[
        str,
        Option(
            "Its code (ISO 3166): currency, side of the road and holidays follow, where they are known.",
            "CODE",
        ),
    ] = "",
) -> ImportResult:
    """OpenStreetMap: streets, places and addresses, as a map for `planspec generate mobilitybench --map DIR`.

    Needs the extra `osm`. An extract has 20,000 junctions at most; of a larger one paths are left out first. Lines with
    timetables are not in OpenStreetMap. The folder keeps the notice of its licence, the ODbL, which goes with every copy.
    """
    from planspec.families.mobilitybench.map_folder import import_osm

    return import_osm(file, out, name, language, country)


def generate_suite(
    out: Annotated[Path, Option("The folder, new or generated before.", "DIR")],
    seed: Annotated[int, Option("Seed of the cities and queries.")] = 0,
    size: Annotated[int, Option("Number of episodes; the paper has 100000.", least=1)] = 2000,
    cities: Annotated[
        int | None,
        Option("Cities to draw from, the most asked ones; if left out, the size decides.", least=1),
    ] = None,
    map: Annotated[
        Path | None, Option("A map of `planspec import osm`: all episodes are there.", "DIR", exists="folder")
    ] = None,
    jobs: Annotated[Jobs, Option("Number of processes; the result does not depend on it.", least=1)] = 1,
    on_progress: OnProgress = ignore_progress,
) -> GeneratedSuite:
    """MobilityBench: queries about routes through and between cities, the tools' results, and the truth.

    Scenarios come in the paper's proportions. Cities are 398 real ones in 22 countries, few asked about often and many
    seldom, with invented streets; days are those of 2026. Each episode's program is executed, and
    the verifier passes the answer that follows from it. Episodes are written one by one; from 10,000 on they are
    written in shards, and the same command goes on with what was broken off.
    """
    from planspec.families.mobilitybench.generating import SuiteOptions, generate

    return generate(out, SuiteOptions(seed, size, cities, jobs, map), on_progress)
