"""Places in MobilityBench answers: names, locations and addresses -> the places that the tools gave."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from planspec.dsl.model.rows import Row
from planspec.dsl.model.values import InvalidValueError
from planspec.families.mobilitybench.format.addresses import meant_address
from planspec.families.mobilitybench.format.cells import read_point, shown
from planspec.families.mobilitybench.format.routes import hollow
from planspec.families.mobilitybench.format.tables import NEAR, MobilityBenchTables, apart, point_of, remote
from planspec.verifiers.answers.findings import pointer
from planspec.verifiers.answers.tables import clipped, what

OF_PLACES = ("name", "location", "address")
MOST_PLACES = 256
Point = tuple[int, int]


@dataclass(slots=True)
class _Told:
    """An answer's statements about one place, each with its position in the answer."""

    name: tuple[str, str] | None = None
    points: list[tuple[Point, str]] = field(default_factory=list)
    address: tuple[Any, str] | None = None
    broken: bool = False
    """A part cannot be read."""
    torn: bool = False
    """Its parts contradict each other, which was reported."""


@dataclass(slots=True)
class PlaceReader:
    """Reads the places of one answer.

    Args:
        tables: of the task.
        report: takes the kind of a finding, its message and where it stands; and `fails`.
    """

    tables: MobilityBenchTables
    report: Callable[..., None]
    taken: dict[Row, None] = field(default_factory=dict)
    taken_alone: bool = False
    """The answer's `place` stands for its list of places."""

    def one(
        self, said: Mapping[str, Any], path: str, unknown: dict[str, str]
    ) -> tuple[Row | None, Row | None, tuple[Any, str] | None]:
        """The place of an answer's `place`, `location` and `address`, the one that is where it says, and the address.

        Args:
            said: the answer.
            path: where it stands.
            unknown: takes the name, if no place has it.
        """
        told = _Told()
        if not hollow(said.get("place")):
            self._entry(said["place"], pointer(path, "place"), told)
        if not hollow(said.get("location")):
            self._point(said["location"], pointer(path, "location"), told)
        if not hollow(said.get("address")):
            inner, told.address = told.address, (said["address"], pointer(path, "address"))
            if inner is not None and inner[0] != said["address"]:
                self._torn(told, "the place and the answer tell two addresses", inner[1])
        # what is asked for an address may say of which location
        needless = told.name is None and told.address is not None and not self.tables.right_places
        row, name = self._resolved(told, needless=needless)
        if row is None and name is not None:
            unknown["place"] = name
        return row, self._where(row, told), told.address

    def several(self, said: Sequence[Any], path: str) -> list[tuple[Row | None, dict[str, str]]]:
        """The places of a list, each once; what names none stands in its place."""
        if len(said) > MOST_PLACES:
            self.report("too-long", f"{len(said)} places are told; the first {MOST_PLACES} are read", path)
        found: list[tuple[Row | None, dict[str, str]]] = []
        for place, entry in enumerate(said[:MOST_PLACES]):
            where, told = pointer(path, place), _Told()
            if hollow(entry):
                self.report("unreadable", "it names no place", where)
            else:
                self._entry(entry, where, told)
            row, name = self._resolved(told)
            self._where(row, told)
            if row is not None and row in self.taken:
                self.report("duplicate", f"`{row._key[0]}` is told twice", where, fails=False)
            elif row is not None:
                self.taken[row] = None
            found.append((row, {"place": name} if row is None and name is not None else {}))
        return found

    # ------------------------------------------------------------------ what is said

    def _entry(self, said: Any, path: str, told: _Told) -> None:
        if isinstance(said, str):
            told.name = (said.strip(), path)
        elif isinstance(said, Mapping):
            for name in said:
                if name not in OF_PLACES:
                    self.report(
                        "unknown-column",
                        f"a place has no `{clipped(name)}`",
                        pointer(path, name),
                        fails=False,
                    )
            if isinstance(said.get("name"), str) and said["name"].strip():
                told.name = (said["name"].strip(), pointer(path, "name"))
            elif not hollow(said.get("name")):
                self._broken(said["name"], "a name is a text", pointer(path, "name"), told)
            if not hollow(said.get("location")):
                self._point(said["location"], pointer(path, "location"), told)
            if not hollow(said.get("address")):
                told.address = (said["address"], pointer(path, "address"))
            if told.name is None and not told.points and told.address is None and not told.broken:
                self._broken(said, "it names no place", path, told)
        else:
            self._broken(said, f"a place is a name or an object, not {what(said)}", path, told)

    def _point(self, said: Any, path: str, told: _Told) -> None:
        try:
            told.points.append((read_point(said), path))
        except InvalidValueError as error:
            self._broken(said, str(error), path, told)

    def _broken(self, said: Any, why: str, path: str, told: _Told) -> None:
        told.broken = True
        self.report("unreadable", f"`{shown(said)}` cannot be read: {why}", path)

    # ------------------------------------------------------------------ what is meant

    def _resolved(self, told: _Told, *, needless: bool = False) -> tuple[Row | None, str | None]:
        """The place, or as what it was named if there is none."""
        if told.name is None:
            return self._located(told, needless=needless)
        name, path = told.name
        found = self.tables.places.find(name)
        if not found and not told.points:
            try:  # a location may stand where a name is asked for
                told.points.append((read_point(name), path))
            except InvalidValueError:
                pass
            else:
                return self._located(told, needless=needless)
        if not found:
            near = self.tables.places.nearest(name)
            hint = f"; did you mean `{near}`?" if near else ""
            self.report("unknown-name", f"no tool told of a place called `{clipped(name)}`{hint}", path)
            return None, name
        close = [row for row in found if not any(remote(row, point) for point, _ in told.points)]
        if not close:
            point, where = next(
                (point, where) for point, where in told.points if any(remote(row, point) for row in found)
            )
            self._torn(told, f"`{clipped(name)}` is more than 200 m from {degrees(point)}", where)
            return (found[0], None) if len(found) == 1 else (None, name)
        row = self._chosen(close, told.points)
        if row is None:
            message = f"{len(close)} places are called `{clipped(name)}`: say the location, too"
            self.report("ambiguous", message, path)
            return None, name
        return row, None

    def _located(self, told: _Told, *, needless: bool) -> tuple[Row | None, str | None]:
        if not told.points:
            if told.address is None or told.broken:
                return None, None
            return self._addressed(told.address)
        point, path = told.points[0]
        row = self.tables.at(point)
        if row is None:
            message = f"no tool told of a place within 100 m of {degrees(point)}"
            self.report("unknown-name", message, path, fails=not needless)
            return None, None if needless else degrees(point)
        for other, where in told.points[1:]:
            if remote(row, other):
                self._torn(told, f"{degrees(other)} is more than 200 m from {degrees(point)}", where)
        return row, None

    def _addressed(self, address: tuple[Any, str]) -> tuple[Row | None, str | None]:
        """The place with an address, if a place is called so; an address needs no place."""
        text = address[0].strip() if isinstance(address[0], str) else ""
        found = self.tables.places.find(text)
        if len(found) == 1:
            return found[0], None
        right = {str(row._key[0]): row for row in self.tables.right_places}
        meant = meant_address(text, right)
        if meant is not None:
            return right[meant], None
        # of several places at one address a right one is meant; who asks for an address is told of no place
        there = self.tables.addressed(text) if right else ()
        of_these = [row for row in there if row in self.tables.right_places] or there
        return (of_these[0] if of_these else None), None

    def _where(self, row: Row | None, told: _Told) -> Row | None:
        """The place at the given location or, without one, at the given address."""
        if told.torn:
            return row
        text, path = told.address if told.address is not None else (None, "")
        there = self.tables.addressed(text.strip()) if isinstance(text, str) else ()
        if told.points:
            point = told.points[0][0]
            if there and all(remote(other, point) for other in there):
                self._torn(told, f"`{clipped(text)}` is more than 200 m from {degrees(point)}", path)
                return row
            spot = None if row is None else point_of(row)
            return row if spot is not None and apart(spot, point) <= NEAR**2 else self.tables.at(point)
        if row in there:
            return row
        spot = None if row is None else point_of(row)
        if told.name is not None and there and spot is not None and all(remote(o, spot) for o in there):
            self._torn(
                told,
                f"`{clipped(text)}` is the address of another place than `{clipped(told.name[0])}`",
                path,
            )
            return row
        return None

    def _torn(self, told: _Told, message: str, path: str) -> None:
        told.torn = True
        self.report("contradiction", message, path)

    def _chosen(self, rows: Sequence[Row], points: Sequence[tuple[Point, str]]) -> Row | None:
        """The row that is meant among places of one name: the nearest to the given points, or any if all are right."""
        if len(rows) == 1:
            return rows[0]
        if points:
            point = points[0][0]
            known = [
                (apart(where, point), row._index, row) for row in rows if (where := point_of(row)) is not None
            ]
            return min(known)[2] if known else None
        if all(row in self.tables.right_places for row in rows):
            return next((row for row in rows if row not in self.taken), rows[0])
        return None


def degrees(point: Point) -> str:
    """A location as the tools write it."""
    parts = (
        f"{'-' if value < 0 else ''}{abs(value) // 1_000_000}.{abs(value) % 1_000_000:06}" for value in point
    )
    return ",".join(parts)
