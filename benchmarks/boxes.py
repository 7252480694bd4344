"""Whether text keeps to its place: `python -m benchmarks.boxes`, in Chromium, on wide and narrow screens.

For each layout on each site a page is made, in turn of each build, and opened 1280 and 390 pixels wide. Prints what is found of the
boxes of its text, at most six lines for each page, and how many pages have something.
"""

from __future__ import annotations

import argparse
import sys
from typing import get_args

from planspec.families.worldtravel.webscape.plan_of_site import Kind
from tests.families.worldtravel.webscape.boxes import WIDTHS, faults, sample


def main() -> None:
    """Print what is found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--each", type=int, default=1, help="builds of each layout and site")
    parser.add_argument("--kind", choices=get_args(Kind))
    wanted = parser.parse_args()
    pages = [page for page in sample(wanted.each) if wanted.kind in (None, page.spec.kind)]
    bad = 0
    for page, width, found in faults(pages):
        bad += bool(found)
        for line in found:
            sys.stdout.write(f"{width:4} {page.spec.kind}/{page.layout} {page.site.id} {page.build} {page.spec.path}: {line}\n")  # fmt: skip
        sys.stdout.flush()
    sys.stdout.write(f"{len(pages)} pages at {' and '.join(map(str, WIDTHS))} pixels: {bad} with findings\n")


if __name__ == "__main__":
    main()
