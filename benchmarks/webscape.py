"""Similarity of generated web pages of the same kind, in their HTML and in their pictures.

Run it as `python -m benchmarks.webscape`.

The skeleton of a page is the multiset of its paths of up to four nested elements, such as `body/main/ul/li`. One
skeleton includes the classes of the elements, another does not. The similarity of two pages is the share of paths that
they have in common (weighted Jaccard). For each page, the most similar other page is found. The tables show medians of
these similarities.

- Layouts: one page of each kind is rendered in each layout on each site, with the site's first variant of markup and
  with all variants. The table shows the similarity to the nearest other rendering, and to the nearest one in another
  layout.
- Pages: all 2,003 generated pages, by kind. The table shows the similarity to the nearest page of the same city, and
  to the nearest page of another place (of another city, for kinds with one page for each city). Booking and
  reservation pages exist for each day, so each place has hundreds of pages with similar contents.
- Pictures (`--pictures N`): N pages of each kind are drawn by the seed. The top of each page in Chromium is reduced to
  64 by 64 grey values. The table shows the correlation with the nearest other picture.
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
from planspec.families.worldtravel.webscape.markup import MARKUP_VARIANTS
from planspec.families.worldtravel.webscape.plan_of_site import PAGES, Kind
from planspec.families.worldtravel.webscape.rendering import PageRenderer, layouts
from planspec.families.worldtravel.webscape.sites import SITES
from planspec.families.worldtravel.webscape.tables import Tables
from tests.paths import ROOT

DEPTH = 4
SIDE = 64
CITY = "florence"
SINGLE = ("attractions", "restaurants", "hotels")
PathCounts = Counter[tuple[str, ...]]


class Skeleton(NamedTuple):
    """Paths of a page's elements.

    Attributes:
        classes: counts of paths of tags with classes.
        tags: counts of paths of tags only.
    """

    classes: PathCounts
    tags: PathCounts


class ComparedPage(NamedTuple):
    """A page to compare with other pages.

    Attributes:
        city: city of the page.
        subject: place, transport mode or city that the page is about.
        layout: layout of the page.
        skeleton: paths of the page's elements.
    """

    city: str
    subject: str
    layout: str
    skeleton: Skeleton


class _SkeletonParser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.skeleton = Skeleton(Counter(), Counter())
        self._open: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = ".".join(sorted((dict(attrs).get("class") or "").split()))
        self._open.append((f"{tag}.{classes}", tag))
        for paths, which in zip(self.skeleton, (0, 1), strict=True):
            paths[tuple(one[which] for one in self._open[-DEPTH:])] += 1
        if tag in VOID:
            self._open.pop()

    def handle_endtag(self, _: str) -> None:
        self._open.pop()


def skeleton(html: str) -> Skeleton:
    """Return the paths of a page's elements."""
    parser = _SkeletonParser()
    parser.feed(html)
    return parser.skeleton


def similarity(a: PathCounts, b: PathCounts) -> float:
    """Return the share of paths that two pages have in common, as weighted Jaccard similarity."""
    few, many = (a, b) if len(a) < len(b) else (b, a)
    common = sum(min(count, many[path]) for path, count in few.items() if path in many)
    return common / (a.total() + b.total() - common)


def nearest_similarities(
    pages: Sequence[ComparedPage], level: int, accepts: Callable[[ComparedPage, ComparedPage], bool]
) -> list[float]:
    """Return the similarity of each page to the most similar accepted page. Pages without an accepted page are skipped.

    Args:
        pages: the pages.
        level: 0 to compare paths with classes, 1 to compare tags only.
        accepts: function that returns whether a page may be compared with another.
    """
    best: dict[int, float] = {}
    for (i, a), (j, b) in combinations(enumerate(pages), 2):
        if accepts(a, b):
            value = similarity(a.skeleton[level], b.skeleton[level])
            best[i], best[j] = max(best.get(i, 0), value), max(best.get(j, 0), value)
    return list(best.values())


def render_variants(renderer: PageRenderer, kind: Kind, markup_variants: Sequence[int]) -> list[ComparedPage]:
    """Render one page of a kind in every layout, on every site and in every given variant of markup."""
    spec = next(spec for spec in renderer.specs if spec.kind == kind)
    return [
        ComparedPage(
            renderer.city,
            site.id,
            layout,
            skeleton(renderer.make_page(spec, site, layout, markup_variant).html),
        )
        for layout in layouts(kind)
        for site in SITES
        for markup_variant in markup_variants
    ]


def median_text(values: Iterable[float]) -> str:
    """Format a median with two decimals, or a dash if there are no values."""
    numbers = list(values)
    return f"{median(numbers):6.2f}" if numbers else "     -"


def picture_correlations(renderer: PageRenderer, count: int, seed: int) -> Mapping[Kind, list[float]]:
    """Return, for each kind, the correlation of each page's picture with the most similar other picture."""
    from PIL import Image

    from planspec.families.worldtravel.webscape.camera import PictureSettings
    from planspec.families.worldtravel.webscape.picture_source import PictureSource

    by_kind: dict[Kind, list[float]] = {}
    for kind in get_args(Kind):
        specs = [spec for spec in renderer.specs if spec.kind == kind]
        chosen = Random(f"{seed} {kind}").sample(specs, min(count, len(specs)))
        if len(chosen) < count:  # a kind with few pages is rendered in several layouts and variants
            pairs = [(layout, site) for layout in layouts(kind) for site in SITES]
            turns = Random(f"{seed} {kind} looks").sample(pairs, min(count, len(pairs)))
            texts = [
                renderer.make_page(specs[n % len(specs)], site, layout, n % len(MARKUP_VARIANTS)).html
                for n, (layout, site) in enumerate(turns)
            ]
        else:
            texts = [renderer.page(spec).html for spec in chosen]
        greys = []
        for data in PictureSource(PictureSettings()).pictures(texts):
            with Image.open(BytesIO(data)) as picture:
                grey = picture.convert("L")
                square = Image.new("L", (grey.width, grey.width), grey.getpixel((0, grey.height - 1)))
                square.paste(grey, (0, 0))
                greys.append(list(map(float, square.resize((SIDE, SIDE)).tobytes())))
        best = [-1.0] * len(greys)
        for i, j in combinations(range(len(greys)), 2):
            value = correlation(greys[i], greys[j])
            best[i], best[j] = max(best[i], value), max(best[j], value)
        by_kind[kind] = best
    return by_kind


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pictures", type=int, default=0, help="pictures of each kind")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    renderers = []
    for city in PAGES:
        tables = Tables(ROOT / "tasks" / f"worldtravel-{city}" / "world")
        renderers.append(PageRenderer(tables, city, tables.city["name"], options.seed))
    shown = next(renderer for renderer in renderers if renderer.city == CITY)

    sys.stdout.write("looks of one page     site's first build           all builds\n")
    sys.stdout.write("kind          looks  classes   tags  another     looks  classes   tags\n")
    for kind in get_args(Kind):
        first, all_looks = (
            render_variants(shown, kind, [0]),
            render_variants(shown, kind, range(len(MARKUP_VARIANTS))),
        )
        sys.stdout.write(
            f"{kind:12} {len(first):6}   {median_text(nearest_similarities(first, 0, _accept_any))} {median_text(nearest_similarities(first, 1, _accept_any))}   "
            f"{median_text(nearest_similarities(first, 1, lambda a, b: a.layout != b.layout))}    "
            f"{len(all_looks):6}   {median_text(nearest_similarities(all_looks, 0, _accept_any))} {median_text(nearest_similarities(all_looks, 1, _accept_any))}\n"
        )
        sys.stdout.flush()

    sys.stdout.write("\npages as generated          nearest           of another place\n")
    sys.stdout.write("kind          pages  classes   tags    classes   tags\n")
    pages_by_kind: dict[Kind, list[ComparedPage]] = {kind: [] for kind in get_args(Kind)}
    for renderer in renderers:
        for page in renderer.pages():
            pages_by_kind[page.spec.kind].append(
                ComparedPage(renderer.city, page.spec.subject or renderer.city, page.layout, skeleton(page.html))
            )
    for kind, pages in pages_by_kind.items():
        accepts = _accept_any if kind in SINGLE else _is_of_same_city
        another = _is_of_another_place if kind not in SINGLE else _accept_any
        sys.stdout.write(
            f"{kind:12} {len(pages):6}   {median_text(nearest_similarities(pages, 0, accepts))} {median_text(nearest_similarities(pages, 1, accepts))}     "
            f"{median_text(nearest_similarities(pages, 0, another))} {median_text(nearest_similarities(pages, 1, another))}\n"
        )
        sys.stdout.flush()

    if options.pictures:
        sys.stdout.write("\npictures      pages  nearest\n")
        for kind, values in picture_correlations(shown, options.pictures, options.seed).items():
            sys.stdout.write(f"{kind:12} {len(values):6}   {median_text(values)}\n")


def _accept_any(_: ComparedPage, __: ComparedPage) -> bool:
    return True


def _is_of_same_city(a: ComparedPage, b: ComparedPage) -> bool:
    return a.city == b.city


def _is_of_another_place(a: ComparedPage, b: ComparedPage) -> bool:
    return a.city == b.city and a.subject != b.subject


if __name__ == "__main__":
    main()
