"""`planspec import veritrip` and `planspec generate veritrip`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from planspec.families.suite_writing.folder import ImportResult
from planspec.families.suite_writing.options import GeneratedSuite, Option, Told, UnfitSuite, untold
from planspec.parallel import Jobs


def import_suite(
    facts: Annotated[
        Path, Option("The fact base: a CSV or JSONL file for each table.", "DIR", exists="folder")
    ],
    currency: Annotated[str, Option("The currency of the prices, such as CNY.", "CODE")],
    queries: Annotated[
        list[Path], Option("Queries as JSON lines; may be given several times.", "FILE.jsonl", exists="file")
    ],
    out: Annotated[Path, Option("The suite's folder, new or of an earlier import.", "DIR")],
) -> ImportResult:
    """VeriTrip: a world of a fact base, tasks of its queries.

    The tables are transportation, attractions, restaurants, accommodations and pois, each as NAME.csv or NAME.jsonl; a
    missing column is an error.

    Reports what became of each row, and each line that is not a query for this fact base (exit status 2).
    """
    from planspec.families.veritrip.importing import import_veritrip, suite_folder

    if not re.fullmatch("[A-Z]{3}", currency):
        raise UnfitSuite(f"`{currency}` is not a currency; write three letters, such as CNY")
    suite_folder(out).require()
    return import_veritrip(facts, currency, queries, out)


def generate_suite(
    out: Annotated[Path, Option("The folder, new or generated before.", "DIR")],
    seed: Annotated[int, Option("Seed of the services, documents and queries.")] = 0,
    size: Annotated[int, Option("Number of documents in the corpus; the paper has 8210.", least=0)] = 2000,
    images: Annotated[int, Option("Number of pictures in the corpus; the paper has 4146.", least=0)] = 400,
    queries: Annotated[int, Option("Number of queries that have a plan; the paper has 228.", least=0)] = 60,
    clean: Annotated[bool, Option("Make a corpus in which no document contradicts the facts.")] = False,
    jobs: Annotated[Jobs, Option("Number of processes; the result does not depend on it.", least=1)] = 1,
    told: Told = untold,
) -> GeneratedSuite:
    """VeriTrip: a world of facts, documents and pictures about it, and queries.

    The places of six cities are real; the seed makes services, documents, pictures and queries. Each query is proved to
    have a plan with all its preferences; a few near misses are kept apart, with the rules that cannot hold together.
    """
    from planspec.families.veritrip.generating import SuiteSize, generate, is_generated

    if out.exists() and not (out.is_dir() and is_generated(out)):
        raise UnfitSuite(f"`{out}` is neither a new folder nor one that was generated before")
    return generate(out, SuiteSize(seed, size, images, queries, clean), told, jobs=jobs)
