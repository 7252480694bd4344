"""Layout checks of pages in Chromium: text that overlaps or overflows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

from planspec.families.worldtravel.webscape.camera import require_browser
from planspec.families.worldtravel.webscape.extracting import elements
from planspec.families.worldtravel.webscape.markup import MARKUP_VARIANTS
from planspec.families.worldtravel.webscape.plan_of_site import Kind
from planspec.families.worldtravel.webscape.rendering import Page, PageRenderer, layouts
from planspec.families.worldtravel.webscape.sites import SITES
from planspec.families.worldtravel.webscape.tables import Tables
from tests.paths import ROOT

WIDTHS = (1280, 390)
CITIES = ("florence", "vienna", "barcelona", "rome", "berlin")
FAULTS = r"""() => {
  const found = [], boxes = [], slack = 2;
  const scrolls = e => { for (; e && e !== document.body; e = e.parentElement) { const o = getComputedStyle(e).overflowX; if (o === 'auto' || o === 'scroll') return e; } return null; };
  if (document.documentElement.scrollWidth > innerWidth + 1) {
    const wide = [...document.body.querySelectorAll('*')].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !scrolls(e)).slice(0, 3).map(e => e.tagName + '.' + e.className);
    found.push('wider than its window by ' + (document.documentElement.scrollWidth - innerWidth) + ': ' + wide.join(' '));
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    if (!node.data.trim() || ['STYLE', 'TITLE'].includes(node.parentElement.tagName.toUpperCase())) continue;
    const style = getComputedStyle(node.parentElement);
    if (style.visibility === 'hidden') continue;
    const range = document.createRange(); range.selectNodeContents(node);
    const said = node.data.trim().slice(0, 40);
    for (const r of range.getClientRects()) {
      if (r.width < 1 || r.height < 1) continue;
      const inner = scrolls(node.parentElement);
      if (!inner && (r.left < -slack || r.right > innerWidth + slack)) found.push('out of the window: ' + said);
      for (let e = node.parentElement; e && e !== document.body; e = e.parentElement) {
        const s = getComputedStyle(e), b = e.getBoundingClientRect();
        if (s.display === 'contents' || s.display === 'inline') continue;
        if ((s.overflowX === 'hidden' || s.overflowX === 'clip') && (r.right > b.right + slack || r.left < b.left - slack || r.bottom > b.bottom + slack)) found.push('cut: ' + said);
        const framed = parseFloat(s.borderRightWidth) > 0 || s.backgroundColor !== 'rgba(0, 0, 0, 0)';
        if (framed && !inner && b.width > 0 && (r.right > b.right + slack || r.left < b.left - slack)) found.push('out of its box (' + e.tagName + '.' + e.className + '): ' + said);
      }
      boxes.push([r, said, node.parentElement]);
    }
  }
  boxes.sort((a, b) => a[0].top - b[0].top);
  for (let i = 0; i < boxes.length; i++) {
    const a = boxes[i][0];
    for (let j = i + 1; j < boxes.length && boxes[j][0].top < a.bottom - 3; j++) {
      const b = boxes[j][0];
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left), down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      const small = Math.min(a.height, b.height);
      if (across > 2 && down > small * 0.35) found.push('over each other: ' + boxes[i][1] + ' | ' + boxes[j][1]);
    }
  }
  return [document.querySelectorAll('*').length, [...new Set(found)].slice(0, 6)];
}"""
"""Script that returns the layout faults of a page.

A piece of text has a fault if it overlaps another one, or extends beyond the window, its frame or a clipping box. A
page has a fault if it is wider than its window. The content of a scrolling box may be wider than the box.
"""


def sample(each: int) -> Iterator[Page]:
    """Yield pages of each kind, layout and site, with different places and variants of markup in turn.

    Args:
        each: number of pages of each kind, layout and site, in different variants of markup.
    """
    renderers = []
    for city in CITIES:
        tables = Tables(ROOT / "tasks" / f"worldtravel-{city}" / "world")
        renderers.append(PageRenderer(tables, city, tables.city["name"]))
    turn = 0
    for kind in get_args(Kind):
        for layout in layouts(kind):
            for site in SITES:
                for _ in range(each):
                    renderer = renderers[turn % len(renderers)]
                    specs = [spec for spec in renderer.specs if spec.kind == kind]
                    markup_variant = (turn + turn // len(SITES)) % len(MARKUP_VARIANTS)
                    yield renderer.make_page(specs[(turn * 7) % len(specs)], site, layout, markup_variant)
                    turn += 1


def faults(pages: list[Page], widths: tuple[int, ...] = WIDTHS) -> Iterator[tuple[Page, int, list[str]]]:
    """Yield each page with a width of the window, in pixels, and the layout faults at this width.

    The script `FAULTS` finds them. It is also a fault if the browser's elements differ from those in the HTML.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver, TemporaryDirectory() as folder:
        browser = driver.chromium.launch(
            executable_path=require_browser(), args=["--no-sandbox", "--font-render-hinting=none"]
        )
        for width in widths:
            tab = browser.new_page(viewport={"width": width, "height": 900})
            for page in pages:
                path = Path(folder) / "page.html"
                path.write_text(page.html, "utf-8")
                tab.goto(path.as_uri())
                seen: tuple[int, list[Any]] = tab.evaluate(FAULTS)
                result = list(map(str, seen[1]))
                if seen[0] != len(elements(page.html)):
                    result.append(f"the browser sees {seen[0]} elements, the text has {len(elements(page.html))}")
                yield page, width, result
            tab.close()
        browser.close()
