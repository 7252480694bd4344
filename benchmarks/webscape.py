"""How alike the pages of a kind are to a program and to the eye: `python -m benchmarks.webscape`.

Skeletons: the multiset of a page's paths of up to four elements, once by their tags with their classes, once by their tags alone.
Two pages are as alike as the share of paths that they have in common (weighted Jaccard). For each page the nearest other one
is looked for; the tables have medians.

- Looks: one page of each kind is made in each layout on each site, with the site's first build and with the build that its
  page has; the nearest of the others, and the nearest in another layout.
- Pages: all 2,003 as they are generated, by kind; the nearest page of the city, and the nearest of another place. Of the kinds that have
  one page a city, the nearest of another city. Booking and reservation pages go day by day, so that a place has hundreds alike in what they tell.
- Pictures (`--pictures N`): N pages of each kind, drawn by the seed, as Chromium shows their first 1280 pixels, in 64 by 64 greys;
  the correlation with the nearest other one.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from html.parser import HTMLParser
from io import BytesIO
from itertools import combinations
from random import Random
from statistics import correlation, median
from typing import NamedTuple, get_args

from planspec.families.worldtravel.webscape.extracting import VOID
from planspec.families.worldtravel.webscape.hands import BUILDS
from planspec.families.worldtravel.webscape.plan_of_site import PAGES, Kind
from planspec.families.worldtravel.webscape.rendering import Press, layouts
from planspec.families.worldtravel.webscape.sites import SITES
from planspec.families.worldtravel.webscape.tables import Tables
from tests.paths import ROOT

DEPTH = 4
SIDE = 64
CITY = "florence"
SINGLE = ("attractions", "restaurants", "hotels")
Bones = Counter[tuple[str, ...]]


class Skeleton(NamedTuple):
    """The paths of a page's elements: with their classes, and by tags alone."""

    classes: Bones
    tags: Bones


class Made(NamedTuple):
    """A page that is compared with others.

    Attributes:
        of: its place, its mode, or its city.
    """

    city: str
    of: str
    layout: str
    bones: Skeleton


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found = Skeleton(Counter(), Counter())
        self._open: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = ".".join(sorted((dict(attrs).get("class") or "").split()))
        self._open.append((f"{tag}.{classes}", tag))
        for paths, which in zip(self.found, (0, 1), strict=True):
            paths[tuple(one[which] for one in self._open[-DEPTH:])] += 1
        if tag in VOID:
            self._open.pop()

    def handle_endtag(self, _: str) -> None:
        self._open.pop()


def skeleton(html: str) -> Skeleton:
    """The paths of a page's elements."""
    parser = _Reader()
    parser.feed(html)
    return parser.found


def likeness(a: Bones, b: Bones) -> float:
    """The share of paths that two pages have in common."""
    few, many = (a, b) if len(a) < len(b) else (b, a)
    common = sum(min(count, many[path]) for path, count in few.items() if path in many)
    return common / (a.total() + b.total() - common)


def nearest(pages: Sequence[Made], which: int, fit: Callable[[Made, Made], bool]) -> list[float]:
    """Of each page the likeness to the nearest that fits; pages that none fits are left out."""
    best: dict[int, float] = {}
    for (i, a), (j, b) in combinations(enumerate(pages), 2):
        if fit(a, b):
            alike = likeness(a.bones[which], b.bones[which])
            best[i], best[j] = max(best.get(i, 0), alike), max(best.get(j, 0), alike)
    return list(best.values())


def looks(press: Press, kind: Kind, builds: Sequence[int]) -> list[Made]:
    """A kind's looks, all of one page."""
    spec = next(spec for spec in press.specs if spec.kind == kind)
    return [
        Made(press.city, site.id, layout, skeleton(press.make_page(spec, site, layout, build).html))
        for layout in layouts(kind)
        for site in SITES
        for build in builds
    ]


def middle(values: Iterable[float]) -> str:
    """A median with two figures; a dash where there is none."""
    found = list(values)
    return f"{median(found):6.2f}" if found else "     -"


def pictures(press: Press, count: int, seed: int) -> Mapping[Kind, list[float]]:
    """Of each kind the correlations of pages' pictures with the nearest other one."""
    from PIL import Image

    from planspec.families.worldtravel.webscape.camera import Lens
    from planspec.families.worldtravel.webscape.snapshots import Snapshots

    found: dict[Kind, list[float]] = {}
    for kind in get_args(Kind):
        specs = [spec for spec in press.specs if spec.kind == kind]
        chosen = Random(f"{seed} {kind}").sample(specs, min(count, len(specs)))
        if len(chosen) < count:  # a kind of few pages is shown in looks that others have
            pairs = [(layout, site) for layout in layouts(kind) for site in SITES]
            turns = Random(f"{seed} {kind} looks").sample(pairs, min(count, len(pairs)))
            texts = [press.make_page(specs[n % len(specs)], site, layout, n % len(BUILDS)).html for n, (layout, site) in enumerate(turns)]  # fmt: skip
        else:
            texts = [press.page(spec).html for spec in chosen]
        greys = []
        for data in Snapshots(Lens()).of(texts):
            with Image.open(BytesIO(data)) as picture:
                grey = picture.convert("L")
                square = Image.new("L", (grey.width, grey.width), grey.getpixel((0, grey.height - 1)))
                square.paste(grey, (0, 0))
                greys.append(list(map(float, square.resize((SIDE, SIDE)).tobytes())))
        best = [-1.0] * len(greys)
        for i, j in combinations(range(len(greys)), 2):
            alike = correlation(greys[i], greys[j])
            best[i], best[j] = max(best[i], alike), max(best[j], alike)
        found[kind] = best
    return found


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pictures", type=int, default=0, help="so many of each kind")
    parser.add_argument("--seed", type=int, default=0)
    wanted = parser.parse_args()
    presses = []
    for city in PAGES:
        tables = Tables(ROOT / "tasks" / f"worldtravel-{city}" / "world")
        presses.append(Press(tables, city, tables.city["name"], wanted.seed))
    shown = next(press for press in presses if press.city == CITY)

    sys.stdout.write("looks of one page     site's first build           all builds\n")
    sys.stdout.write("kind          looks  classes   tags  another     looks  classes   tags\n")
    for kind in get_args(Kind):
        first, all_of = looks(shown, kind, [0]), looks(shown, kind, range(len(BUILDS)))
        sys.stdout.write(
            f"{kind:12} {len(first):6}   {middle(nearest(first, 0, _any))} {middle(nearest(first, 1, _any))}   "
            f"{middle(nearest(first, 1, lambda a, b: a.layout != b.layout))}    "
            f"{len(all_of):6}   {middle(nearest(all_of, 0, _any))} {middle(nearest(all_of, 1, _any))}\n"
        )
        sys.stdout.flush()

    sys.stdout.write("\npages as generated          nearest           of another place\n")
    sys.stdout.write("kind          pages  classes   tags    classes   tags\n")
    made: dict[Kind, list[Made]] = {kind: [] for kind in get_args(Kind)}
    for press in presses:
        for page in press.pages():
            made[page.spec.kind].append(
                Made(press.city, page.spec.of or press.city, page.layout, skeleton(page.html))
            )
    for kind, pages in made.items():
        fit = _any if kind in SINGLE else _of_a_city
        another = _of_another_place if kind not in SINGLE else _any
        sys.stdout.write(
            f"{kind:12} {len(pages):6}   {middle(nearest(pages, 0, fit))} {middle(nearest(pages, 1, fit))}     "
            f"{middle(nearest(pages, 0, another))} {middle(nearest(pages, 1, another))}\n"
        )
        sys.stdout.flush()

    if wanted.pictures:
        sys.stdout.write("\npictures      pages  nearest\n")
        for kind, values in pictures(shown, wanted.pictures, wanted.seed).items():
            sys.stdout.write(f"{kind:12} {len(values):6}   {middle(values)}\n")


def _any(_: Made, __: Made) -> bool:
    return True


def _of_a_city(a: Made, b: Made) -> bool:
    return a.city == b.city


def _of_another_place(a: Made, b: Made) -> bool:
    return a.city == b.city and a.of != b.of


if __name__ == "__main__":
    main()
