"""The commands `planspec import veritrip` and `planspec generate veritrip`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from planspec.families.veritrip.noise_level import NOISE
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
    facts: Annotated[Path, Option("The fact base: a CSV or JSONL file for each table.", "DIR", exists="folder")],
    currency: Annotated[str, Option("The currency of the prices, such as CNY.", "CODE")],
    queries: Annotated[
        list[Path], Option("Queries as JSON lines; may be given several times.", "FILE.jsonl", exists="file")
    ],
    out: Annotated[Path, Option("The suite's folder, new or of an earlier import.", "DIR")],
    corpus: Annotated[Path | None, Option("Documents and pictures for agents; most settings need them.", "DIR")] = None,
    clean: Annotated[bool, Option("Declare that no document of the corpus contradicts the facts.")] = False,
) -> ImportResult:
    """VeriTrip: tasks from a fact base, queries and a corpus of documents.

    The tables are transportation, attractions, restaurants, accommodations and pois, each as NAME.csv or
    NAME.jsonl; a missing column is an error. The documents in the corpus are Markdown, text, HTML or JSON lines. The corpus
    may also have `pictures.csv`, which names the places in its pictures, `anchors/` with the pictures that belong to
    queries, and `hidden.jsonl` with the statements of the documents.

    The report counts the used and dropped rows, and lists each line that is not a query for this fact base (exit status
    2).
    """
    from planspec.families.veritrip.importing import import_veritrip, suite_folder

    if not re.fullmatch("[A-Z]{3}", currency):
        raise UnsuitableSuiteError(f"`{currency}` is not a currency; write three letters, such as CNY")
    if corpus is not None and not corpus.is_dir():
        raise UnsuitableSuiteError(f"there is no folder `{corpus}`")
    if clean and corpus is None:
        raise UnsuitableSuiteError("--clean needs a corpus: give one with --corpus")
    suite_folder(out).require_writable()
    return import_veritrip(facts, currency, queries, out, corpus, clean=clean)


def generate_suite(
    out: Annotated[Path, Option("The folder, new or generated before.", "DIR")],
    seed: Annotated[int, Option("Seed of the services, documents and queries.")] = 0,
    size: Annotated[
        str,
        Option(
            "Number of documents in the corpus; above 2000 the fact base grows with it. `paper`: 8210 documents, and as many "
            "facts, pictures and queries as in the paper.",
            "N|paper",
        ),
    ] = "2000",
    images: Annotated[
        int | None, Option("Number of pictures in the corpus. Default: 400; 4146 with `--size paper`.", least=0)
    ] = None,
    queries: Annotated[
        int | None, Option("Number of queries that have a plan. Default: 60; 228 with `--size paper`.", least=0)
    ] = None,
    clean: Annotated[bool, Option("Make a corpus in which no document contradicts the facts.")] = False,
    noise: Annotated[
        float,
        Option("Share of the attractions, hotels and timetables that documents contradict, from 0 to 1.", least=0),
    ] = NOISE,
    photos: Annotated[
        Path | None,
        Option(
            "A folder of photographs and `pictures.csv` (file, place, city), used instead of renderings.",
            "DIR",
            exists="folder",
        ),
    ] = None,
    jobs: Annotated[Jobs, Option("Number of processes; the result does not depend on it.", least=1)] = 1,
    on_progress: OnProgress = ignore_progress,
) -> GeneratedSuite:
    """VeriTrip: a fact base, documents and pictures about its places, and queries.

    The six cities of the default size have only real places. Larger sizes have up to 15 cities and also invented
    places, which are marked as such. The seed determines services, documents, pictures and queries. Each query is
    proved to have a plan with all its preferences. A few near misses (queries without a plan) are stored separately,
    each with rules that cannot hold together. An interrupted run is continued if the arguments are the same.
    """
    from planspec.families.veritrip.base_size import PAPER_DOCUMENTS, PAPER_IMAGES, PAPER_QUERIES
    from planspec.families.veritrip.generating import SuiteSize, generate, is_empty_or_generated

    if noise > 1:
        raise UnsuitableSuiteError(f"--noise is a share from 0 to 1, not {noise:g}")
    if out.exists() and not (out.is_dir() and is_empty_or_generated(out)):
        raise UnsuitableSuiteError(f"`{out}` is neither a new folder nor one that was generated before")
    paper = size.strip().lower() == "paper"
    documents = PAPER_DOCUMENTS if paper else _parse_document_count(size)
    images = (PAPER_IMAGES if paper else 400) if images is None else images
    queries = (PAPER_QUERIES if paper else 60) if queries is None else queries
    return generate(
        out, SuiteSize(seed, documents, images, queries, clean, noise), on_progress, jobs=jobs, photos=photos
    )


def _parse_document_count(size: str) -> int:
    """Parse the requested number of documents.

    Raises:
        UnsuitableSuiteError: The text is not a number of at most seven digits.
    """
    if not re.fullmatch("[0-9]{1,7}", size.strip()):
        raise UnsuitableSuiteError(f"--size is a number of documents or `paper`, not `{size}`")
    return int(size)
