"""Pages as HTML: a site's frame around a layout of the page's kind. Equal seeds give equal pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib.resources import files
from math import lcm
from random import Random
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from planspec.families.worldtravel.webscape.drawing import scene
from planspec.families.worldtravel.webscape.facts import ShownFact, Teller
from planspec.families.worldtravel.webscape.hands import BUILDS, hand_of
from planspec.families.worldtravel.webscape.plan_of_site import Kind, PageSpec, modes, pages
from planspec.families.worldtravel.webscape.sites import SITES, Site
from planspec.families.worldtravel.webscape.tables import Tables, WorldRow
from planspec.families.worldtravel.webscape.views import view

TEMPLATES = files("planspec.families.worldtravel.webscape") / "template"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""Content policy of a page: nothing but its own style."""


@dataclass(frozen=True, slots=True)
class Page:
    """A finished page.

    Attributes:
        layout: template of its kind.
        build: index of its markup.
        facts: all facts on it, in document order.
    """

    spec: PageSpec
    site: Site
    layout: str
    build: int
    title: str
    html: str
    facts: tuple[ShownFact, ...]


@dataclass(frozen=True, slots=True)
class Around:
    """The navigation around a page's own text.

    Attributes:
        name: name of the place, or of the city.
        here: the place, or the overview.
        same: further pages of the place, or of the city: name and path.
        others: pages of other places with the same kind and day.
        above: overview that lists the place; None for pages of the whole city.
    """

    name: str
    here: str
    same: list[tuple[str, str]]
    others: list[tuple[str, str]]
    above: tuple[str, str] | None


_OVERVIEWS: tuple[Kind, ...] = ("attractions", "restaurants", "hotels", "ways")
_MODES = {"driving": "By car", "foot": "On foot"}
_PAGES: Mapping[str, tuple[tuple[str, Kind, str], ...]] = {
    "attraction": (
        ("Tickets", "booking", ""), ("Official guide", "guide", "official"), ("From the magazine", "guide", "magazine"),
        ("A visitor's blog", "guide", "blog"), ("Floor plan", "floor_plan", ""),
    ),
    "restaurant": (("Reserve a table", "reservation", ""), ("Menu", "menu", ""), ("How a meal goes", "dining", "")),
}  # fmt: skip
"""Pages of a place: names, kinds and writers."""


def layouts(kind: Kind) -> list[str]:
    """Return the names of a kind's layouts."""
    folder = TEMPLATES / "layouts" / kind
    return sorted(path.name.removesuffix(".j2") for path in folder.iterdir() if path.name.endswith(".j2"))


class Press:
    """Makes the pages of a city.

    Args:
        tables: tables of its world.
        city: id of the city.
        name: name of the city.
        seed: seed of sites, layouts and words.
        more: further links on every page, name and path.
        policy: content policy of pages.
        visual_only: whether facts shown only by greys and colours are hidden from screen readers.
    """

    def __init__(
        self,
        tables: Tables,
        city: str,
        name: str,
        seed: int = 0,
        more: Sequence[tuple[str, str]] = (),
        policy: str = POLICY,
        *,
        visual_only: bool = False,
    ) -> None:
        self.tables = tables
        self.city = city
        self.name = name
        self.seed = seed
        self._more = tuple(more)
        self._policy = policy
        self._visual_only = visual_only
        self._environment = Environment(
            loader=FunctionLoader(_source), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        )  # fmt: skip

    @cached_property
    def specs(self) -> list[PageSpec]:
        """The pages of the city."""
        return pages(self.tables, self.city)

    def pages(self) -> Iterator[Page]:
        """Yield all pages, in order."""
        return (self.page(spec) for spec in self.specs)

    def page(self, spec: PageSpec) -> Page:
        """Return one page."""
        return self.make_page(spec, *self._looks[spec])

    @cached_property
    def _looks(self) -> Mapping[PageSpec, tuple[Site, str, int]]:
        """The look of each page. No two of a kind are alike while there are looks left.

        Sites and layouts take turns, in an order drawn from the seed; after all pairs, each gets the next
        build.
        """
        looks: dict[PageSpec, tuple[Site, str, int]] = {}
        for kind in dict.fromkeys(spec.kind for spec in self.specs):
            random = Random(f"{self.seed} {self.city} {kind}")
            names, sites = layouts(kind), list(SITES)
            random.shuffle(names)
            random.shuffle(sites)
            pairs = len(names) * len(sites)
            builds = [random.randrange(len(BUILDS)) for _ in range(pairs)]
            for turn, spec in enumerate(spec for spec in self.specs if spec.kind == kind):
                lap, place = divmod(turn, pairs)
                site = sites[(place + place // lcm(len(names), len(sites))) % len(sites)]
                looks[spec] = site, names[place % len(names)], (builds[place] + lap) % len(BUILDS)
        return looks

    def make_page(self, spec: PageSpec, site: Site, layout: str, build: int = 0) -> Page:
        """Make one page on a site, with a layout and a build."""
        teller = Teller(site, Random(f"{self.seed} {self.city} {spec.path} words"), self._visual_only)
        names = dict(view(self.tables, spec))
        heading = self._heading(spec)
        template = self._environment.get_template(f"layouts/{spec.kind}/{layout}.j2")
        marked = template.render(
            **names, t=teller, site=site, s=site.token, frame=f"frames/{site.id}.j2", city=self.name, title=heading, spec=spec,
            picture=lambda row, width=640, height=360: Markup(scene(row, width, height, site)),  # noqa: S704 our own drawing
            path=self._path, place_named=self._place, policy=self._policy, menu=self._menu, around=self._around(spec), books=self._books,
            number=int(sha256(spec.path.encode()).hexdigest()[:6], 16),
        )  # fmt: skip
        html, facts = teller.placed(hand_of(site, build).write(marked))
        return Page(spec, site, layout, build, heading, html, tuple(facts))

    def front(self, more: Sequence[tuple[str, str]] = ()) -> str:
        """Return the front page, which links to the others and has no facts.

        Args:
            more: further links, name and path.
        """
        site = SITES[0]
        return self.part(
            "front.j2",
            frame=f"frames/{site.id}.j2",
            site=site,
            city=self.name,
            title=self.name,
            menu=[(name, to.removeprefix("/")) for name, to in (*self.links, *more)],
            policy=POLICY,
        )

    def part(self, template: str, **names: Any) -> str:
        """Return a template rendered by itself, without facts."""
        return self._environment.get_template(template).render(**names)

    @property
    def links(self) -> list[tuple[str, str]]:
        """The links on every page, from the root of the city's pages."""
        return [(name, f"/{to.removeprefix('../').removeprefix('/')}") for name, to in self._menu if to]

    def _heading(self, spec: PageSpec) -> str:
        row = self.tables.row_where("place", id=spec.of)
        name = self.name if row is None else row["name"]
        return {
            "attractions": f"What to see in {self.name}", "restaurants": f"Where to eat in {self.name}", "hotels": f"Hotels in {self.name}",
            "ways": f"Getting around {self.name}", "booking": f"{name}: tickets", "reservation": f"{name}: reservations",
            "guide": f"{name}: a guide", "floor_plan": f"{name}: plan", "menu": f"{name}: menu", "dining": f"Dining at {name}",
        }[spec.kind]  # fmt: skip

    def _around(self, spec: PageSpec) -> Around:
        """Return the navigation of a page."""
        row = self.tables.row_where("place", id=spec.of)
        day = spec.days[0] if spec.days else ""
        if row is None:
            same: list[tuple[str, str | None]] = [
                *(self._menu[: len(_OVERVIEWS)]),
                *((_MODES.get(mode, f"By {mode}"), self._path("ways", mode)) for mode in modes(self.tables)),
            ]
            others: list[tuple[str, str | None]] = []
        else:
            same = [
                (
                    name if kind != "reservation" or self._books(spec.of) else "When to come",
                    self._path(kind, spec.of, variant, day),
                )
                for name, kind, variant in _PAGES[row["kind"]]
            ]
            kind, variant = (spec.kind, spec.variant) if spec.kind == "guide" else (spec.kind, "")
            others = [
                (other["name"], self._path(kind, other["id"], variant, day))
                for other in self.tables.rows_where("place", kind=row["kind"])
                if other["id"] != spec.of
            ]
            if spec.kind == "booking":
                alone = (
                    (offer["name"], self._paths.get(("booking", spec.of, offer["id"], day)))
                    for offer in self.tables.rows_where("offer", place=spec.of)
                )
                same += [(f"{ticket} alone", f"../{path}") for ticket, path in alone if path is not None]
        here = self._path(spec.kind, spec.of, spec.variant, day)
        overview = self._menu[
            _OVERVIEWS.index(
                "restaurants" if row is not None and row["kind"] == "restaurant" else "attractions"
            )
        ]
        return Around(
            self.name if row is None else row["name"],
            self._menu[_OVERVIEWS.index(spec.kind)][0] if row is None else row["name"],
            [(name, to) for name, to in same if to is not None and to != here],
            [(name, to) for name, to in others if to is not None],
            None if row is None else (overview[0], overview[1] or ""),
        )

    def _place(self, id: str) -> WorldRow | None:
        return self.tables.row_where("place", id=id)

    def _books(self, place: str) -> bool:
        """Return whether a restaurant takes reservations."""
        return any(offer["booked"] == "true" for offer in self.tables.rows_where("offer", place=place))

    def _path(self, kind: Kind, of: str = "", variant: str = "", day: str = "") -> str | None:
        """Return the relative path of another page, or None if there is no such page.

        The page is given by its kind, and by a place, a mode or nothing.
        """
        path = self._paths.get((kind, of, variant, day)) or self._paths.get((kind, of, variant, ""))
        return None if path is None else f"../{path}"

    @cached_property
    def _paths(self) -> Mapping[tuple[str, str, str, str], str]:
        paths: dict[tuple[str, str, str, str], str] = {}
        for spec in self.specs:
            for day in spec.days or ("",):
                paths[spec.kind, spec.of, spec.variant, day] = spec.path
            paths.setdefault((spec.kind, spec.of, spec.variant, ""), spec.path)
        return paths

    @cached_property
    def _menu(self) -> list[tuple[str, str | None]]:
        """The links on every page: name and path."""
        kinds: tuple[tuple[str, Kind, str], ...] = (
            ("Sights", "attractions", ""), ("Restaurants", "restaurants", ""), ("Hotels", "hotels", ""),
            ("Getting around", "ways", "foot"),
        )  # fmt: skip
        return [*((name, self._path(kind, of)) for name, kind, of in kinds), *self._more]


def _source(name: str) -> str | None:
    path = TEMPLATES / name
    return path.read_text("utf-8") if path.is_file() else None
