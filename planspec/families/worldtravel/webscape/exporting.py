"""A city's pages as a site without a server: a front page, a search and a cart, for any server or a folder."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from markupsafe import Markup

from planspec.families.worldtravel.webscape.rendering import POLICY, TEMPLATES, Page, Press
from planspec.families.worldtravel.webscape.sites import SITES
from planspec.families.worldtravel.webscape.tables import Tables
from planspec.files import replace_text

OWN = {"index.html": "front.j2", "search.html": "export/search.j2", "cart.html": "export/cart.j2"}
"""Pages that only an export has, with their templates."""
ASSETS = "assets"
LINKS = (("Search", "../search.html"), ("Your cart", "../cart.html"))
"""Links on every page besides those of the city."""
EXPORTED = f"{POLICY}; script-src 'self'"
"""Content policy of an exported page: its own style, and the scripts beside it."""
_END = "</body>"


def export_press(tables: Tables, city: str, name: str, seed: int, *, visual_only: bool = False) -> Press:
    """Return a press whose pages link to search and cart.

    Args:
        tables: tables of its world.
        city: id of the city.
        name: name of the city.
        seed: seed of sites, layouts and words.
        visual_only: see `Press`.
    """
    return Press(tables, city, name, seed, LINKS, policy=EXPORTED, visual_only=visual_only)


def scripted(page: Page, city: str) -> str:
    """Return a page with the script for the cart form; its facts keep their places.

    Args:
        page: page made by `export_press`.
        city: id of the city.
    """
    spec = page.spec
    day = spec.days[0] if spec.kind == "booking" else ""
    script = Markup('<script src="../{}/site.js" data-city="{}" data-kind="{}" data-page="{}" data-day="{}"></script>\n').format(
        ASSETS, city, spec.kind, spec.path, day
    )  # fmt: skip
    before, end, after = page.html.rpartition(_END)
    return f"{before}{script}{end}{after}"


def write_export(press: Press, folder: Path, pages: Iterable[Page]) -> None:
    """Write the files of an export besides its pages.

    Args:
        press: press of the pages.
        folder: folder of the pages.
        pages: all pages; only their titles are needed.

    Raises:
        OSError: a file cannot be written.
    """
    (folder / ASSETS).mkdir(parents=True, exist_ok=True)
    replace_text(folder / ASSETS / "site.js", (TEMPLATES / "export" / "site.js").read_text("utf-8"))
    index = [
        {
            "path": page.spec.path,
            "title": page.title,
            "note": _note(page, press),
            "words": _words(page, press),
        }
        for page in pages
    ]
    replace_text(
        folder / ASSETS / "pages.js", f"window.PAGES = {json.dumps(index, ensure_ascii=True, indent=0)};\n"
    )
    site = SITES[press.seed % len(SITES)]
    for name, template in OWN.items():
        kind = name.removesuffix(".html")
        html = press.part(
            template, frame=f"frames/{site.id}.j2", site=site, city=press.name, title=_TITLES[kind], policy=EXPORTED,
            menu=[(label, to.removeprefix("/")) for label, to in press.links],
        )  # fmt: skip
        scripts = Markup(
            '<script src="{0}/pages.js"></script>\n<script src="{0}/site.js" data-city="{1}" data-kind="{2}"></script>\n'
        )
        before, end, after = html.rpartition(_END)
        replace_text(folder / name, f"{before}{scripts.format(ASSETS, press.city, kind)}{end}{after}")


def _note(page: Page, press: Press) -> str:
    """Return a text that distinguishes pages with the same title: writer, ticket, and day."""
    spec = page.spec
    offer = press.tables.row_where("offer", id=spec.variant) if spec.kind == "booking" else None
    parts = [offer["name"] if offer is not None else spec.variant, spec.days[0] if spec.days else ""]
    return ", ".join(filter(None, parts))


def _words(page: Page, press: Press) -> str:
    """Return the search text of a page: title, note, and its place's name, area and description, in lower case."""
    row = press.tables.row_where("place", id=page.spec.of)
    texts = [row[column] for column in ("name", "area", "about")] if row is not None else []
    if page.spec.kind == "hotels":
        texts += [hotel[column] for hotel in press.tables.rows("hotel") for column in ("name", "area")]
    return " ".join(
        [page.title, page.spec.kind.replace("_", " "), _note(page, press), *page.spec.days, *texts]
    ).lower()


_TITLES = {"index": "Start", "search": "Search", "cart": "Your cart"}
