"""Minimum number of pages that each WorldTravel task needs: `python -m benchmarks.fewest_pages`.

The verdict on the author's plan depends on facts (cells of tables). For each task, CP-SAT searches for a smallest set
of pages that together show all these facts.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from statistics import median

from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.families.worldtravel.webscape.needed import facts_by_page, fewest_pages, needed_cells
from planspec.families.worldtravel.webscape.rendering import PageRenderer
from planspec.families.worldtravel.webscape.tables import Tables

CITIES = ("berlin", "vienna", "rome", "barcelona", "florence")


def main() -> None:
    """Print one line for each task, then a summary of each city."""
    totals = {}
    for city in CITIES:
        folder = Path("tasks") / f"worldtravel-{city}"
        tables = Tables(folder / "world")
        pages_by_cell = facts_by_page(PageRenderer(tables, city, tables.city["name"]))
        counts = []
        for path in sorted(folder.glob("*.task.yaml")):
            judge = Judge(load(path))
            cells = needed_cells(judge, tables)
            cover = fewest_pages(cells, pages_by_cell)
            assert cover.pages is not None
            counts.append(len(cover.pages))
            kinds = Counter(spec.kind for spec in cover.pages)
            sys.stdout.write(
                f"{judge.task.id}  {len(cover.pages):2} pages{'' if cover.proved else ' at most'} for {len(cells)} cells, {len(cover.uncovered)} on none  "
                + ", ".join(f"{kind} {n}" for kind, n in sorted(kinds.items()))
                + "".join(f"  {need}" for need in cover.uncovered)
                + "\n"
            )
            sys.stdout.flush()
        totals[city] = counts
    for city, counts in totals.items():
        sys.stdout.write(f"{city}: {min(counts)} to {max(counts)}, median {median(counts):g}\n")


if __name__ == "__main__":
    main()
