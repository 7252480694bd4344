"""Legibility of pages: share of the facts shown as text that OCR reads from pictures.

Run it as `python -m benchmarks.legible`.
Pages of all cities and kinds are sampled at random by a seed, and rendered by Chromium at twice the pixel density.
Tesseract (`apt-get install tesseract-ocr`) reads the whole page first. Then it reads enlarged crops
of the facts that it missed: first several on a sheet, then one by one. A fact counts as read if the words found within
the box of its element match its text, without spaces and punctuation. In a text of up to twelve characters all must
match, in a longer text nine in ten. Facts shown only by the style of an element, such as its colour, are not counted.
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
from planspec.families.worldtravel.webscape.rendering import Page, PageRenderer
from planspec.families.worldtravel.webscape.tables import Tables

CITIES = ("berlin", "vienna", "rome", "barcelona", "florence")
SCALE = 2
MARGIN_PX = 6
SHORT_CHARACTERS = 12
CROPS_PER_SHEET = 60
"""Number of crops on a sheet."""
LEAST_SIMILARITY = 90
LOOKALIKES = str.maketrans("lio|", "1101")
"""Translation of letters to the digits that they resemble in some fonts."""
_TAG = re.compile(r"<[a-zA-Z][\w-]*")


class Word(NamedTuple):
    """A recognised word.

    Attributes:
        text: the word.
        x: horizontal middle of its box, in CSS pixels.
        y: vertical middle of its box, in CSS pixels.
    """

    text: str
    x: float
    y: float


def letters_and_digits(text: str) -> str:
    """Return only the letters, without accents, and the digits of a text."""
    return "".join(c for c in normalize("NFKD", text.casefold()) if c.isalnum()).translate(LOOKALIKES)


def number_elements(html: str) -> str:
    """Add an attribute with a number to each element of a page, so that the browser can find it."""
    count = iter(range(10**6))
    return _TAG.sub(lambda tag: f'{tag[0]} data-n="{next(count)}"', html)


def words_of(picture: Path, mode: str) -> list[Word]:
    """Return the words that Tesseract finds in a picture.

    Args:
        picture: the picture.
        mode: segmentation mode: 11 for scattered text, 7 for a line, 10 for a letter.
    """
    environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    output = subprocess.run(
        [shutil.which("tesseract") or "tesseract", str(picture), "-", "--psm", mode, "-l", "eng", "tsv"],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    rows = csv.DictReader(StringIO(output.stdout), delimiter="\t", quoting=csv.QUOTE_NONE)
    return [
        Word(
            row["text"],
            (int(row["left"]) + int(row["width"]) / 2) / SCALE,
            (int(row["top"]) + int(row["height"]) / 2) / SCALE,
        )
        for row in rows
        if row["text"] and row["text"].strip()
    ]


def is_text_read(expected: str, words: list[Word], boxes: list[dict[str, float]]) -> bool:
    """Return whether the words within the boxes of an element match the expected text."""
    within = [
        word.text
        for word in words
        if any(
            box["x"] - MARGIN_PX <= word.x <= box["x"] + box["width"] + MARGIN_PX
            and box["y"] - MARGIN_PX <= word.y <= box["y"] + box["height"] + MARGIN_PX
            for box in boxes
        )
    ]
    target, text = letters_and_digits(expected), letters_and_digits("".join(within))
    if not target:
        return True
    if len(target) <= SHORT_CHARACTERS:
        return target in text
    return partial_ratio(target, text) >= LEAST_SIMILARITY if text else False


def crop_box(whole: Image.Image, box: dict[str, float]) -> Image.Image:
    """Return the part of a picture in a box, enlarged, in greyscale, and with dark text on a light ground."""
    left, top = (box["x"] - MARGIN_PX / 2) * SCALE, (box["y"] - MARGIN_PX / 2) * SCALE
    edge = (left, top, left + (box["width"] + MARGIN_PX) * SCALE, top + (box["height"] + MARGIN_PX) * SCALE)
    crop = ImageOps.autocontrast(whole.crop((int(edge[0]), int(edge[1]), int(edge[2]), int(edge[3]))).convert("L"))
    if ImageStat.Stat(crop).mean[0] < 128:
        crop = ImageOps.invert(crop)
    return ImageOps.expand(crop.resize((crop.width * 2, crop.height * 2)), 24, 255)


def read_sheets(picture: Path, facts: list[list[dict[str, float]]]) -> list[list[Word]]:
    """Read the words in the boxes of facts by OCR. For speed, many enlarged crops are read together on a sheet.

    Args:
        picture: the picture of the page.
        facts: the boxes of each fact.

    Returns:
        The words of each fact, each placed at the middle of its fact's box.
    """
    words_by_fact: list[list[Word]] = [[] for _ in facts]
    with Image.open(picture) as whole:
        crops = [(n, box, crop_box(whole, box)) for n, boxes in enumerate(facts) for box in boxes]
        for first in range(0, len(crops), CROPS_PER_SHEET):
            part = crops[first : first + CROPS_PER_SHEET]
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
                        words_by_fact[n].append(
                            Word(word.text, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
                        )
            path.unlink()
    return words_by_fact


def read_crops(picture: Path, boxes: list[dict[str, float]]) -> list[Word]:
    """Read the words in each box of a fact by OCR: as a line and, if the box is small, also as a single letter."""
    words: list[Word] = []
    with Image.open(picture) as whole:
        for box in boxes:
            crop = crop_box(whole, box)
            path = picture.with_name(f"{picture.stem}-alone.png")
            crop.save(path)
            for mode in ("7", "10") if crop.width < 160 else ("7", "6"):
                words += [
                    Word(w.text, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
                    for w in words_of(path, mode)
                ]
            path.unlink()
    return words


def judge_facts(
    page: Page, picture: Path, boxes: dict[int, list[dict[str, float]]]
) -> list[tuple[ShownFact, str, bool]]:
    """Return the facts shown as text on a page, each with its text and whether OCR of the picture finds the text.

    Args:
        page: the page.
        picture: its picture.
        boxes: boxes around each element of the page in the picture, by the element's number.
    """
    page_elements, words = elements(page.html), words_of(picture, "11")
    texts = [
        (fact, page_elements[fact.element].text, boxes.get(fact.element, []))
        for fact in page.facts
        if fact.form is not None
    ]
    good = [is_text_read(expected, words, around) for _, expected, around in texts]
    missed = [n for n, one in enumerate(good) if not one]
    for n, seen in zip(missed, read_sheets(picture, [texts[n][2] for n in missed]), strict=True):
        good[n] = is_text_read(texts[n][1], seen, texts[n][2]) or is_text_read(
            texts[n][1], read_crops(picture, texts[n][2]), texts[n][2]
        )
    return [(fact, expected, one) for (fact, expected, _), one in zip(texts, good, strict=True)]


def main() -> None:
    """Print the share of facts that were read, by kind of page, by cue and by site."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--missed", type=int, default=0, help="number of missed facts to print")
    parser.add_argument("--kept", dest="results", type=Path, help="file of results; pages in it are not read again")
    options = parser.parse_args()
    pages = sample_pages(options.pages, options.seed)
    keys = [sha256(page.html.encode()).hexdigest() for page in pages]
    facts_by_page = {one["page"]: one["facts"] for one in stored_results(options.results)}
    unread = [(key, page) for key, page in zip(keys, pages, strict=True) if key not in facts_by_page]
    with TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        paths = [Path(folder) / f"{n}.png" for n in range(len(unread))]
        boxes = take_screenshots([(page, path) for (_, page), path in zip(unread, paths, strict=True)])
        done = pool.map(judge_facts, [page for _, page in unread], paths, boxes)
        for n, ((key, _), facts) in enumerate(zip(unread, done, strict=True)):
            facts_by_page[key] = [[fact.cue, expected, good] for fact, expected, good in facts]
            if options.results is not None:
                with options.results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"page": key, "facts": facts_by_page[key]}) + "\n")
            sys.stderr.write(f"\r{len(pages) - len(unread) + n + 1} of {len(pages)} pages")
            sys.stderr.flush()
    counts: Counter[tuple[str, str, bool]] = Counter()
    missed: list[str] = []
    for key, page in zip(keys, pages, strict=True):
        for cue, expected, good in facts_by_page[key]:
            for group, name in (("kind", page.spec.kind), ("cue", cue), ("site", page.site.id), ("all", "all")):
                counts[group, name, good] += 1
            if not good:
                missed.append(f"{page.spec.path} {page.site.id} {page.layout}: {expected[:70]!r}")
    sys.stderr.write("\n")
    for group in ("all", "kind", "cue", "site"):
        for name in sorted({one for which, one, _ in counts if which == group}):
            good, bad = counts[group, name, True], counts[group, name, False]
            sys.stdout.write(f"{group:5} {name:13} {good + bad:7,} facts  {good / (good + bad):7.2%}\n")
    for line in Random(options.seed).sample(missed, min(options.missed, len(missed))):
        sys.stdout.write(f"missed {line}\n")


def stored_results(path: Path | None) -> list[dict[str, Any]]:
    """Read the results of an earlier run, one record for each page."""
    if path is None or not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def sample_pages(count: int, seed: int) -> list[Page]:
    """Draw pages of all cities at random, in equal numbers from each kind as far as the kind has enough pages."""
    candidates = []
    for city in CITIES:
        tables = Tables(Path("tasks") / f"worldtravel-{city}" / "world")
        renderer = PageRenderer(tables, city, tables.city["name"], seed)
        candidates += [(renderer, spec) for spec in renderer.specs]
    random = Random(seed)
    random.shuffle(candidates)
    kinds = sorted({spec.kind for _, spec in candidates})
    by_kind = {kind: [one for one in candidates if one[1].kind == kind] for kind in kinds}
    chosen: list[Page] = []
    while len(chosen) < count and any(by_kind.values()):
        for kind in kinds:
            if by_kind[kind] and len(chosen) < count:
                renderer, spec = by_kind[kind].pop()
                chosen.append(renderer.page(spec))
    return chosen


def take_screenshots(shots: list[tuple[Page, Path]]) -> list[dict[int, list[dict[str, float]]]]:
    """Take screenshots of the pages.

    Returns:
        For each page, the boxes of the elements with facts, by element number.
    """
    from playwright.sync_api import sync_playwright

    boxes_by_page = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=require_browser(), args=["--no-sandbox", "--font-render-hinting=none"]
        )
        tab = browser.new_page(viewport={"width": 1280, "height": 900}, device_scale_factor=SCALE)
        for page, path in shots:
            html = path.with_suffix(".html")
            html.write_text(number_elements(page.html), "utf-8")
            tab.goto(html.as_uri())
            tab.screenshot(path=path, full_page=True)
            numbers = sorted({fact.element for fact in page.facts})
            boxes: dict[str, Any] = tab.evaluate(
                """numbers => Object.fromEntries(numbers.map(n => [n, [...document.querySelector(`[data-n="${n}"]`).getClientRects()]
                    .map(r => ({x: r.x + scrollX, y: r.y + scrollY, width: r.width, height: r.height}))]))""",
                numbers,
            )
            boxes_by_page.append({int(n): rects for n, rects in boxes.items()})
        browser.close()
    return boxes_by_page


if __name__ == "__main__":
    main()
