"""Export of a city's pages as a static site with a front page, a search and a cart."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from markupsafe import Markup

from planspec.families.worldtravel.webscape.rendering import POLICY, TEMPLATES, Page, PageRenderer
from planspec.families.worldtravel.webscape.sites import SITES
from planspec.families.worldtravel.webscape.tables import Tables
from planspec.files import replace_text

EXPORT_TEMPLATES = {
    "index.html": "front.j2",
    "search.html": "export/search.j2",
    "cart.html": "export/cart.j2",
}
"""Files of the pages that only an export has, with the templates from which they are rendered."""
ASSETS = "assets"
LINKS = (("Search", "../search.html"), ("Your cart", "../cart.html"))
"""Names and paths of links on every page, in addition to the links to pages of the city."""
EXPORT_POLICY = f"{POLICY}; script-src 'self'"
"""Content security policy of an exported page. It permits the page's own style and local scripts."""
_END = "</body>"


def export_renderer(tables: Tables, city: str, name: str, seed: int, *, visual_only: bool = False) -> PageRenderer:
    """Return a renderer of pages that link to the search and the cart.

    Args:
        tables: tables of the city.
        city: id of the city.
        name: name of the city.
        seed: seed of sites, layouts and words.
        visual_only: whether facts shown only by greys and colours are hidden from screen readers.
    """
    return PageRenderer(tables, city, name, seed, LINKS, policy=EXPORT_POLICY, visual_only=visual_only)


def with_script(page: Page, city: str) -> str:
    """Return the HTML of a page with the script for the cart. The script stands at the end of the page.

    Args:
        page: page made by `export_renderer`.
        city: id of the city.
    """
    spec = page.spec
    day = spec.days[0] if spec.kind == "booking" else ""
    script = Markup(
        '<script src="../{}/site.js" data-city="{}" data-kind="{}" data-page="{}" data-day="{}"></script>\n'
    ).format(ASSETS, city, spec.kind, spec.path, day)
    before, end, after = page.html.rpartition(_END)
    return f"{before}{script}{end}{after}"


def write_export(renderer: PageRenderer, folder: Path, pages: Iterable[Page]) -> None:
    """Write all files of an export except the city's pages.

    Args:
        renderer: renderer of the pages.
        folder: folder of the pages.
        pages: all pages of the city. Their HTML and facts are not needed.

    Raises:
        OSError: a file cannot be written.
    """
    (folder / ASSETS).mkdir(parents=True, exist_ok=True)
    replace_text(folder / ASSETS / "site.js", (TEMPLATES / "export" / "site.js").read_text("utf-8"))
    index = [
        {
            "path": page.spec.path,
            "title": page.title,
            "note": _distinguishing_note(page, renderer),
            "words": _search_text(page, renderer),
        }
        for page in pages
    ]
    replace_text(folder / ASSETS / "pages.js", f"window.PAGES = {json.dumps(index, ensure_ascii=True, indent=0)};\n")
    site = SITES[renderer.seed % len(SITES)]
    for name, template in EXPORT_TEMPLATES.items():
        kind = name.removesuffix(".html")
        html = renderer.render_template(
            template,
            frame=f"frames/{site.id}.j2",
            site=site,
            city=renderer.name,
            title=_TITLES[kind],
            policy=EXPORT_POLICY,
            menu=[(label, to.removeprefix("/")) for label, to in renderer.links],
        )
        scripts = Markup(
            '<script src="{0}/pages.js"></script>\n<script src="{0}/site.js" data-city="{1}" data-kind="{2}"></script>\n'
        )
        before, end, after = html.rpartition(_END)
        replace_text(folder / name, f"{before}{scripts.format(ASSETS, renderer.city, kind)}{end}{after}")


def _distinguishing_note(page: Page, renderer: PageRenderer) -> str:
    """Return the writer, the ticket and the day of a page, which distinguish pages with the same title."""
    spec = page.spec
    offer = renderer.tables.row_where("offer", id=spec.variant) if spec.kind == "booking" else None
    parts = [offer["name"] if offer is not None else spec.variant, spec.days[0] if spec.days else ""]
    return ", ".join(filter(None, parts))


def _search_text(page: Page, renderer: PageRenderer) -> str:
    """Return the text, in lower case, in which the search looks for words."""
    row = renderer.tables.row_where("place", id=page.spec.subject)
    texts = [row[column] for column in ("name", "area", "about")] if row is not None else []
    if page.spec.kind == "hotels":
        texts += [hotel[column] for hotel in renderer.tables.rows("hotel") for column in ("name", "area")]
    return " ".join(
        [
            page.title,
            page.spec.kind.replace("_", " "),
            _distinguishing_note(page, renderer),
            *page.spec.days,
            *texts,
        ]
    ).lower()


_TITLES = {"index": "Start", "search": "Search", "cart": "Your cart"}
