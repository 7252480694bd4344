"""A scripted agent that solves the examples from its view alone: the query, the brief, the schema and what is shown."""

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
"""The columns of the examples whose cells are lists."""


class Shown(plain.Tables):
    """What a view shows, as the tables of a task."""

    def __init__(self, view: TaskView) -> None:  # no file is read
        self._view = view

    def __getitem__(self, name: str) -> list[dict[str, Any]]:
        if name == "Clue":
            return list(_clues(self._view.query))
        rows = list(csv.DictReader(self._view.materials[name].splitlines()))
        return [{key: _cell(key, text) for key, text in row.items()} for row in rows]

    def members(self, name: str) -> list[str]:
        """The members of an enum, as the schema of answers has them."""
        found: list[str] = _fields(self._view)[name.lower()]["enum"]
        return found


def _cell(name: str, text: str) -> Any:
    if name in LISTED:
        return text.split("; ") if text else []
    return text.removesuffix(".00 EUR") + " EUR" if text.endswith(".00 EUR") else text


def _fields(view: TaskView) -> dict[str, Any]:
    """The fields of a row of an answer's only table, as the schema has them."""
    assert view.schema is not None
    (table,) = view.schema["properties"].values()
    found: dict[str, Any] = table["items"]["properties"]
    return found


def _clues(query: str) -> Iterator[dict[str, Any]]:
    for row, line in enumerate(re.findall(r"^[.1-9]{9}$", query, re.MULTILINE), 1):
        for column, digit in enumerate(line, 1):
            if digit != ".":
                yield {"row": row, "column": column, "digit": digit}


def clock(minutes: int) -> str:
    """Minutes after midnight as `07:30`."""
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


class Reader:
    """Knows of each example what its query asks for, and looks up every figure in its view."""

    privileged = False

    def answer(self, view: TaskView, desk: Desk) -> Any:
        """The answer to a view."""
        solve = getattr(self, f"_{view.task.replace('-', '_')}")
        return solve(view, Shown(view))

    def _sudoku(self, view: TaskView, shown: Shown) -> Any:
        grid = next(plain.sudoku(shown))
        return {"cells": [{"row": r, "column": c, "digit": d} for (r, c), d in grid.items()]}

    def _meetings(self, view: TaskView, shown: Shown) -> Any:
        booked = next(plain.meetings(shown))
        return {
            "bookings": [{"meeting": m, "room": room, "start": clock(at)} for m, (room, at) in booked.items()]
        }

    def _menu(self, view: TaskView, shown: Shown) -> Any:
        sister = "fish meat nuts"
        asked: list[dict[str, Any]] = [
            {"purse": 30, "patience": "1h", "wanted": "fish"},
            {"purse": 30, "patience": "1h20min", "refused": sister},
            {"purse": 21, "patience": "2h", "refused": sister},
        ]
        dishes = next(plain.menus(shown, **asked[view.turn]))
        courses = shown.members("Course")
        return {"menu": [{"course": c, "dish": d} for c, d in zip(courses, dishes, strict=True)]}

    def _allotments(self, view: TaskView, shown: Shown) -> Any:
        at = next(plain.allotments())
        words = {name: field["enum"] for name, field in _fields(view).items() if "enum" in field}
        rows = [
            {"number": n, **{name: next(w for w in members if at[w] == n) for name, members in words.items()}}
            for n in range(1, 6)
        ]
        return {"allotments": rows}

    def _delivery(self, view: TaskView, shown: Shown) -> Any:
        _, order = min(plain.rounds(shown, holds=24))
        rows = {row["id"]: row for row in shown["Customer"]}
        now, here, calls = plain.minutes("05:30"), (0, 0), []
        for name in order:
            row = rows[name]
            there = plain.metres(row["east"]), plain.metres(row["north"])
            way = abs(there[0] - here[0]) + abs(there[1] - here[1])
            now = max(now + way // 250, plain.minutes(row["from"]))
            calls.append({"customer": name, "at": clock(now)})
            now, here = now + int(row["bring"]) + int(row["fetch"]), there
        return {"calls": calls}

    def _job_shop(self, view: TaskView, shown: Shown) -> Any:
        """Each run as early as it goes, the runs by their turn."""
        ready: dict[str, int] = {}
        runs = []
        for row in sorted(shown["Work"], key=lambda r: int(r["turn"])):
            at = max(ready.get(row["order"], 420), ready.get(row["machine"], 420))
            ready[row["order"]] = ready[row["machine"]] = at + plain.minutes(row["takes"])
            runs.append({"order": row["order"], "machine": row["machine"], "start": clock(at)})
        return {"runs": runs}

    def _roster(self, view: TaskView, shown: Shown) -> Any:
        """Day after day the first pair that may work, going back where that leads nowhere."""
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

        def found(pairs: list[tuple[str, str]]) -> list[tuple[str, str]] | None:
            if len(pairs) == 7:
                return pairs
            for pair in permutations(people, 2):
                if fits([*pairs, pair]) and (whole := found([*pairs, pair])) is not None:
                    return whole
            return None

        pairs = found([])
        assert pairs is not None
        duties = [
            {"day": day, "shift": shift, "volunteer": person}
            for day, pair in zip(week, pairs, strict=True)
            for shift, person in zip(("early", "late"), pair, strict=True)
        ]
        return {"duties": duties}
