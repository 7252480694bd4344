"""Imported maps: folders with a map and its licence notice, and copies of the map in suites."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from planspec.environments.line_index import FileState
from planspec.families.mobilitybench.map.growing import move_to_day
from planspec.families.mobilitybench.map.recipe import StoredMap
from planspec.families.mobilitybench.map.records import City, Language
from planspec.families.mobilitybench.map.storing import load, save
from planspec.families.mobilitybench.suite_files import MAP, NOTICE
from planspec.files import replace_text
from planspec.suite_writing.counts import TableCount
from planspec.suite_writing.folder import ImportResult
from planspec.suite_writing.options import UnsuitableSuiteError


def import_osm(file: Path, out: Path, name: str | None, language: Language, country: str) -> ImportResult:
    """Build a map from an extract of OpenStreetMap, and write it to a folder.

    Raises:
        UnsuitableSuiteError: `out` exists and is not the folder of a map.
        UnreadableMapError: no map can be built from the file.
        ModuleNotFoundError: the extra `osm` is not installed.
    """
    from planspec.families.mobilitybench.map.osm import ATTRIBUTION, city_of, read_extract

    if out.exists() and not (out.is_dir() and {path.name for path in out.iterdir()} <= {MAP, NOTICE}):
        raise UnsuitableSuiteError(f"`{out}` is neither a new folder nor one with a map")
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
    """Return the map in a folder.

    Raises:
        UnsuitableSuiteError: the folder has no map.
    """
    try:
        return _load_map_file(FileState.of(folder.absolute() / MAP))
    except (OSError, ValueError) as error:
        raise UnsuitableSuiteError(
            f"`{folder}` has no map that `planspec import osm` made: {_first_line(error)}"
        ) from None


def digest(folder: Path) -> str:
    """Return the SHA-256 of the map in a folder.

    Raises:
        UnsuitableSuiteError: the folder has no map.
    """
    try:
        return _file_digest(FileState.of(folder.absolute() / MAP))
    except OSError as error:
        raise UnsuitableSuiteError(
            f"`{folder}` has no map that `planspec import osm` made: {_first_line(error)}"
        ) from None


def map_with_recipe(folder: Path, seed: int, day: date) -> tuple[City, StoredMap]:
    """Return the map in a folder on a given day, and the recipe that restores it from a suite's copy.

    Raises:
        UnsuitableSuiteError: the folder has no map.
    """
    recipe = StoredMap(map=digest(folder), seed=seed, day=day.isoformat())
    return _on_day(load_map(folder), recipe), recipe


def map_file(suite: Path | None) -> FileState:
    """Return the map file beside the episodes of a suite.

    Raises:
        ValueError: the suite has no map.
    """
    path = None if suite is None else suite.absolute() / MAP
    if path is None or not path.is_file():
        raise ValueError(f"the suite has no `{MAP}` beside it")
    return FileState.of(path)


def restore_map(recipe: StoredMap, file: FileState) -> City:
    """Load the map that a recipe describes.

    Raises:
        ValueError: the file holds a different map, or cannot be read.
    """
    try:
        actual = _file_digest(file)
        if actual != recipe.map:
            raise ValueError(
                f"`{file.path}` is another map: its SHA-256 begins with {actual[:8]}, not {recipe.map[:8]}"
            )
        return _on_day(_load_map_file(file), recipe)
    except (OSError, ValueError) as error:
        raise ValueError(_first_line(error)) from None


def _on_day(city: City, recipe: StoredMap) -> City:
    return move_to_day(replace(city, seed=recipe.seed), date.fromisoformat(recipe.day))


def notice(folder: Path) -> str | None:
    """Return the licence notice in a map's folder, or None if there is none."""
    path = folder / NOTICE
    return path.read_text("utf-8") if path.is_file() else None


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0]


@lru_cache(maxsize=2)
def _load_map_file(file: FileState) -> City:
    return load(file.path)


@lru_cache(maxsize=8)
def _file_digest(file: FileState) -> str:
    return sha256(file.path.read_bytes()).hexdigest()
