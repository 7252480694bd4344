"""Ground plans of sights: walls and rooms, zones for the numbered parts of a sight, and details to look for.

The numbered zones are the parts of the sight in the city's table `part`. The main plan is drawn in a box of 1000 by
600. To its right, insets show the parts above, below or outside the building. The main plan and the insets are called
plates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import cos, dist, pi, sin
from random import Random

from planspec.families.worldtravel.webscape.buildings import building
from planspec.families.worldtravel.webscape.phrasing import phrases
from planspec.families.worldtravel.webscape.plan_shapes import Point, Room, Shape, box, column, oval, polygon
from planspec.families.worldtravel.webscape.tables import WorldRow

WIDTH, HEIGHT, PLATE = 1000, 600, 380
"""Width and height of the main plan, and width of the column of insets."""
_APART = 45
"""Minimum distance between the number of a part and the letter of a detail to look for."""


@dataclass(frozen=True, slots=True)
class Zone:
    """Rooms of one part of a sight.

    Attributes:
        part: row of the part.
        number: number of the part in the plan's key, from 1.
        rooms: rooms of the part.
        middle: point at which routes stop, and usual position of the number.
        label: position of the number if routes are drawn; None for a position above `middle`.
    """

    part: WorldRow
    number: int
    rooms: tuple[Room, ...]
    middle: Point
    label: Point | None = None


@dataclass(frozen=True, slots=True)
class Plate:
    """A drawing of a ground plan: the main plan or an inset.

    Attributes:
        title: title of an inset, such as `Below`; empty for the main plan.
        box: left, top, width and height.
        zones: rooms of parts.
        rooms: further rooms.
        lines: thin lines such as columns, benches and trees, as SVG paths.
        doors: openings in walls, as SVG paths.
        signs: words with their positions, such as `Shop`.
        entrance: point where visitors come in.
        caption: text above an inset, such as the name of its only part.
        walks: lines on which visitors walk.
        gates: points on the main plan where paths to the insets leave, by title of the inset.
        rounds: points on a walk through all parts, in order.
    """

    title: str
    box: tuple[float, float, float, float]
    zones: tuple[Zone, ...]
    rooms: tuple[Room, ...]
    lines: tuple[str, ...]
    doors: tuple[str, ...] = ()
    signs: tuple[tuple[str, Point], ...] = ()
    entrance: Point | None = None
    caption: str = ""
    walks: tuple[tuple[Point, ...], ...] = ()
    gates: Mapping[str, Point] = field(default_factory=dict)
    rounds: tuple[Point, ...] = ()


@dataclass(frozen=True, slots=True)
class GroundPlan:
    """Ground plan of a sight.

    Attributes:
        plates: plates, the main one first.
        stops: points at which routes stop, by id of the part.
        finds: letter, name and position of each detail to look for, such as a statue. Details are decoration, not
            facts.
    """

    plates: tuple[Plate, ...]
    stops: Mapping[str, Point]
    finds: tuple[tuple[str, str, Point], ...]

    @property
    def entrance(self) -> Point:
        """Point where visitors come in."""
        return self.plates[0].entrance or Point(WIDTH / 2, HEIGHT)


# ------------------------------------------------------------------ plates

_ABOVE = (
    "roof",
    "terrace",
    "tower",
    "platform",
    "upper",
    "deck",
    "dome",
    "bell",
    "campanile",
    "lantern",
    "gallery of the plenary",
    "attic and roof",
)
_BELOW = ("below", "crypt", "catacomb", "cellar", "tunnel", "excavation")
_OUTSIDE = ("garden", "boboli", "menagerie park")
_PASSAGE = ("corridor", "passetto", "passage")
_PLATES = (("Passage", _PASSAGE), ("Below", _BELOW), ("Outside", _OUTSIDE), ("Above", _ABOVE))


def _plate_title(part: WorldRow) -> str:
    """Return the title of the inset on which a part is drawn; empty for the main plan."""
    name = part["name"].lower()
    return next((title for title, words in _PLATES if any(word in name for word in words)), "")


def _inset_plate(
    title: str, parts: Sequence[tuple[int, WorldRow]], frame: tuple[float, float, float, float], random: Random
) -> Plate:
    left, top, width, height = frame
    across = (width - 40) / len(parts)
    gate = Point(round(left + width / 2), round(top + height / 2 + min(height / 2 - 8, 176)))
    zones, lines, doors, walks = [], [], [], []
    for turn, (number, part) in enumerate(parts):
        x, y = left + 20 + across * (turn + 0.5), top + height / 2 + 8
        half, tall = min(across * 0.45, 165), min(height * 0.32, 130)
        draw = _draw_arcade_on_hill if "gloriette" in part["name"].lower() else _INSET_DRAWERS[title]
        room, drawn, sill = draw(Point(round(x), round(y)), half, tall, random)
        zones.append(Zone(part, number, (room,), room.middle, Point(room.middle.x - 40, room.middle.y)))
        lines += drawn
        doors.append(f"M{room.middle.x - 15} {sill:.0f} h30")
        corner = Point(room.middle.x, gate.y - 8)
        walks.append((gate, Point(gate.x, gate.y - 8), corner, room.middle))
    caption = parts[0][1]["name"].partition(",")[0] if len(parts) == 1 else _CAPTIONS[title]
    rounds = tuple(zone.middle for zone in zones)
    return Plate(
        title,
        frame,
        tuple(zones),
        (),
        tuple(lines),
        tuple(doors),
        entrance=gate,
        caption=caption,
        walks=tuple(walks),
        rounds=rounds,
    )


_CAPTIONS = {"Above": "Upstairs", "Below": "Below ground", "Outside": "Outside", "Passage": "Passage"}
_Inset = tuple[Room, list[str], float]
"""Drawing of a part in an inset: its room, thin lines, and the vertical position of the wall with its door."""


def _draw_upper_part(middle: Point, half: float, tall: float, _: Random) -> _Inset:
    side = min(half, tall)
    lines = [
        f"M{middle.x - side + 8:.0f} {middle.y - side + 8:.0f} h{2 * side - 16:.0f} v{2 * side - 16:.0f} h{16 - 2 * side:.0f} Z"
    ]
    lines += [
        f"M{middle.x + 0.5 * side * cos(turn):.0f} {middle.y + 0.5 * side * sin(turn):.0f} L{middle.x + 0.82 * side * cos(turn):.0f} {middle.y + 0.82 * side * sin(turn):.0f}"
        for turn in (n * pi / 8 for n in range(16) if n != 4)  # paths enter from below, through the gap at n = 4
    ]
    return Room(box(middle.x - side, middle.y - side, 2 * side, 2 * side).path, middle), lines, middle.y + side


def _draw_arcade_on_hill(middle: Point, half: float, tall: float, _: Random) -> _Inset:
    """Draw an arcade on top of a hill."""
    x, y, low = middle.x, middle.y - round(tall * 0.35), middle.y - round(tall * 0.35) + 26
    corners = [(x - half, y - 18), (x - 40, y - 18), (x - 40, y - 34), (x + 40, y - 34), (x + 40, y - 18)]
    corners += [(x + half, y - 18), (x + half, y + 18), (x + 40, y + 18), (x + 40, low), (x - 40, low)]
    corners += [(x - 40, y + 18), (x - half, y + 18)]
    lines = [
        f"M{x + side * 22} {low + 16 * n + 14} q{side * (half * 0.7)} {4 + 2 * n} {side * (half * 0.95 - 22)} {-26 + 4 * n}"
        for n in range(4)
        for side in (1, -1)
    ]
    lines += [column(x + side * (54 + 18 * n), y, 4) for n in range(int((half - 54) / 18)) for side in (1, -1)]
    return polygon(corners, Point(x, y)), lines, low


def _draw_lower_part(middle: Point, half: float, tall: float, random: Random) -> _Inset:
    x, y = middle
    a, b = half * 0.9, tall * 0.9
    corners = [(x - a, y - b * 0.3), (x - a * 0.4, y - b * 0.3), (x - a * 0.4, y - b), (x + a * 0.2, y - b)]
    corners += [(x + a * 0.2, y - b * 0.3), (x + a, y - b * 0.3), (x + a, y + b * 0.8), (x + a * 0.6, y + b * 0.8)]
    corners += [(x + a * 0.6, y + b * 0.3), (x - a * 0.2, y + b * 0.3), (x - a * 0.2, y + b), (x - a, y + b)]
    lines = [column(x + a * across, y + b * random.uniform(0, 0.15), 4) for across in (-0.8, -0.6, -0.4, 0.75)]
    return polygon(corners, middle), lines, y + b * 0.3


def _draw_garden(middle: Point, half: float, tall: float, random: Random) -> _Inset:
    x, y = middle
    lines = [
        f"M{x - half:.0f} {y:.0f} h{2 * half:.0f} M{x:.0f} {y - tall:.0f} v{2 * tall:.0f}",
        oval(x + half * 0.5, y - tall * 0.5, 22, 13),
    ]
    lines += [
        column(
            x + half * random.choice((-1, 1)) * random.uniform(0.3, 0.9),
            y + tall * random.choice((-0.75, -0.4, 0.4, 0.75)),
            7,
        )
        for _ in range(14)
    ]
    return Room(box(x - half, y - tall, 2 * half, 2 * tall).path, middle), lines, y + tall


def _draw_passage(middle: Point, half: float, tall: float, _: Random) -> _Inset:
    x, y = middle.x, round(middle.y + tall * 0.3)
    deep = max(26, tall * 0.22)
    corners = [(x - half, y + deep + 16), (x - half, y - deep), (x + half * 0.55, y - deep)]
    corners += [(x + half * 0.55, middle.y - tall), (x + half, middle.y - tall), (x + half, y + deep)]
    corners += [(x - half * 0.7, y + deep), (x - half * 0.7, y + deep + 16)]
    return polygon(corners, Point(x, y)), [], y + deep


_INSET_DRAWERS: Mapping[str, Callable[[Point, float, float, Random], _Inset]] = {
    "Above": _draw_upper_part,
    "Below": _draw_lower_part,
    "Outside": _draw_garden,
    "Passage": _draw_passage,
}


# ------------------------------------------------------------------ plans


def ground_plan(place: WorldRow, parts: Sequence[WorldRow]) -> GroundPlan:
    """Return the ground plan of a sight. The same name and parts always give the same plan.

    Args:
        place: row of the sight.
        parts: rows of its parts, in the order of their numbers.
    """
    random = Random(f"plan {place['name']}")
    name = f"{place['name'].lower()} "
    shape = building(name, random)
    numbered = list(enumerate(parts, 1))
    slots = dict(_matching_slots(shape, numbered))
    aside = [item for item in numbered if item[0] not in slots and _plate_title(item[1])]
    if len(aside) == len(numbered):
        aside = aside[1:]
    inside = [item for item in numbered if item not in aside]
    main = _main_plate(shape, inside, slots, aside)
    titles = [title for title, _ in _PLATES if any(_plate_title(part) == title for _, part in aside)]
    tall = HEIGHT / max(1, len(titles))
    plates = [
        _inset_plate(
            title,
            [item for item in aside if _plate_title(item[1]) == title],
            (WIDTH + 20, tall * turn, PLATE, tall - 14),
            random,
        )
        for turn, title in enumerate(titles)
    ]
    every = (main, *plates)
    stops = {zone.part["id"]: zone.middle for plate in every for zone in plate.zones}
    return GroundPlan(every, stops, _things_to_find(place, shape, main))


def _things_to_find(place: WorldRow, shape: Shape, main: Plate) -> tuple[tuple[str, str, Point], ...]:
    names: Sequence[str] = phrases("plans").get(place["name"], ())
    number_positions = [zone.middle for zone in main.zones]
    spots = [spot for spot in shape.spots if all(dist(spot, middle) > _APART for middle in number_positions)]
    if shape.loop and main.zones:
        free = [room.label or room.middle for zone in main.zones for room in zone.rooms if room.middle != zone.middle]
        spots = free[:: max(1, len(free) // max(1, len(names)))]
    return tuple(zip("abcdef", names, spots, strict=False))


def _matching_slots(shape: Shape, parts: Sequence[tuple[int, WorldRow]]) -> Iterator[tuple[int, Room]]:
    """Yield pairs of a part's number and the room that its name selects.

    A name selects a room (slot) if it contains one of the slot's words.
    """
    free = list(shape.slots)
    for number, part in parts:
        name = part["name"].lower()
        slot = next((slot for slot in free if any(word and word in name for word in slot[0])), None)
        if slot is not None:
            free.remove(slot)
            yield number, slot[1]


def _main_plate(
    shape: Shape,
    parts: Sequence[tuple[int, WorldRow]],
    slots: Mapping[int, Room],
    aside: Sequence[tuple[int, WorldRow]],
) -> Plate:
    zones = [Zone(part, number, (slots[number],), slots[number].middle) for number, part in parts if number in slots]
    rest = [item for item in parts if item[0] not in slots]
    open_slots = [room for words, room in shape.slots if "" in words and room not in slots.values()]
    others = [room for words, room in shape.slots if "" not in words and room not in slots.values()]
    rooms = list(shape.rooms)
    if shape.loop:
        share = len(shape.loop) / max(1, len(rest))
        for turn, (number, part) in enumerate(rest):
            group = shape.loop[round(turn * share) : round((turn + 1) * share)]
            room = group[-1] if number == rest[-1][0] else group[len(group) // 2]
            zones.append(Zone(part, number, tuple(group), room.middle, room.label))
        rooms += [] if rest else shape.loop
    else:
        pool = [*open_slots, *others]
        for number, part in rest:
            room = pool.pop(0) if pool else shape.slots[0][1]
            zones.append(Zone(part, number, (room,), room.middle))
        used = {room for zone in zones for room in zone.rooms}
        rooms += [] if shape.sparse else [room for _, room in shape.slots if room not in used]
    zones.sort(key=lambda zone: zone.number)
    rounds = [zone.middle for zone in zones]
    if shape.loop and zones:
        rounds = [room.middle for room in shape.loop[: shape.loop.index(zones[-1].rooms[-1]) + 1]]
    insets = {_plate_title(part) for _, part in aside}
    drawn = [*rooms, *(room for zone in zones for room in zone.rooms)]
    doors = [*shape.doors, *(room.door for room in drawn if room.door)]
    doors += [*(door for title, door in shape.gate_doors.items() if title in insets)]
    return Plate(
        "",
        (0, 0, WIDTH, HEIGHT),
        tuple(zones),
        tuple(rooms),
        tuple(shape.lines),
        tuple(doors),
        tuple(shape.signs),
        shape.entrance,
        walks=tuple(tuple(walk) for walk in shape.walks),
        gates=shape.gates,
        rounds=tuple(rounds),
    )
