"""Rendering of pages as HTML: the frame of a site around one of the layouts for the page's kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import sha256
from importlib.resources import files
from math import lcm
from random import Random
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from planspec.families.worldtravel.webscape.cartes import is_grand
from planspec.families.worldtravel.webscape.drawing import scene
from planspec.families.worldtravel.webscape.facts import FactWriter, ShownFact
from planspec.families.worldtravel.webscape.guide_text import GuideText
from planspec.families.worldtravel.webscape.markup import MARKUP_VARIANTS, markup_writer
from planspec.families.worldtravel.webscape.phrasing import PhraseDeck, article
from planspec.families.worldtravel.webscape.plan_drawing import drawn_plan, shade_of
from planspec.families.worldtravel.webscape.plan_of_site import Kind, PageSpec, modes, pages
from planspec.families.worldtravel.webscape.remarks import Remarks
from planspec.families.worldtravel.webscape.sites import SITES, Site
from planspec.families.worldtravel.webscape.tables import Tables, WorldRow
from planspec.families.worldtravel.webscape.views import view

TEMPLATES = files("planspec.families.worldtravel.webscape") / "template"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""Content security policy of a page. It permits only the page's own style and embedded images."""


@dataclass(frozen=True, slots=True)
class Page:
    """A rendered page.

    Attributes:
        layout: name of the layout, one of the layouts for the page's kind.
        markup_variant: index of the markup in `markup.MARKUP_VARIANTS`.
        facts: all facts on the page, in document order.
    """

    spec: PageSpec
    site: Site
    layout: str
    markup_variant: int
    title: str
    html: str
    facts: tuple[ShownFact, ...]


@dataclass(frozen=True, slots=True)
class Navigation:
    """Links from a page to related pages. A link is a pair of a name and a path.

    Attributes:
        name: name of the page's place, or of the city.
        title: name of the place, or of the overview.
        own_pages: links to further pages of the place, or of the city.
        other_places: links to pages of the same kind and day for other places.
        overview: link to the overview that lists the place; None for pages of the whole city.
    """

    name: str
    title: str
    own_pages: list[tuple[str, str]]
    other_places: list[tuple[str, str]]
    overview: tuple[str, str] | None


_OVERVIEWS: tuple[Kind, ...] = ("attractions", "restaurants", "hotels", "ways")
_MODES = {"driving": "By car", "foot": "On foot"}
_PAGES: Mapping[str, tuple[tuple[str, Kind, str], ...]] = {
    "attraction": (
        ("Tickets", "booking", ""),
        ("Official guide", "guide", "official"),
        ("From the magazine", "guide", "magazine"),
        ("A visitor's blog", "guide", "blog"),
        ("Floor plan", "floor_plan", ""),
    ),
    "restaurant": (("Reserve a table", "reservation", ""), ("Menu", "menu", ""), ("How a meal goes", "dining", "")),
}
"""Pages of a place, by the kind of place. Each has a name, a kind of page and, if it is a guide, a kind of writer."""


def layouts(kind: Kind) -> list[str]:
    """Return the names of the layouts for a kind of page."""
    folder = TEMPLATES / "layouts" / kind
    return sorted(path.name.removesuffix(".j2") for path in folder.iterdir() if path.name.endswith(".j2"))


_FITTING: Mapping[str, tuple[str, ...]] = {
    "blog": ("diary", "forum"),
    "magazine": ("essay", "feature"),
    "official": ("dossier", "faq", "leaflet"),
    "grand": ("card", "tiles"),
    "plain": ("chalkboard", "classic", "table", "till"),
}
"""Layouts of guides by kind of writer, and layouts of menus by kind of restaurant (`grand` or `plain`)."""


def fitting_layouts(group: str) -> list[str]:
    """Return the names of the layouts for guides (`group` is a kind of writer) or menus (`grand` or `plain`)."""
    return list(_FITTING[group])


class PageRenderer:
    """Renderer of the pages of a city. Equal arguments always give equal pages.

    Args:
        tables: tables of the city.
        city: id of the city.
        name: name of the city.
        seed: seed of the sites, layouts and wording.
        extra_links: names and paths of links that every page has in addition to the links to pages of the city.
        policy: content security policy of the pages.
        visual_only: whether facts shown only by greys and colours are hidden from screen readers.
    """

    def __init__(
        self,
        tables: Tables,
        city: str,
        name: str,
        seed: int = 0,
        extra_links: Sequence[tuple[str, str]] = (),
        policy: str = POLICY,
        *,
        visual_only: bool = False,
    ) -> None:
        self.tables = tables
        self.city = city
        self.name = name
        self.seed = seed
        self._more = tuple(extra_links)
        self._policy = policy
        self._visual_only = visual_only
        self._environment = Environment(
            loader=FunctionLoader(_template_text),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    @cached_property
    def specs(self) -> list[PageSpec]:
        """The specifications of the city's pages, in order."""
        return pages(self.tables, self.city)

    def pages(self) -> Iterator[Page]:
        """Yield all pages of the city, in order."""
        return (self.page(spec) for spec in self.specs)

    def page(self, spec: PageSpec) -> Page:
        """Render a page of the city."""
        return self.make_page(spec, *self._looks[spec])

    @cached_property
    def _looks(self) -> Mapping[PageSpec, tuple[Site, str, int]]:
        """The site, layout and variant of markup of each page.

        Pages of the same kind (or group with its own layouts) get different combinations as long as there are unused
        ones. Pairs of a site and a layout are used in an order drawn from the seed. After the last pair, the first pair
        is used again, with the next variant of markup.
        """
        looks: dict[PageSpec, tuple[Site, str, int]] = {}
        groups: dict[tuple[Kind, str], list[PageSpec]] = {}
        for spec in self.specs:
            groups.setdefault((spec.kind, self._layout_group(spec)), []).append(spec)
        for (kind, group), specs in groups.items():
            random = Random(f"{self.seed} {self.city} {kind}{group}")
            names, sites = fitting_layouts(group) if group else layouts(kind), list(SITES)
            random.shuffle(names)
            random.shuffle(sites)
            pairs = len(names) * len(sites)
            markup_variants = [random.randrange(len(MARKUP_VARIANTS)) for _ in range(pairs)]
            for turn, spec in enumerate(specs):
                lap, place = divmod(turn, pairs)
                site = sites[(place + place // lcm(len(names), len(sites))) % len(sites)]
                looks[spec] = (
                    site,
                    names[place % len(names)],
                    (markup_variants[place] + lap) % len(MARKUP_VARIANTS),
                )
        return looks

    def _layout_group(self, spec: PageSpec) -> str:
        row = self._place_row(spec.subject)
        if spec.kind == "menu" and row is not None:
            return "grand" if is_grand(self.tables, row) else "plain"
        return spec.variant if spec.kind == "guide" else ""

    def make_page(self, spec: PageSpec, site: Site, layout: str, markup_variant: int = 0) -> Page:
        """Render a page on a site, with a layout and a variant of markup."""
        writer = FactWriter(site, Random(f"{self.seed} {self.city} {spec.path} words"), self._visual_only)
        names = dict(view(self.tables, spec))
        heading = self._heading(spec)
        template = self._environment.get_template(f"layouts/{spec.kind}/{layout}.j2")
        marked = template.render(
            **names,
            t=writer,
            site=site,
            s=site.token,
            frame=f"frames/{site.id}.j2",
            city=self.name,
            title=heading,
            spec=spec,
            picture=lambda row, width=640, height=360: Markup(scene(row, width, height, site)),  # noqa: S704 a drawing from our own code
            narrator=self._guide_text(spec, writer) if spec.kind in ("guide", "dining") else None,
            remarks=Remarks(writer, self._deck(spec), self._deck_of),
            draw_plan=partial(drawn_plan, writer=writer),
            shade=shade_of,
            the=article,
            path=self._relative_path,
            place_named=self._place_row,
            policy=self._policy,
            menu=self._menu_links,
            around=self._navigation(spec),
            books=self._takes_reservations,
            number=int(sha256(spec.path.encode()).hexdigest()[:6], 16),
        )
        html, facts = writer.extract_facts(markup_writer(site, markup_variant).write(marked))
        return Page(spec, site, layout, markup_variant, heading, html, tuple(facts))

    def _deck(self, spec: PageSpec) -> PhraseDeck:
        """Return the deck of phrases for a page. Pages of the same kind use phrases in the order of their places."""
        row = self._place_row(spec.subject)
        return PhraseDeck(f"{self.seed} {self.city}", 0) if row is None else self._deck_of(row)

    def _deck_of(self, place: WorldRow) -> PhraseDeck:
        """Return the source of phrases for a place's pages. Places of one kind get different phrases from it."""
        turn = self.tables.rows_where("place", kind=place["kind"]).index(place)
        return PhraseDeck(f"{self.seed} {self.city}", turn)

    def _guide_text(self, spec: PageSpec, writer: FactWriter) -> GuideText | None:
        row = self._place_row(spec.subject)
        return None if row is None else GuideText(row, writer, self._deck(spec))

    def front_page(self, extra_links: Sequence[tuple[str, str]] = ()) -> str:
        """Return the HTML of the front page, which has links to other pages and no facts.

        Args:
            extra_links: names and paths of links in addition to the links that every page has.
        """
        site = SITES[0]
        return self.render_template(
            "front.j2",
            frame=f"frames/{site.id}.j2",
            site=site,
            city=self.name,
            title=self.name,
            menu=[(name, to.removeprefix("/")) for name, to in (*self.links, *extra_links)],
            policy=POLICY,
        )

    def render_template(self, template: str, **names: Any) -> str:
        """Return the HTML of a rendered template that shows no facts."""
        return self._environment.get_template(template).render(**names)

    @property
    def links(self) -> list[tuple[str, str]]:
        """The links on every page, with paths from the root of the city's pages."""
        return [(name, f"/{to.removeprefix('../').removeprefix('/')}") for name, to in self._menu_links if to]

    def _heading(self, spec: PageSpec) -> str:
        row = self.tables.row_where("place", id=spec.subject)
        name = self.name if row is None else row["name"]
        return {
            "attractions": f"What to see in {self.name}",
            "restaurants": f"Where to eat in {self.name}",
            "hotels": f"Hotels in {self.name}",
            "ways": f"Getting around {self.name}",
            "booking": f"{name}: tickets",
            "reservation": f"{name}: reservations",
            "guide": f"{name}: a guide",
            "floor_plan": f"{name}: plan",
            "menu": f"{name}: menu",
            "dining": f"Dining at {name}",
        }[spec.kind]

    def _navigation(self, spec: PageSpec) -> Navigation:
        """Return the links to the pages that are related to a page."""
        row = self.tables.row_where("place", id=spec.subject)
        day = spec.days[0] if spec.days else ""
        if row is None:
            same: list[tuple[str, str | None]] = [
                *(self._menu_links[: len(_OVERVIEWS)]),
                *((_MODES.get(mode, f"By {mode}"), self._relative_path("ways", mode)) for mode in modes(self.tables)),
            ]
            others: list[tuple[str, str | None]] = []
        else:
            same = [
                (
                    name if kind != "reservation" or self._takes_reservations(spec.subject) else "When to come",
                    self._relative_path(kind, spec.subject, variant, day),
                )
                for name, kind, variant in _PAGES[row["kind"]]
            ]
            kind, variant = (spec.kind, spec.variant) if spec.kind == "guide" else (spec.kind, "")
            others = [
                (other["name"], self._relative_path(kind, other["id"], variant, day))
                for other in self.tables.rows_where("place", kind=row["kind"])
                if other["id"] != spec.subject
            ]
            if spec.kind == "booking":
                alone = (
                    (offer["name"], self._paths.get(("booking", spec.subject, offer["id"], day)))
                    for offer in self.tables.rows_where("offer", place=spec.subject)
                )
                same += [(f"{ticket} alone", f"../{path}") for ticket, path in alone if path is not None]
        own_path = self._relative_path(spec.kind, spec.subject, spec.variant, day)
        overview = self._menu_links[
            _OVERVIEWS.index("restaurants" if row is not None and row["kind"] == "restaurant" else "attractions")
        ]
        return Navigation(
            self.name if row is None else row["name"],
            self._menu_links[_OVERVIEWS.index(spec.kind)][0] if row is None else row["name"],
            [(name, to) for name, to in same if to is not None and to != own_path],
            [(name, to) for name, to in others if to is not None],
            None if row is None else (overview[0], overview[1] or ""),
        )

    def _place_row(self, id: str) -> WorldRow | None:
        return self.tables.row_where("place", id=id)

    def _takes_reservations(self, place: str) -> bool:
        return any(offer["booked"] == "true" for offer in self.tables.rows_where("offer", place=place))

    def _relative_path(self, kind: Kind, subject: str = "", variant: str = "", day: str = "") -> str | None:
        """Return the path of a page, relative to any other page, or None if there is no such page."""
        path = self._paths.get((kind, subject, variant, day)) or self._paths.get((kind, subject, variant, ""))
        return None if path is None else f"../{path}"

    @cached_property
    def _paths(self) -> Mapping[tuple[str, str, str, str], str]:
        """The paths of the pages, by kind, subject, variant and day. An empty string stands for any day."""
        paths: dict[tuple[str, str, str, str], str] = {}
        for spec in self.specs:
            for day in spec.days or ("",):
                paths[spec.kind, spec.subject, spec.variant, day] = spec.path
            paths.setdefault((spec.kind, spec.subject, spec.variant, ""), spec.path)
        return paths

    @cached_property
    def _menu_links(self) -> list[tuple[str, str | None]]:
        """Names and paths of the links on every page. The path is None if the city has no such page."""
        kinds: tuple[tuple[str, Kind, str], ...] = (
            ("Sights", "attractions", ""),
            ("Restaurants", "restaurants", ""),
            ("Hotels", "hotels", ""),
            ("Getting around", "ways", "foot"),
        )
        return [*((name, self._relative_path(kind, subject)) for name, kind, subject in kinds), *self._more]


def _template_text(name: str) -> str | None:
    path = TEMPLATES / name
    return path.read_text("utf-8") if path.is_file() else None
