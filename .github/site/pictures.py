"""Screenshots of the panel, the report and the Webscape for docs/pictures: `make pictures`.

Chromium shows newly generated runs and pages. The pictures are in the repository, so that the site needs neither a
browser nor a solver. A palette of 64 colours keeps each PNG small and its letters sharp.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "docs" / "pictures"
WIDE = 1200
COLOURS = 64
SECONDS = 20.0
TWELVE = (
    ("booking", "uffizi", "timetable", "almanac"),
    ("booking", "duomo", "steps", "nocturne"),
    ("booking", "accademia", "seats", "gate"),
    ("booking", "pitti", "receipt", "kasse"),
    ("reservation", "cibreo", "matrix", "municipal"),
    ("guide", "uffizi", "diary", "nocturne"),
    ("guide", "palazzo_vecchio", "forum", "kasse"),
    ("floor_plan", "uffizi", "row", "terminal"),
    ("menu", "buca_lapi", "chalkboard", "ricordo"),
    ("attractions", "", "magazine", "harbor"),
    ("hotels", "", "cards", "gate"),
    ("ways", "taxi", "departures", "ricordo"),
)
"""Shown pages of Florence: kind, subject, layout and site."""
DAY = "2026-06-03"
"""Day of the pages that exist for each day."""
TILE = (380, 316)
"""Width and height of each page in the picture of all twelve, in pixels."""
AGENTS = {"oracle": "oracle", "greedy": "greedy", "random": "random"}
TASKS = 12
PNG = b"\x89PNG"


def main() -> None:
    """Draw the pictures named on the command line, or all of them."""
    chosen = sys.argv[1:] or list(PICTURES)
    with TemporaryDirectory() as scratch, browser() as opened:
        for name in chosen:
            file, picture = drawn(name, opened, Path(scratch))
            path = OUT / file
            path.write_bytes(picture)
            sys.stdout.write(f"{path.relative_to(ROOT)}: {path.stat().st_size} bytes\n")


def drawn(name: str, opened: Any, scratch: Path) -> tuple[str, bytes]:
    """Draw a picture, and return its file name and its bytes."""
    picture = PICTURES[name](opened, scratch)
    return (f"{name}.png", packed(picture)) if picture.startswith(PNG) else (f"{name}.jpg", picture)


@contextmanager
def browser() -> Iterator[Any]:
    """Start the Chromium on the PATH, and yield it."""
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        sys.exit("error: there is no Chromium on the PATH")
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield opened
        opened.close()


def packed(picture: bytes) -> bytes:
    """Return a PNG reduced to `COLOURS` colours."""
    from PIL import Image

    made = BytesIO()
    few = Image.open(BytesIO(picture)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(made, "PNG", optimize=True)
    return made.getvalue()


def panel(opened: Any, scratch: Path) -> bytes:
    """Draw a trip with a failing answer: its plan to scale, the violated rules, and the smallest repair."""
    from planspec.live.panel import panel_page, proved_panel

    answer = ROOT / "tasks" / "worldtravel" / "answers" / "demo-fail.json"
    page = scratch / "panel.html"
    page.write_text(panel_page(proved_panel("berlin-001", SECONDS, answer)), "utf-8")
    tab = opened.new_page(viewport={"width": WIDE, "height": 1250})
    tab.goto(page.as_uri())
    tab.locator("svg.map").first.wait_for()
    return bytes(tab.screenshot())


def report(opened: Any, scratch: Path) -> bytes:
    """Draw the top of a report: scores of three baselines with intervals, and their comparison."""
    tab = opened.new_page(viewport={"width": WIDE, "height": 1150})
    tab.goto(_report(scratch).as_uri())
    return bytes(tab.screenshot())


def task(opened: Any, scratch: Path) -> bytes:
    """Draw a task of the report with a failing attempt."""
    tab = opened.new_page(viewport={"width": WIDE, "height": 1200})
    tab.goto(f"{_report(scratch).as_uri()}#task-0")
    tab.locator("#panel-0 svg.map").first.wait_for()
    tab.locator("#panel-0 [role=tab]", has_text="greedy").click()
    tab.locator("#task-0").evaluate(
        "row => scrollTo({ top: row.getBoundingClientRect().top + scrollY - 8, behavior: 'instant' })"
    )
    return bytes(tab.screenshot())


def webscape(opened: Any, scratch: Path) -> bytes:
    """Draw the tops of twelve pages of a city as one picture."""
    from PIL import Image

    from planspec.families.worldtravel.webscape.rendering import PageRenderer
    from planspec.families.worldtravel.webscape.sites import SITES
    from planspec.families.worldtravel.webscape.tables import Tables

    renderer = PageRenderer(Tables(ROOT / "tasks" / "worldtravel-florence" / "world"), "florence", "Florence")
    wide, tall = TILE
    whole = Image.new("RGB", (4 * (wide + 6), 3 * (tall + 6)), "white")
    tab = opened.new_page(viewport={"width": WIDE, "height": WIDE * tall // wide})
    page = scratch / "page.html"
    for place, (kind, subject, layout, name) in enumerate(TWELVE):
        spec = next(
            spec
            for spec in renderer.specs
            if (spec.kind, spec.subject) == (kind, subject) and DAY in (spec.days or (DAY,))
        )
        site = next(site for site in SITES if site.id == name)
        page.write_text(renderer.make_page(spec, site, layout).html, "utf-8")
        tab.goto(page.as_uri())
        shot = Image.open(BytesIO(tab.screenshot())).convert("RGB").resize(TILE, Image.Resampling.LANCZOS)
        row, column = divmod(place, 4)
        whole.paste(shot, (column * (wide + 6), row * (tall + 6)))
    made = BytesIO()
    whole.save(made, "JPEG", quality=64, optimize=True)
    return made.getvalue()


def _report(scratch: Path) -> Path:
    """Return the report of the runs. The first call makes the runs."""
    page = scratch / "report.html"
    if not page.is_file():
        for name, agent in AGENTS.items():
            planspec(
                "run",
                "worldtravel-berlin",
                "--agent",
                agent,
                "--limit",
                str(TASKS),
                "--out",
                str(scratch / name),
            )
        planspec("report", *(str(scratch / name) for name in AGENTS), "-o", str(page), "--timeout", str(SECONDS))
    return page


def planspec(*words: str) -> None:
    """Run a command of planspec in the checkout."""
    subprocess.run([sys.executable, "-m", "planspec", *words], cwd=ROOT, check=True, capture_output=True)


PICTURES: dict[str, Callable[[Any, Path], bytes]] = {
    "panel": panel,
    "report": report,
    "task": task,
    "webscape": webscape,
}

if __name__ == "__main__":
    main()
