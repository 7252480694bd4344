"""A scripted agent that solves the examples from its view (query, brief, schema and shown texts) and reads no file."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import permutations
from typing import Any

from planspec.agents.desk import Desk
from planspec.agents.view import TaskView
from tests.examples import plain

LISTED = ("who", "holds")
"""Columns of the examples whose cells are lists."""


class ShownTables(plain.Tables):
    """The tables of a task, read from the texts shown in a view."""

    def __init__(self, view: TaskView) -> None:  # no file is read
        self._view = view

    def __getitem__(self, name: str) -> list[dict[str, Any]]:
        """Return the rows of a table."""
        if name == "Clue":
            return list(_clues(self._view.query))
        rows = list(csv.DictReader(self._view.materials[name].splitlines()))
        return [{key: _cell(key, text) for key, text in row.items()} for row in rows]

    def members(self, name: str) -> list[str]:
        """Return the members of an enum, from the schema of answers."""
        members: list[str] = _fields(self._view)[name.lower()]["enum"]
        return members


def _cell(name: str, text: str) -> Any:
    """Return the value of a shown cell: a list, an amount or a text."""
    if name in LISTED:
        return text.split("; ") if text else []
    return text.removesuffix(".00 EUR") + " EUR" if text.endswith(".00 EUR") else text


def _fields(view: TaskView) -> dict[str, Any]:
    """Return the fields of a row of an answer's only table, from the schema."""
    assert view.schema is not None
    (table,) = view.schema["properties"].values()
    field_schemas: dict[str, Any] = table["items"]["properties"]
    return field_schemas


def _clues(query: str) -> Iterator[dict[str, Any]]:
    """Yield the clues of the sudoku, as the grid in the query shows them."""
    for row, line in enumerate(re.findall(r"^[.1-9]{9}$", query, re.MULTILINE), 1):
        for column, digit in enumerate(line, 1):
            if digit != ".":
                yield {"row": row, "column": column, "digit": digit}


def clock(minutes: int) -> str:
    """Format minutes after midnight as `07:30`."""
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


class Reader:
    """An agent that knows what the examples request, and reads all numbers from its view."""

    def answer(self, view: TaskView, desk: Desk) -> Any:
        """Return the answer to a view."""
        solve = getattr(self, f"_{view.task.replace('-', '_')}")
        return solve(view, ShownTables(view))

    def _sudoku(self, view: TaskView, shown: ShownTables) -> Any:
        """Return the only filling of the grid."""
        grid = next(plain.sudoku(shown))
        return {"cells": [{"row": r, "column": c, "digit": d} for (r, c), d in grid.items()]}

    def _meetings(self, view: TaskView, shown: ShownTables) -> Any:
        """Return the only booking of rooms."""
        booked = next(plain.meetings(shown))
        return {"bookings": [{"meeting": m, "room": room, "start": clock(at)} for m, (room, at) in booked.items()]}

    def _menu(self, view: TaskView, shown: ShownTables) -> Any:
        """Return the first menu that fits the requests of a turn."""
        sister = "fish meat nuts"
        requests: list[dict[str, Any]] = [
            {"budget": 30, "max_time": "1h", "required": "fish"},
            {"budget": 30, "max_time": "1h20min", "refused": sister},
            {"budget": 21, "max_time": "2h", "refused": sister},
        ]
        dishes = next(plain.menus(shown, **requests[view.turn]))
        courses = shown.members("Course")
        return {"menu": [{"course": c, "dish": d} for c, d in zip(courses, dishes, strict=True)]}

    def _allotments(self, view: TaskView, shown: ShownTables) -> Any:
        """Return the only arrangement of the allotments."""
        at = next(plain.allotments())
        words = {name: field["enum"] for name, field in _fields(view).items() if "enum" in field}
        rows = [
            {"number": n, **{name: next(w for w in members if at[w] == n) for name, members in words.items()}}
            for n in range(1, 6)
        ]
        return {"allotments": rows}

    def _delivery(self, view: TaskView, shown: ShownTables) -> Any:
        """Return the shortest tour."""
        _, order = min(plain.rounds(shown, capacity=24))
        rows = {row["id"]: row for row in shown["Customer"]}
        now, position, calls = plain.minutes("05:30"), (0, 0), []
        for name in order:
            row = rows[name]
            target = plain.metres(row["east"]), plain.metres(row["north"])
            way = abs(target[0] - position[0]) + abs(target[1] - position[1])
            now = max(now + way // 250, plain.minutes(row["from"]))
            calls.append({"customer": name, "at": clock(now)})
            now, position = now + int(row["bring"]) + int(row["fetch"]), target
        return {"calls": calls}

    def _job_shop(self, view: TaskView, shown: ShownTables) -> Any:
        """Start each run as early as possible, sorted by its place (`turn`) in its order."""
        ready: dict[str, int] = {}
        runs = []
        for row in sorted(shown["Work"], key=lambda r: int(r["turn"])):
            at = max(ready.get(row["order"], 420), ready.get(row["machine"], 420))
            ready[row["order"]] = ready[row["machine"]] = at + plain.minutes(row["takes"])
            runs.append({"order": row["order"], "machine": row["machine"], "start": clock(at)})
        return {"runs": runs}

    def _roster(self, view: TaskView, shown: ShownTables) -> Any:
        """Take the first possible pair day after day, with backtracking."""
        people = shown.members("Volunteer")
        away = {(row["volunteer"], row["day"]) for row in shown["Away"]}
        week = [(date(2026, 3, 2) + timedelta(n)).isoformat() for n in range(7)]

        def fits(pairs: list[tuple[str, str]]) -> bool:
            (early, late), day = pairs[-1], week[len(pairs) - 1]
            counts = [sum(person in pair for pair in pairs) for person in people]
            return (
                not {(early, day), (late, day)} & away
                and not {early, late}.isdisjoint({"ines", "jon", "mika"})
                and (len(pairs) < 2 or pairs[-2][1] != early)
                and (len(pairs) < 7 or (set(pairs[5]).isdisjoint(pairs[6]) and min(counts) >= 2))
                and max(counts) <= 3
            )

        def search(pairs: list[tuple[str, str]]) -> list[tuple[str, str]] | None:
            if len(pairs) == 7:
                return pairs
            for pair in permutations(people, 2):
                if fits([*pairs, pair]) and (complete := search([*pairs, pair])) is not None:
                    return complete
            return None

        pairs = search([])
        assert pairs is not None
        duties = [
            {"day": day, "shift": shift, "volunteer": person}
            for day, pair in zip(week, pairs, strict=True)
            for shift, person in zip(("early", "late"), pair, strict=True)
        ]
        return {"duties": duties}
