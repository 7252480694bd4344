"""The folder of a map that was imported: the map itself, and the notice of its licence."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from planspec.families.mobilitybench.map.records import City, Language
from planspec.families.mobilitybench.map.storing import load, save
from planspec.families.suite_writing.counts import TableCount
from planspec.families.suite_writing.folder import ImportResult
from planspec.families.suite_writing.options import UnfitSuite
from planspec.files import replace_text

MAP, NOTICE = "map.json", "NOTICE.md"


def import_osm(file: Path, out: Path, name: str | None, language: Language, country: str) -> ImportResult:
    """Make a map of an extract of OpenStreetMap.

    Raises:
        UnfitSuite: the folder holds something else.
        UnreadableMap: the file is no extract that a map can be made of.
        ModuleNotFoundError: the extra `osm` is not installed.
    """
    from planspec.families.mobilitybench.map.osm import ATTRIBUTION, city_of, read_extract

    if out.exists() and not (out.is_dir() and {path.name for path in out.iterdir()} <= {MAP, NOTICE}):
        raise UnfitSuite(f"`{out}` is neither a new folder nor one with a map")
    extract = read_extract(file)
    city = city_of(extract, name, language, country)
    out.mkdir(parents=True, exist_ok=True)
    save(city, out / MAP)
    replace_text(out / NOTICE, ATTRIBUTION)
    read = len(extract.ways) + sum(extract.skipped.values())
    streets = TableCount("streets", read, len(extract.ways))
    streets.dropped.update(extract.skipped)
    streets.noted["roads"] = len(city.roads)
    streets.noted["pieces"] = len(city.pieces)
    streets.noted["junctions"] = len(city.junctions)
    places = TableCount("places", len(extract.places), len(city.pois))
    doors = TableCount("addresses", len(extract.doors), len(extract.doors))
    doors.noted["doors"] = len(city.addresses)
    notes = (f"the map is of OpenStreetMap, under the ODbL: its notice is in {out / NOTICE}",)
    return ImportResult(out, city.english, (streets, places, doors), (), (), notes, "map")


def load_map(folder: Path) -> City:
    """The map in a folder.

    Raises:
        UnfitSuite: there is none.
    """
    known = digest(folder)
    try:
        return _loaded(folder.absolute(), known)
    except (OSError, ValueError) as error:
        raise UnfitSuite(f"`{folder}` has no map that `planspec import osm` made: {_first(error)}") from None


def digest(folder: Path) -> str:
    """The beginning of the SHA-256 of a map: other maps have others.

    Raises:
        UnfitSuite: there is no map.
    """
    try:
        return sha256((folder / MAP).read_bytes()).hexdigest()[:8]
    except OSError as error:
        raise UnfitSuite(f"`{folder}` has no map that `planspec import osm` made: {_first(error)}") from None


def notice(folder: Path) -> str | None:
    """The notice of a map's licence; None if it has none."""
    path = folder / NOTICE
    return path.read_text("utf-8") if path.is_file() else None


def _first(error: Exception) -> str:
    return str(error).strip().splitlines()[0]


@lru_cache(maxsize=2)
def _loaded(folder: Path, _digest: str) -> City:
    return load(folder / MAP)
