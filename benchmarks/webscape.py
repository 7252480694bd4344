"""How alike the pages of a kind look to a program: the nearest neighbour of each look by its skeleton.

Method: a page of each kind is made in each layout on each site (a look). Its skeleton is the multiset of paths of up to four
elements, each with its tag and classes. The likeness of two looks is the share of paths that they have in common
(weighted Jaccard). For each look the nearest other look is found, among all of its kind and, to leave out what a site's
frame and a layout bring by themselves, among those of other layouts; the table has the medians. Run it as `python -m benchmarks.webscape`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from html.parser import HTMLParser
from statistics import median
from typing import get_args

from planspec.families.worldtravel.webscape.extracting import VOID
from planspec.families.worldtravel.webscape.plan_of_site import Kind
from planspec.families.worldtravel.webscape.rendering import Press, layouts
from planspec.families.worldtravel.webscape.sites import SITES
from planspec.families.worldtravel.webscape.tables import Tables
from tests.paths import ROOT

DEPTH = 4
CITY = "florence"
Look = tuple[str, str]


class _Skeleton(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.paths: Counter[tuple[str, ...]] = Counter()
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = ".".join(sorted((dict(attrs).get("class") or "").split()))
        self._open.append(f"{tag}.{classes}")
        self.paths[tuple(self._open[-DEPTH:])] += 1
        if tag in VOID:
            self._open.pop()

    def handle_endtag(self, _: str) -> None:
        self._open.pop()


def skeleton(html: str) -> Counter[tuple[str, ...]]:
    """The paths of a page's elements."""
    parser = _Skeleton()
    parser.feed(html)
    return parser.paths


def likeness(a: Counter[tuple[str, ...]], b: Counter[tuple[str, ...]]) -> float:
    """The share of paths that two pages have in common."""
    return (a & b).total() / (a | b).total()


def looks(press: Press, kind: Kind) -> Mapping[Look, Counter[tuple[str, ...]]]:
    """The skeletons of a kind's looks, all of one page."""
    spec = next(spec for spec in press.specs if spec.kind == kind)
    return {
        (layout, site.id): skeleton(press.made(spec, site, layout).html)
        for layout in layouts(kind)
        for site in SITES
    }


def main() -> None:
    """Print the table."""
    tables = Tables(ROOT / "tasks" / f"worldtravel-{CITY}" / "world")
    press = Press(tables, CITY, tables.city["name"])
    print(f"{'kind':14} layouts  looks  nearest look  nearest of another layout")
    for kind in get_args(Kind):
        made = looks(press, kind)
        near = [max(likeness(made[a], made[b]) for b in made if b != a) for a in made]
        others = [max((likeness(made[a], made[b]) for b in made if b[0] != a[0]), default=0.0) for a in made]
        print(f"{kind:14} {len(layouts(kind)):7} {len(made):6}  {median(near):12.2f}  {median(others):.2f}")


if __name__ == "__main__":
    main()
