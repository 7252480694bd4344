"""Writer of a city's pages as HTML files, with a record of each page and of each fact."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planspec.families.worldtravel.webscape.exporting import (
    EXPORT_TEMPLATES,
    export_renderer,
    with_script,
    write_export,
)
from planspec.families.worldtravel.webscape.rendering import Page, PageRenderer
from planspec.families.worldtravel.webscape.tables import Tables, WorldRow
from planspec.files import replace_text, replacing
from planspec.suite_writing.options import OnProgress, UnsuitableSuiteError, ignore_progress

if TYPE_CHECKING:
    from planspec.families.worldtravel.outputs import GeneratePagesOutput

FACTS = "facts.jsonl"
"""File with a line for each fact on a page. It must not be shown to agents."""
PAGES = "pages.jsonl"
"""File with the site and layout of each page."""
MARK = "webscape.json"
"""File that marks a folder as generated and records the generator's arguments."""
SITE = "site"
"""Name of the folder with the pages, which a web server can serve unchanged."""


@dataclass(frozen=True, slots=True)
class GeneratedPages:
    """Summary of the generated pages of a city.

    Attributes:
        city: id of the city.
        folder: folder of the pages and records.
        kinds: number of pages by kind.
        cues: number of facts by cue (way in which they are shown).
        pictures: number of pictures taken; None if none were requested.
        exported: whether a front page, a search and a cart are included.
    """

    city: str
    folder: Path
    kinds: Counter[str]
    cues: Counter[str]
    pictures: int | None = None
    exported: bool = False

    def document(self) -> GeneratePagesOutput:
        """Return the summary as JSON."""
        from planspec.families.worldtravel.outputs import GeneratePagesOutput

        return GeneratePagesOutput(
            family="worldtravel",
            city=self.city,
            folder=str(self.folder),
            pages=self.kinds.total(),
            kinds=dict(self.kinds),
            facts=self.cues.total(),
            cues=dict(self.cues),
            pictures=self.pictures,
            exported=self.exported,
        )

    def lines(self) -> list[str]:
        """Return the summary as readable lines of text."""
        return [
            f"{self.city}: {self.kinds.total()} pages in {self.folder / SITE}",
            *(f"  {count:4} {kind.replace('_', ' ')}" for kind, count in self.kinds.most_common()),
            f"{self.cues.total():,} facts in {FACTS}, by how they are seen: "
            + ", ".join(f"{cue} {count:,}" for cue, count in self.cues.most_common()),
            *([f"{', '.join(EXPORT_TEMPLATES)} lead to them"] if self.exported else []),
            *([] if self.pictures is None else [f"{self.pictures} pictures taken"]),
        ]


def write_pages(
    suite: Path,
    out: Path,
    seed: int,
    on_progress: OnProgress = ignore_progress,
    *,
    export: bool = False,
    visual_only: bool = False,
) -> GeneratedPages:
    """Fill a folder with the pages of a suite's city.

    Args:
        suite: folder of a generated suite.
        out: new folder, or one filled with the same arguments.
        seed: seed of the sites, layouts and wording.
        on_progress: called with the progress.
        export: whether to write a front page, a search and a cart, linked from every page.
        visual_only: whether facts shown only by greys and colours are hidden from screen readers.

    Raises:
        UnsuitableSuiteError: the suite has no city with pages, or the folder holds something else.
        OSError: a file cannot be written.
    """
    tables = Tables(suite / "world")
    city = tables.city
    chosen = {"export": export, "visual_only": visual_only}
    _prepare_folder(out, {"city": city["id"], "seed": seed} | {name: True for name, is_set in chosen.items() if is_set})
    make = export_renderer if export else PageRenderer
    renderer = make(tables, city["id"], city["name"], seed, visual_only=visual_only)
    texts = {(row.file, row.line): row for name in tables.names for row in tables.rows(name)}
    kinds: Counter[str] = Counter()
    cues: Counter[str] = Counter()
    exported: list[Page] = []
    with replacing(out / FACTS) as facts, replacing(out / PAGES) as looks:
        for number, page in enumerate(renderer.pages(), 1):
            path = out / SITE / page.spec.path
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_text(path, with_script(page, renderer.city) if export else page.html)
            if export:
                exported.append(replace(page, html="", facts=()))
            looks.write(_json_line(_look_record(page)))
            facts.writelines(map(_json_line, _fact_records(page, texts)))
            kinds[page.spec.kind] += 1
            cues.update(fact.cue for fact in page.facts)
            on_progress(f"page {number} of {len(renderer.specs)}", number / len(renderer.specs))
    if export:
        write_export(renderer, out / SITE, exported)
    return GeneratedPages(city["id"], out, kinds, cues, exported=export)


def _look_record(page: Page) -> dict[str, Any]:
    return {
        "page": page.spec.path,
        "kind": page.spec.kind,
        "site": page.site.id,
        "layout": page.layout,
        "title": page.title,
    }


def _fact_records(page: Page, texts: Mapping[tuple[str, int], WorldRow]) -> Iterator[dict[str, Any]]:
    for fact in page.facts:
        text = texts[fact.cell.file, fact.cell.line][fact.cell.column]
        yield {"page": page.spec.path, "kind": page.spec.kind} | fact.document(text)


def _json_line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


def _prepare_folder(out: Path, arguments: dict[str, Any]) -> None:
    """Prepare a new folder, or check that a folder was filled with the same arguments."""
    mark = out / MARK
    if out.exists() and any(out.iterdir()):
        if not mark.is_file():
            raise UnsuitableSuiteError(f"`{out}` is neither a new folder nor one that was generated before")
        if json.loads(mark.read_text("utf-8")) != arguments:
            raise UnsuitableSuiteError(
                f"`{out}` was generated with other arguments: {mark.read_text('utf-8').strip()}, and not {json.dumps(arguments)}"
            )
    out.mkdir(parents=True, exist_ok=True)
    replace_text(mark, json.dumps(arguments) + "\n")
