"""Solutions of the examples in plain Python, computed from their tables without planspec's constraints and solvers."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import permutations, product
from pathlib import Path
from typing import Any

import yaml


class Tables:
    """A task's file, read by PyYAML and `csv`.

    Args:
        path: path of the file.
    """

    def __init__(self, path: Path) -> None:
        # The values are strings, and YAML has no static types.
        self.data: Any = yaml.load(path.read_text("utf-8"), yaml.BaseLoader)

    def __getitem__(self, name: str) -> list[dict[str, Any]]:
        """Return the rows of a table."""
        table = self.data["tables"][name]
        if "rows" in table:
            return list(table["rows"])
        return list(csv.DictReader(table["csv"].splitlines(), skipinitialspace=True))

    def members(self, name: str) -> list[str]:
        """Return the members of an enum."""
        return [member.strip() for member in self.data["types"][name].split("|")]


def minutes(text: str) -> int:
    """Parse `07:30` as minutes after midnight, or `1h30min` as minutes."""
    if ":" in text:
        hours, rest = text.split(":")
        return 60 * int(hours) + int(rest)
    hours, _, rest = text.rpartition("h")
    return 60 * int(hours or 0) + int(rest.removesuffix("min") or 0)


def metres(text: str) -> int:
    """Parse `2.25km` or `500m` as metres."""
    if not text.endswith("km"):
        return int(text.removesuffix("m"))
    whole, _, part = text.removesuffix("km").partition(".")
    sign = -1 if whole.startswith("-") else 1
    return int(whole) * 1000 + sign * int(part.ljust(3, "0"))


def sudoku(tables: Tables) -> Iterator[dict[tuple[int, int], int]]:
    """Yield every filled grid. The cell with the fewest candidates is filled first."""
    grid = {(int(r["row"]), int(r["column"])): int(r["digit"]) for r in tables["Clue"]}
    cells = [(row, column) for row in range(1, 10) for column in range(1, 10)]

    def box(cell: tuple[int, int]) -> tuple[int, int]:
        return (cell[0] - 1) // 3, (cell[1] - 1) // 3

    peers = {
        cell: {o for o in cells if o != cell and (o[0] == cell[0] or o[1] == cell[1] or box(o) == box(cell))}
        for cell in cells
    }

    def candidates(cell: tuple[int, int]) -> set[int]:
        return set(range(1, 10)) - {grid[o] for o in peers[cell] if o in grid}

    def fill() -> Iterator[dict[tuple[int, int], int]]:
        blank = [cell for cell in cells if cell not in grid]
        if not blank:
            yield dict(grid)
            return
        cell = min(blank, key=lambda c: len(candidates(c)))
        for digit in sorted(candidates(cell)):
            grid[cell] = digit
            yield from fill()
            del grid[cell]

    return fill()


def meetings(tables: Tables) -> Iterator[dict[str, tuple[str, int]]]:
    """Yield every assignment of a room and a start, in minutes after midnight, to each meeting."""
    by_size = sorted(tables["Meeting"], key=lambda m: -len(m["who"]))
    rooms = {r["id"]: r for r in tables["Room"]}
    takes = {m["id"]: minutes(m["takes"]) for m in by_size}
    who = {m["id"]: set(m["who"]) for m in by_size}
    available: dict[str, list[tuple[int, int]]] = {}
    for row in [*tables["Free"], *tables["Open"]]:
        stretch = minutes(row["from"]), minutes(row["to"])
        available.setdefault(row.get("person") or row["room"], []).append(stretch)

    def fits(name: str, start: int) -> bool:
        return any(a <= start and start + takes[meeting["id"]] <= b for a, b in available[name])

    choices: dict[str, list[tuple[str, int]]] = {}
    for meeting in by_size:
        choices[meeting["id"]] = [
            (name, start)
            for start in range(9 * 60, 14 * 60, 30)
            for name, room in rooms.items()
            if int(room["seats"]) >= len(meeting["who"])
            and (meeting.get("screen") != "true" or room["screen"] == "true")
            and all(fits(one, start) for one in (name, *meeting["who"]))
        ]
    chosen: dict[str, tuple[str, int]] = {}

    def are_apart(a: str, b: str) -> bool:
        (room, start), (other, later) = chosen[a], chosen[b]
        clash = room == other or bool(who[a] & who[b])
        return not clash or start + takes[a] <= later or later + takes[b] <= start

    def book(left: list[str]) -> Iterator[dict[str, tuple[str, int]]]:
        if not left:
            follows = (("demo", "retro"), ("budget", "hiring"))
            if all(chosen[a][1] + takes[a] <= chosen[b][1] for a, b in follows):
                yield dict(chosen)
            return
        for choice in choices[left[0]]:
            chosen[left[0]] = choice
            if all(are_apart(left[0], other) for other in chosen if other != left[0]):
                yield from book(left[1:])
            del chosen[left[0]]

    return book([m["id"] for m in by_size])


def allotments() -> Iterator[dict[str, int]]:
    """Yield every arrangement that the query allows, as a mapping from a thing to the number of its allotment."""
    places = list(permutations(range(1, 6)))
    names = "ada bruno carla dmitri esra beans leeks pumpkins roses strawberries"
    names += " blue green red white yellow cat hedgehog robin toad wasps"
    for home in places:
        ada, bruno, carla, dmitri, esra = home
        for bed in places:
            beans, leeks, pumpkins, roses, strawberries = bed
            if ada != roses or strawberries + 1 != bruno or abs(beans - leeks) != 1:
                continue
            for shed in places:
                blue, green, red, white, yellow = shed
                if leeks != red or green + 1 != esra or abs(roses - yellow) != 2 or abs(carla - blue) != 1:
                    continue
                for den in places:
                    cat, _, robin, toad, wasps = den
                    same = wasps == white and robin == pumpkins
                    beside = abs(beans - cat) == 1 and abs(toad - pumpkins) == 1
                    if same and beside and abs(strawberries - toad) == 2 and dmitri < toad:
                        yield dict(zip(names.split(), home + bed + shed + den, strict=True))


def job_shop(tables: Tables) -> int:
    """Return the minimum makespan, in minutes.

    Branch and bound: each step starts the next work of an order as early as possible. A branch is cut as soon
    as the remaining work of an order does not fit under the best makespan. Every left-shifted schedule (no work can
    start earlier) results from some order of starts.
    """
    work: dict[str, list[tuple[str, int]]] = {}
    for row in sorted(tables["Work"], key=lambda r: int(r["turn"])):
        work.setdefault(row["order"], []).append((row["machine"], minutes(row["takes"])))
    best = sum(takes for steps in work.values() for _, takes in steps)

    def branch(at: dict[str, int], ready: dict[str, int], idle: dict[str, int]) -> None:
        nonlocal best
        if all(at[order] == len(steps) for order, steps in work.items()):
            best = min(best, max(ready.values()))
            return
        for order, steps in work.items():
            if at[order] < len(steps):
                machine, takes = steps[at[order]]
                end = max(ready[order], idle.get(machine, 0)) + takes
                if end + sum(t for _, t in steps[at[order] + 1 :]) < best:
                    branch(at | {order: at[order] + 1}, ready | {order: end}, idle | {machine: end})

    branch(dict.fromkeys(work, 0), dict.fromkeys(work, 0), {})
    return best


def rounds(tables: Tables, *, capacity: int) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield every feasible tour of a van that holds `capacity` crates: its length in metres, and the order of its
    calls.
    """
    customers = {row["id"]: row for row in tables["Customer"]}
    spots = {name: (metres(row["east"]), metres(row["north"])) for name, row in customers.items()}
    for order in permutations(customers):
        clock, position, driven = minutes("05:30"), (0, 0), 0
        load = sum(int(row["bring"]) for row in customers.values())
        for name in order:
            row = customers[name]
            way = abs(spots[name][0] - position[0]) + abs(spots[name][1] - position[1])
            clock = max(clock + way // 250, minutes(row["from"]))
            load += int(row["fetch"]) - int(row["bring"])
            if clock > minutes(row["until"]) or load > capacity:
                break
            clock += int(row["bring"]) + int(row["fetch"])
            position, driven = spots[name], driven + way
        else:
            back = abs(position[0]) + abs(position[1])
            if clock + back // 250 <= minutes("08:30"):
                yield driven + back, order


def menus(
    tables: Tables, *, budget: int, max_time: str, required: str = "", refused: str = ""
) -> Iterator[tuple[str, str, str]]:
    """Yield every starter, main course and dessert within a budget and a time.

    Args:
        tables: tables of the task.
        budget: budget in euros.
        max_time: longest time, such as `1h20min`.
        required: ingredients that the menu must have, separated by spaces.
        refused: ingredients that the menu must not have.
    """
    card = {course: [d for d in tables["Dish"] if d["course"] == course] for course in tables.members("Course")}
    for dishes in product(*card.values()):
        starter, main, dessert = ({*d.get("holds", ())} for d in dishes)
        price = sum(int(d["price"].removesuffix(" EUR")) for d in dishes)
        work = sum(minutes(d["takes"].removesuffix("min")) for d in dishes)
        if price > budget or work > minutes(max_time.removesuffix("min")) or starter & main or main & dessert:
            continue
        held = starter | main | dessert
        if {*required.split()} <= held and not {*refused.split()} & held:
            yield dishes[0]["id"], dishes[1]["id"], dishes[2]["id"]


def roster(tables: Tables) -> int:
    """Return the maximum number of wishes (hearts) that a week's roster can grant.

    Dynamic programming over days. The state consists of the number of shifts of each person, the pair of the day before
    on a Saturday, and the person of the last late shift. The following days depend on nothing else.
    """
    people = tables.members("Volunteer")
    away = {(row["volunteer"], row["day"]) for row in tables["Away"]}
    wishes = {(row["volunteer"], row["day"]): (row["shift"], int(row["hearts"])) for row in tables["Wish"]}
    week = [(date(2026, 3, 2) + timedelta(n)).isoformat() for n in range(7)]
    best: dict[tuple[tuple[int, ...], frozenset[str], str], int] = {((0,) * len(people), frozenset(), ""): 0}
    for number, day in enumerate(week):
        following: dict[tuple[tuple[int, ...], frozenset[str], str], int] = {}
        for early, late in permutations(people, 2):
            if {(early, day), (late, day)} & away or not {early, late} & {"ines", "jon", "mika"}:
                continue
            gain = 0
            for person in people:
                shift, hearts = wishes.get((person, day), ("", 0))
                worked = "early" if person == early else "late" if person == late else ""
                gain += hearts if worked == shift else 0
            for (counts, saturday, last), value in best.items():
                if last == early or (number == 6 and saturday & {early, late}):
                    continue
                now = tuple(n + (person in (early, late)) for n, person in zip(counts, people, strict=True))
                if max(now) > 3:
                    continue
                state = now, frozenset({early, late}) if number == 5 else frozenset(), late
                following[state] = max(following.get(state, 0), value + gain)
        best = following
    return max(value for (counts, _, _), value in best.items() if min(counts) >= 2)
