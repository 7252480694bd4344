"""Reader of the places in MobilityBench answers. An answer gives a place by name, location or address."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from planspec.dsl.model.rows import Row
from planspec.dsl.model.values import InvalidValueError
from planspec.families.mobilitybench.format.addresses import match_address
from planspec.families.mobilitybench.format.cells import display_value, read_point
from planspec.families.mobilitybench.format.routes import is_empty
from planspec.families.mobilitybench.format.tables import (
    NEAR,
    MobilityBenchTables,
    is_remote,
    point_of,
    squared_distance,
)
from planspec.verifiers.answers.findings import pointer
from planspec.verifiers.answers.tables import clipped_text, json_kind

PLACE_KEYS = ("name", "location", "address")
MOST_PLACES = 256
Point = tuple[int, int]


@dataclass(slots=True)
class _PlaceClaims:
    """Statements of an answer about one place: name, locations and address, each with its JSON pointer."""

    name: tuple[str, str] | None = None
    points: list[tuple[Point, str]] = field(default_factory=list)
    address: tuple[Any, str] | None = None
    is_unreadable: bool = False
    """Whether some part cannot be read."""
    is_contradictory: bool = False
    """Whether the parts contradict each other; the contradiction has been reported."""


@dataclass(slots=True)
class PlaceReader:
    """Reader of the places of one answer.

    Args:
        tables: tables of the task.
        report: function that reports a finding. It takes a kind, a message, a JSON pointer, and `fails`.
        named_places: places that the answer has named so far.
    """

    tables: MobilityBenchTables
    report: Callable[..., None]
    named_places: dict[Row, None] = field(default_factory=dict)
    is_single: bool = False
    """Whether the answer gives a single `place` where a list of places is expected."""

    def read_place(
        self, answer: Mapping[str, Any], path: str, unknown: dict[str, str]
    ) -> tuple[Row | None, Row | None, tuple[Any, str] | None]:
        """Read an answer about one place.

        Args:
            answer: answer with the keys `place`, `location` and `address`, all optional.
            path: JSON pointer of the answer.
            unknown: dict to which the answer's name for the place is added if no place has this name.

        Returns:
            The place with the answer's name; the place at the answer's location or address; and the answer's address
            with its JSON pointer. Each is None if the answer lacks it or it is unknown.
        """
        claims = _PlaceClaims()
        if not is_empty(answer.get("place")):
            self._collect_claims(answer["place"], pointer(path, "place"), claims)
        if not is_empty(answer.get("location")):
            self._collect_point(answer["location"], pointer(path, "location"), claims)
        if not is_empty(answer.get("address")):
            place_address, claims.address = claims.address, (answer["address"], pointer(path, "address"))
            if place_address is not None and place_address[0] != answer["address"]:
                self._report_contradiction(claims, "the place and the answer give two addresses", place_address[1])
        # an answer to a query for an address may repeat the queried location, even if no known place is there
        is_optional = claims.name is None and claims.address is not None and not self.tables.right_places
        row, name = self._resolve(claims, is_optional=is_optional)
        if row is None and name is not None:
            unknown["place"] = name
        return row, self._place_at_location(row, claims), claims.address

    def read_places(self, entries: Sequence[Any], path: str) -> list[tuple[Row | None, dict[str, str]]]:
        """Read a list of places. Return one pair for each entry.

        The pair holds the place, or None if it is unresolved, and a dict with the entry's name if no place has it.
        """
        if len(entries) > MOST_PLACES:
            self.report(
                "too-long", f"the answer has {len(entries)} places; only the first {MOST_PLACES} are read", path
            )
        places: list[tuple[Row | None, dict[str, str]]] = []
        for place, entry in enumerate(entries[:MOST_PLACES]):
            where, claims = pointer(path, place), _PlaceClaims()
            if is_empty(entry):
                self.report("unreadable", "it names no place", where)
            else:
                self._collect_claims(entry, where, claims)
            row, name = self._resolve(claims)
            self._place_at_location(row, claims)
            if row is not None and row in self.named_places:
                self.report("duplicate", f"`{row._key[0]}` is named twice", where, fails=False)
            elif row is not None:
                self.named_places[row] = None
            places.append((row, {"place": name} if row is None and name is not None else {}))
        return places

    # ------------------------------------------------------------------ claims

    def _collect_claims(self, value: Any, path: str, claims: _PlaceClaims) -> None:
        if isinstance(value, str):
            claims.name = (value.strip(), path)
        elif isinstance(value, Mapping):
            for name in value:
                if name not in PLACE_KEYS:
                    self.report(
                        "unknown-column",
                        f"a place has no `{clipped_text(name)}`",
                        pointer(path, name),
                        fails=False,
                    )
            if isinstance(value.get("name"), str) and value["name"].strip():
                claims.name = (value["name"].strip(), pointer(path, "name"))
            elif not is_empty(value.get("name")):
                self._report_unreadable(value["name"], "a name is a text", pointer(path, "name"), claims)
            if not is_empty(value.get("location")):
                self._collect_point(value["location"], pointer(path, "location"), claims)
            if not is_empty(value.get("address")):
                claims.address = (value["address"], pointer(path, "address"))
            if claims.name is None and not claims.points and claims.address is None and not claims.is_unreadable:
                self._report_unreadable(value, "it names no place", path, claims)
        else:
            self._report_unreadable(value, f"a place is a name or an object, not {json_kind(value)}", path, claims)

    def _collect_point(self, value: Any, path: str, claims: _PlaceClaims) -> None:
        try:
            claims.points.append((read_point(value), path))
        except InvalidValueError as error:
            self._report_unreadable(value, str(error), path, claims)

    def _report_unreadable(self, value: Any, why: str, path: str, claims: _PlaceClaims) -> None:
        claims.is_unreadable = True
        self.report("unreadable", f"`{display_value(value)}` cannot be read: {why}", path)

    # ------------------------------------------------------------------ resolution

    def _resolve(self, claims: _PlaceClaims, *, is_optional: bool = False) -> tuple[Row | None, str | None]:
        """Return a pair: the place and None, or None and the answer's name for an unknown place.

        Both are None if the answer gives neither a name nor a location, and no place has the answer's address.
        """
        if claims.name is None:
            return self._resolve_by_location(claims, is_optional=is_optional)
        name, path = claims.name
        matches = self.tables.places.find(name)
        if not matches and not claims.points:
            try:  # an answer may give a location as the name
                claims.points.append((read_point(name), path))
            except InvalidValueError:
                pass
            else:
                return self._resolve_by_location(claims, is_optional=is_optional)
        if not matches:
            near = self.tables.places.nearest(name)
            hint = f"; did you mean `{near}`?" if near else ""
            self.report("unknown-name", f"no tool returned a place called `{clipped_text(name)}`{hint}", path)
            return None, name
        close = [row for row in matches if not any(is_remote(row, point) for point, _ in claims.points)]
        if not close:
            point, where = next(
                (point, where) for point, where in claims.points if any(is_remote(row, point) for row in matches)
            )
            self._report_contradiction(
                claims, f"`{clipped_text(name)}` is more than 200 m from {location_text(point)}", where
            )
            return (matches[0], None) if len(matches) == 1 else (None, name)
        row = self._choose_place(close, claims.points)
        if row is None:
            message = f"{len(close)} places are called `{clipped_text(name)}`: add the location"
            self.report("ambiguous", message, path)
            return None, name
        return row, None

    def _resolve_by_location(self, claims: _PlaceClaims, *, is_optional: bool) -> tuple[Row | None, str | None]:
        if not claims.points:
            if claims.address is None or claims.is_unreadable:
                return None, None
            return self._resolve_by_address(claims.address)
        point, path = claims.points[0]
        row = self.tables.nearest_place(point)
        if row is None:
            message = f"no tool returned a place within 100 m of {location_text(point)}"
            self.report("unknown-name", message, path, fails=not is_optional)
            return None, None if is_optional else location_text(point)
        for other, where in claims.points[1:]:
            if is_remote(row, other):
                self._report_contradiction(
                    claims, f"{location_text(other)} is more than 200 m from {location_text(point)}", where
                )
        return row, None

    def _resolve_by_address(self, address: tuple[Any, str]) -> tuple[Row | None, str | None]:
        """Return a pair as `_resolve` does: the place with an address or None, and always None for the unknown name."""
        text = address[0].strip() if isinstance(address[0], str) else ""
        matches = self.tables.places.find(text)
        if len(matches) == 1:
            return matches[0], None
        right = {str(row._key[0]): row for row in self.tables.right_places}
        address_id = match_address(text, right)
        if address_id is not None:
            return right[address_id], None
        # several places may be at the address, so right answers are preferred; a query that asks for an address has no
        # right places, and nothing is looked up
        at_address = self.tables.places_at_address(text) if right else ()
        preferred = [row for row in at_address if row in self.tables.right_places] or at_address
        return (preferred[0] if preferred else None), None

    def _place_at_location(self, row: Row | None, claims: _PlaceClaims) -> Row | None:
        """Return the place at the answer's location or, without a location, at its address; None if there is none.

        `row` is the place with the answer's name. It is returned if the answer contradicts itself.
        """
        if claims.is_contradictory:
            return row
        text, path = claims.address if claims.address is not None else (None, "")
        at_address = self.tables.places_at_address(text.strip()) if isinstance(text, str) else ()
        if claims.points:
            point = claims.points[0][0]
            if at_address and all(is_remote(other, point) for other in at_address):
                self._report_contradiction(
                    claims, f"`{clipped_text(text)}` is more than 200 m from {location_text(point)}", path
                )
                return row
            spot = None if row is None else point_of(row)
            return (
                row
                if spot is not None and squared_distance(spot, point) <= NEAR**2
                else self.tables.nearest_place(point)
            )
        if row in at_address:
            return row
        spot = None if row is None else point_of(row)
        if claims.name is not None and at_address and spot is not None and all(is_remote(o, spot) for o in at_address):
            self._report_contradiction(
                claims,
                f"`{clipped_text(text)}` is the address of another place than `{clipped_text(claims.name[0])}`",
                path,
            )
            return row
        return None

    def _report_contradiction(self, claims: _PlaceClaims, message: str, path: str) -> None:
        claims.is_contradictory = True
        self.report("contradiction", message, path)

    def _choose_place(self, rows: Sequence[Row], points: Sequence[tuple[Point, str]]) -> Row | None:
        """Choose among places with the same name: the place nearest to the answer's first location.

        Without a location, choose any place if all are right answers, preferably a place that the answer has not named
        before. Otherwise return None.
        """
        if len(rows) == 1:
            return rows[0]
        if points:
            point = points[0][0]
            by_distance = [
                (squared_distance(where, point), row._index, row)
                for row in rows
                if (where := point_of(row)) is not None
            ]
            return min(by_distance)[2] if by_distance else None
        if all(row in self.tables.right_places for row in rows):
            return next((row for row in rows if row not in self.named_places), rows[0])
        return None


def location_text(point: Point) -> str:
    """Return a location in the tools' notation: `longitude,latitude` in degrees."""
    parts = (f"{'-' if value < 0 else ''}{abs(value) // 1_000_000}.{abs(value) % 1_000_000:06}" for value in point)
    return ",".join(parts)
