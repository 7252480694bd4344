"""Opening of the tools with which an agent reads a generated or imported corpus."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import read_text
from planspec.families.veritrip.tools import CorpusPicture, Toolbox


def open_tools(folder: Path | str, task: str, *, images: bool = True) -> Toolbox:
    """Open the six tools for one task. Use the result in a `with` block, which closes the document index.

    Args:
        folder: folder filled by `planspec generate veritrip` or `planspec import veritrip --corpus`.
        task: id of a task of the folder.
        images: whether images can be searched.

    Raises:
        FileNotFoundError: The folder has no corpus or no such task.
        ModuleNotFoundError: There are pictures, but the extra `images` is not installed.
    """
    from planspec.families.veritrip.own_corpus.own_corpus import OWN_MARK
    from planspec.families.veritrip.pictures import PictureIndex
    from planspec.families.veritrip.progress import MARK
    from planspec.families.veritrip.reading import PLACES, read_base

    folder = Path(folder)
    if not any((folder / mark).is_file() for mark in (MARK, OWN_MARK)):
        raise FileNotFoundError(
            f"`{folder}` was filled neither by `planspec generate veritrip` nor by `planspec import veritrip --corpus`"
        )
    target = _target_city(folder, task)
    for place, currency in _fact_folders(folder):
        base, _ = read_base(place, currency, PLACES)
        if target in base.cities:
            break
    else:
        raise FileNotFoundError(f"`{folder}` has no facts on {target}")
    index = folder / "corpus" / "pictures.sqlite"
    with_images = images and index.is_file()
    return Toolbox.open(
        folder / "corpus",
        base,
        pictures=PictureIndex.read(index) if with_images else None,
        gallery=_read_gallery(folder / "corpus") if with_images else (),
        images=folder / "anchors" if with_images else None,
    )


def _fact_folders(folder: Path) -> list[tuple[Path, str]]:
    """Return each folder of facts and its currency.

    An imported suite has one such folder, a generated suite one per country.
    """
    from planspec.families.veritrip.base_size import COUNTRIES
    from planspec.families.veritrip.own_corpus.own_corpus import OWN_MARK

    mark = folder / OWN_MARK
    if mark.is_file():
        return [(folder / "facts", str(json.loads(read_text(mark, RECORDS_BYTES))["currency"]))]
    return [(folder / "facts" / country, currency) for country, currency in COUNTRIES.items()]


def _read_gallery(corpus: Path) -> list[CorpusPicture]:
    """Read the pictures of the corpus and the ids of their documents."""
    return [
        CorpusPicture(
            str(line["id"]),
            str(line["caption"]),
            cast("int | None", line.get("document")),
            corpus / "images" / f"{line['id']}.jpg",
        )
        for line in _read_json_lines(corpus / "images.jsonl")
    ]


def _target_city(folder: Path, task: str) -> str:
    """Return the destination city of a task."""
    for name in ("queries.jsonl", "near-misses.jsonl"):
        for query in _read_json_lines(folder / name) if (folder / name).is_file() else ():
            if query["id"] == task:
                return str(query["target_city"])
    raise FileNotFoundError(f"`{folder}` has no task `{task}`")


def _read_json_lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in read_text(path, RECORDS_BYTES).splitlines()]
