"""Check in Chromium whether text fits the boxes of generated web pages: `python -m benchmarks.boxes`.

For each layout on each site, one page is rendered, in alternating variants of its HTML. It is opened at widths of 1280
and 390 pixels. The benchmark prints the faults of its text boxes, such as overlaps, and the number of pages with
faults.
"""

from __future__ import annotations

import argparse
import sys
from typing import get_args

from planspec.families.worldtravel.webscape.plan_of_site import Kind
from tests.families.worldtravel.webscape.boxes import WIDTHS, faults, sample


def main() -> None:
    """Print the faults of all pages."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--each", type=int, default=1, help="pages for each layout and site, in different variants of markup"
    )
    parser.add_argument("--kind", choices=get_args(Kind))
    options = parser.parse_args()
    pages = [page for page in sample(options.each) if options.kind in (None, page.spec.kind)]
    bad = 0
    for page, width, lines in faults(pages):
        bad += bool(lines)
        for line in lines:
            sys.stdout.write(
                f"{width:4} {page.spec.kind}/{page.layout} {page.site.id} {page.markup_variant} {page.spec.path}: {line}\n"
            )
        sys.stdout.flush()
    sys.stdout.write(f"{len(pages)} pages at {' and '.join(map(str, WIDTHS))} pixels: {bad} with findings\n")


if __name__ == "__main__":
    main()
