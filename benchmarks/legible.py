"""How much of what stands on pages as text can be read off their pictures: `python -m benchmarks.legible`.

Pages are drawn from all cities and kinds by a seed, rendered by Chromium at twice the pixels, and read by Tesseract
(`apt-get install tesseract-ocr`), the whole page first, then, closer, the boxes of facts that were not read: on sheets, then one by one. A fact is read where the words found
within the box of its element say it: of up to twelve characters all of them, of longer texts nine in ten, blanks and signs aside.
Facts that an element's look tells are no text and not counted.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from io import StringIO
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from unicodedata import normalize

from PIL import Image, ImageOps, ImageStat
from rapidfuzz.fuzz import partial_ratio

from planspec.families.worldtravel.webscape.camera import require_browser
from planspec.families.worldtravel.webscape.extracting import elements
from planspec.families.worldtravel.webscape.facts import ShownFact
from planspec.families.worldtravel.webscape.rendering import Page, Press
from planspec.families.worldtravel.webscape.tables import Tables

CITIES = ("berlin", "vienna", "rome", "barcelona", "florence")
SCALE = 2
MARGIN = 6
SHORT = 12
SHEET = 60
"""Boxes that are read at a time."""
ALIKE = 90
CONFUSED = str.maketrans("lio|", "1101")
"""Letters that fonts draw as figures."""
_TAG = re.compile(r"<[a-zA-Z][\w-]*")


class Word(NamedTuple):
    """A word that was found, and the middle of its box in CSS pixels."""

    text: str
    x: float
    y: float


def plain(text: str) -> str:
    """Letters without their accents, and figures, alone."""
    return "".join(c for c in normalize("NFKD", text.casefold()) if c.isalnum()).translate(CONFUSED)


def numbered(html: str) -> str:
    """A page each of whose elements has its number, for the browser to find it by."""
    count = iter(range(10**6))
    return _TAG.sub(lambda tag: f'{tag[0]} data-n="{next(count)}"', html)


def words_of(picture: Path, mode: str) -> list[Word]:
    """The words that Tesseract finds; 11 is its mode for scattered text, 7 for a line, 10 for a letter."""
    environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    found = subprocess.run(
        [shutil.which("tesseract") or "tesseract", str(picture), "-", "--psm", mode, "-l", "eng", "tsv"],
        capture_output=True, text=True, check=True, env=environment,
    )  # fmt: skip
    rows = csv.DictReader(StringIO(found.stdout), delimiter="\t", quoting=csv.QUOTE_NONE)
    return [
        Word(row["text"], (int(row["left"]) + int(row["width"]) / 2) / SCALE, (int(row["top"]) + int(row["height"]) / 2) / SCALE)
        for row in rows
        if row["text"] and row["text"].strip()
    ]  # fmt: skip


def read(expected: str, words: list[Word], boxes: list[dict[str, float]]) -> bool:
    """Whether the words within an element's boxes say what it says."""
    within = [
        word.text
        for word in words
        if any(
            box["x"] - MARGIN <= word.x <= box["x"] + box["width"] + MARGIN
            and box["y"] - MARGIN <= word.y <= box["y"] + box["height"] + MARGIN
            for box in boxes
        )
    ]
    wanted, said = plain(expected), plain("".join(within))
    if not wanted:
        return True
    if len(wanted) <= SHORT:
        return wanted in said
    return partial_ratio(wanted, said) >= ALIKE if said else False


def cut_out(whole: Image.Image, box: dict[str, float]) -> Image.Image:
    """A box by itself: enlarged, in grey, dark on light."""
    left, top = (box["x"] - MARGIN / 2) * SCALE, (box["y"] - MARGIN / 2) * SCALE
    edge = (left, top, left + (box["width"] + MARGIN) * SCALE, top + (box["height"] + MARGIN) * SCALE)
    crop = ImageOps.autocontrast(
        whole.crop((int(edge[0]), int(edge[1]), int(edge[2]), int(edge[3]))).convert("L")
    )
    if ImageStat.Stat(crop).mean[0] < 128:
        crop = ImageOps.invert(crop)
    return ImageOps.expand(crop.resize((crop.width * 2, crop.height * 2)), 24, 255)


def closer(picture: Path, facts: list[list[dict[str, float]]]) -> list[list[Word]]:
    """The words of the boxes of facts, each box by itself; first on sheets of many boxes below each other, then one by one.

    Args:
        picture: of the page.
        facts: the boxes of each.
    """
    found: list[list[Word]] = [[] for _ in facts]
    with Image.open(picture) as whole:
        crops = [(n, box, cut_out(whole, box)) for n, boxes in enumerate(facts) for box in boxes]
        for first in range(0, len(crops), SHEET):
            part = crops[first : first + SHEET]
            sheet = Image.new(
                "L", (max(crop.width for _, _, crop in part), sum(crop.height for _, _, crop in part)), 255
            )
            tops: list[tuple[int, int]] = []
            for _, _, crop in part:
                top = tops[-1][1] if tops else 0
                sheet.paste(crop, (0, top))
                tops.append((top, top + crop.height))
            path = picture.with_name(f"{picture.stem}-sheet.png")
            sheet.save(path)
            for mode in ("6", "11"):
                for word in words_of(path, mode):
                    at = next((i for i, (top, end) in enumerate(tops) if top <= word.y * SCALE < end), None)
                    if at is not None:
                        n, box, _ = part[at]
                        found[n].append(
                            Word(word.text, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
                        )
            path.unlink()
    return found


def alone(picture: Path, boxes: list[dict[str, float]]) -> list[Word]:
    """The words of a fact's boxes, each read as one line, and as one letter where it is small."""
    words: list[Word] = []
    with Image.open(picture) as whole:
        for box in boxes:
            crop = cut_out(whole, box)
            path = picture.with_name(f"{picture.stem}-alone.png")
            crop.save(path)
            for mode in ("7", "10") if crop.width < 160 else ("7", "6"):
                words += [
                    Word(w.text, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
                    for w in words_of(path, mode)
                ]
            path.unlink()
    return words


def judged(
    page: Page, picture: Path, boxes: dict[int, list[dict[str, float]]]
) -> list[tuple[ShownFact, str, bool]]:
    """The facts that stand as text on a page, with what they say, and whether that is read."""
    found, words = elements(page.html), words_of(picture, "11")
    texts = [
        (fact, found[fact.element].text, boxes.get(fact.element, []))
        for fact in page.facts
        if fact.form is not None
    ]
    good = [read(expected, words, around) for _, expected, around in texts]
    missed = [n for n, one in enumerate(good) if not one]
    for n, seen in zip(missed, closer(picture, [texts[n][2] for n in missed]), strict=True):
        good[n] = read(texts[n][1], seen, texts[n][2]) or read(
            texts[n][1], alone(picture, texts[n][2]), texts[n][2]
        )
    return [(fact, expected, one) for (fact, expected, _), one in zip(texts, good, strict=True)]


def main() -> None:
    """Print the share of the facts that are read, by kind of page, by cue and by site."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--missed", type=int, default=0, help="print so many facts that were not read")
    parser.add_argument("--kept", type=Path, help="a file of what was read, to go on with")
    wanted = parser.parse_args()
    pages = sample(wanted.pages, wanted.seed)
    keys = [sha256(page.html.encode()).hexdigest() for page in pages]
    known = {one["page"]: one["facts"] for one in kept(wanted.kept)}
    left = [(key, page) for key, page in zip(keys, pages, strict=True) if key not in known]
    with TemporaryDirectory() as folder, ThreadPoolExecutor(wanted.jobs) as pool:
        paths = [Path(folder) / f"{n}.png" for n in range(len(left))]
        boxes = photograph([(page, path) for (_, page), path in zip(left, paths, strict=True)])
        done = pool.map(judged, [page for _, page in left], paths, boxes)
        for n, ((key, _), facts) in enumerate(zip(left, done, strict=True)):
            known[key] = [[fact.cue, expected, good] for fact, expected, good in facts]
            if wanted.kept is not None:
                with wanted.kept.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"page": key, "facts": known[key]}) + "\n")
            sys.stderr.write(f"\r{len(pages) - len(left) + n + 1} of {len(pages)} pages")
            sys.stderr.flush()
    counts: Counter[tuple[str, str, bool]] = Counter()
    missed: list[str] = []
    for key, page in zip(keys, pages, strict=True):
        for cue, expected, good in known[key]:
            for by, name in (("kind", page.spec.kind), ("cue", cue), ("site", page.site.id), ("all", "all")):
                counts[by, name, good] += 1
            if not good:
                missed.append(f"{page.spec.path} {page.site.id} {page.layout}: {expected[:70]!r}")
    sys.stderr.write("\n")
    for by in ("all", "kind", "cue", "site"):
        for name in sorted({one for which, one, _ in counts if which == by}):
            good, bad = counts[by, name, True], counts[by, name, False]
            sys.stdout.write(f"{by:5} {name:13} {good + bad:7,} facts  {good / (good + bad):7.2%}\n")
    for line in Random(wanted.seed).sample(missed, min(wanted.missed, len(missed))):
        sys.stdout.write(f"missed {line}\n")


def kept(path: Path | None) -> list[dict[str, Any]]:
    """What was read before, by page."""
    if path is None or not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def sample(count: int, seed: int) -> list[Page]:
    """Pages of all cities and kinds, as many of each kind as there are, at most."""
    made = []
    for city in CITIES:
        tables = Tables(Path("tasks") / f"worldtravel-{city}" / "world")
        press = Press(tables, city, tables.city["name"], seed)
        made += [(press, spec) for spec in press.specs]
    random = Random(seed)
    random.shuffle(made)
    kinds = sorted({spec.kind for _, spec in made})
    by = {kind: [one for one in made if one[1].kind == kind] for kind in kinds}
    chosen: list[Page] = []
    while len(chosen) < count and any(by.values()):
        for kind in kinds:
            if by[kind] and len(chosen) < count:
                press, spec = by[kind].pop()
                chosen.append(press.page(spec))
    return chosen


def photograph(shots: list[tuple[Page, Path]]) -> list[dict[int, list[dict[str, float]]]]:
    """Take the pictures, and return the boxes of the elements of each page's facts, by the element's number."""
    from playwright.sync_api import sync_playwright

    found = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=require_browser(), args=["--no-sandbox", "--font-render-hinting=none"]
        )
        tab = browser.new_page(viewport={"width": 1280, "height": 900}, device_scale_factor=SCALE)
        for page, path in shots:
            html = path.with_suffix(".html")
            html.write_text(numbered(page.html), "utf-8")
            tab.goto(html.as_uri())
            tab.screenshot(path=path, full_page=True)
            numbers = sorted({fact.element for fact in page.facts})
            boxes: dict[str, Any] = tab.evaluate(
                """numbers => Object.fromEntries(numbers.map(n => [n, [...document.querySelector(`[data-n="${n}"]`).getClientRects()]
                    .map(r => ({x: r.x + scrollX, y: r.y + scrollY, width: r.width, height: r.height}))]))""",
                numbers,
            )
            found.append({int(n): rects for n, rects in boxes.items()})
        browser.close()
    return found


if __name__ == "__main__":
    main()
