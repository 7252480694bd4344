"""How many pages each task of WorldTravel needs: `python -m benchmarks.fewest_pages`.

Of each task the cells are taken on which the verdict on the author's plan rests, and CP-SAT looks for the fewest pages that tell them all.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from statistics import median

from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.families.worldtravel.webscape.needed import facts_by_page, fewest_pages, needs
from planspec.families.worldtravel.webscape.rendering import Press
from planspec.families.worldtravel.webscape.tables import Tables

CITIES = ("berlin", "vienna", "rome", "barcelona", "florence")


def main() -> None:
    """Print a line for each task, then the numbers of each city."""
    totals = {}
    for city in CITIES:
        folder = Path("tasks") / f"worldtravel-{city}"
        tables = Tables(folder / "world")
        told = facts_by_page(Press(tables, city, tables.city["name"]))
        counts = []
        for path in sorted(folder.glob("*.task.yaml")):
            judge = Judge(load(path))
            wanted = needs(judge, tables)
            found = fewest_pages(wanted, told)
            assert found.pages is not None
            counts.append(len(found.pages))
            kinds = Counter(spec.kind for spec in found.pages)
            sys.stdout.write(
                f"{judge.task.id}  {len(found.pages):2} pages{'' if found.proved else ' at most'} for {len(wanted)} cells, {len(found.uncovered)} on none  "
                + ", ".join(f"{kind} {n}" for kind, n in sorted(kinds.items()))
                + "".join(f"  {need}" for need in found.uncovered)
                + "\n"
            )
            sys.stdout.flush()
        totals[city] = counts
    for city, counts in totals.items():
        sys.stdout.write(f"{city}: {min(counts)} to {max(counts)}, median {median(counts):g}\n")


if __name__ == "__main__":
    main()
