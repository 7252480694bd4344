"""Ground plans of sights: walls and rooms, zones for the parts of a sight, and ways through them.

The name of a sight selects the kind of building. Walls and small rooms are invented; the zones with numbers are the
parts of the world's table, and the ways are its routes. A plan is drawn in a box of 1000 by 600; plates for what lies
above, below or outside stand at its right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from math import cos, pi, sin
from random import Random
from typing import NamedTuple

from planspec.families.worldtravel.webscape.phrasing import phrases
from planspec.families.worldtravel.webscape.tables import WorldRow

WIDTH, HEIGHT, PLATE = 1000, 600, 380
"""Width and height of the main plan, and width of the column of plates."""


class Point(NamedTuple):
    """A position on a plan."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Room:
    """A room: the outline as an SVG path, and the middle, where a number may stand."""

    path: str
    middle: Point


@dataclass(frozen=True, slots=True)
class Zone:
    """The rooms of a part.

    Attributes:
        part: row of the part.
        number: number of the part in the key, from 1.
        rooms: rooms of the part.
        middle: position of its number.
    """

    part: WorldRow
    number: int
    rooms: tuple[Room, ...]
    middle: Point


@dataclass(frozen=True, slots=True)
class Plate:
    """A drawing of one level.

    Attributes:
        title: title such as `Below`; empty for the main plan.
        box: left, top, width and height.
        zones: rooms of parts.
        rooms: further rooms.
        lines: thin lines such as columns, benches and trees, as SVG paths.
        doors: openings in walls, as SVG paths.
        signs: words with their positions, such as `Shop`.
        entrance: where visitors come in.
    """

    title: str
    box: tuple[float, float, float, float]
    zones: tuple[Zone, ...]
    rooms: tuple[Room, ...]
    lines: tuple[str, ...]
    doors: tuple[str, ...] = ()
    signs: tuple[tuple[str, Point], ...] = ()
    entrance: Point | None = None


@dataclass(frozen=True, slots=True)
class GroundPlan:
    """The plan of a sight.

    Attributes:
        plates: plates, the main one first.
        stops: positions of the parts, by id.
        finds: letter, name and position of each thing to find. None of them is a fact of the world.
    """

    plates: tuple[Plate, ...]
    stops: Mapping[str, Point]
    finds: tuple[tuple[str, str, Point], ...]

    @property
    def entrance(self) -> Point:
        """Where visitors come in."""
        return self.plates[0].entrance or Point(WIDTH / 2, HEIGHT)


@dataclass
class _Shape:
    """A building without names.

    Attributes:
        slots: rooms that may become a part, each with words of the names of such parts. Slots without words
            take any part.
        loop: rooms in the order of a visit, which are shared out among parts without a slot.
        spots: free positions for the letters of things to find, for buildings without a loop.
    """

    entrance: Point
    slots: list[tuple[tuple[str, ...], Room]] = field(default_factory=list)
    loop: list[Room] = field(default_factory=list)
    rooms: list[Room] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    doors: list[str] = field(default_factory=list)
    signs: list[tuple[str, Point]] = field(default_factory=list)
    spots: list[Point] = field(default_factory=list)


# ------------------------------------------------------------------ pieces


def _box(left: float, top: float, width: float, height: float) -> Room:
    path = f"M{left:.0f} {top:.0f} h{width:.0f} v{height:.0f} h{-width:.0f} Z"
    return Room(path, Point(round(left + width / 2), round(top + height / 2)))


def _oval(x: float, y: float, x_radius: float, y_radius: float) -> str:
    return f"M{x - x_radius:.0f} {y:.0f} a{x_radius:.0f} {y_radius:.0f} 0 1 0 {2 * x_radius:.0f} 0 a{x_radius:.0f} {y_radius:.0f} 0 1 0 {-2 * x_radius:.0f} 0 Z"


def _polygon(corners: Sequence[tuple[float, float]], middle: Point) -> Room:
    return Room("M" + " L".join(f"{x:.0f} {y:.0f}" for x, y in corners) + " Z", middle)


def _around(x: float, y: float, radius: float, count: int, turn: float = 0) -> list[tuple[float, float]]:
    return [
        (x + radius * cos(2 * pi * n / count + turn), y + radius * sin(2 * pi * n / count + turn)) for n in range(count)
    ]


def _column(x: float, y: float, radius: float = 5) -> str:
    return _oval(x, y, radius, radius)


def _stairs(left: float, top: float, width: float, height: float) -> str:
    return " ".join(f"M{left + n * width / 6:.0f} {top:.0f} v{height:.0f}" for n in range(7))


def _split(random: Random, start: float, end: float, count: int) -> list[float]:
    """Return the edges of uneven pieces of a length."""
    sizes = [random.uniform(0.75, 1.3) for _ in range(count)]
    return [start, *(round(start + (end - start) * part / sum(sizes)) for part in accumulate(sizes))]


def _doorway(first: Room, second: Room, edge: Point) -> str:
    """Return an opening of the wall between two rooms, at an edge that both share."""
    if abs(first.middle.x - second.middle.x) > abs(first.middle.y - second.middle.y):
        return f"M{edge.x:.0f} {edge.y - 15:.0f} v30"
    return f"M{edge.x - 15:.0f} {edge.y:.0f} h30"


# ------------------------------------------------------------------ buildings


def _palace(random: Random) -> _Shape:
    """Four wings around a courtyard."""
    top, bottom = _split(random, 40, 960, 5), _split(random, 40, 960, 5)
    left, right = _split(random, 180, 420, 2), _split(random, 180, 420, 2)
    north = [_box(a, 40, b - a, 140) for a, b in pairwise(top)]
    south = [_box(a, 420, b - a, 140) for a, b in pairwise(bottom)]
    west = [_box(40, a, 150, b - a) for a, b in pairwise(left)]
    east = [_box(810, a, 150, b - a) for a, b in pairwise(right)]
    shape = _Shape(Point(south[2].middle.x, 560), rooms=[south[1], south[2], south[3]])
    shape.loop = [south[0], *reversed(west), *north, *east, south[4]]
    edges = [Point(115, edge) for edge in reversed(left)]
    edges += [Point(edge, 110) for edge in top[1:-1]] + [Point(885, edge) for edge in right]
    path = [south[0], *reversed(west), *north, *east, south[4]]
    shape.doors = [_doorway(a, b, edge) for a, b, edge in zip(path, path[1:], edges, strict=False)]
    shape.doors += [f"M{bottom[n]} 475 v30" for n in (1, 2, 3, 4)] + [f"M{south[2].middle.x - 22} 560 h44"]
    shape.lines = [_column(x, y) for y in (198, 402) for x in range(212, 800, 48)]
    shape.lines += [_column(x, y) for x in (208, 792) for y in range(238, 380, 42)]
    shape.lines += [_oval(500, 300, 34, 34), _oval(500, 300, 16, 16)]
    shape.signs = [
        ("Cloakroom", south[1].middle),
        ("Tickets", Point(south[2].middle.x - 46, 538)),
        ("Shop", south[3].middle),
        ("Courtyard", Point(650, 368)),
    ]
    return shape


def _museum(random: Random) -> _Shape:
    """Three rows of rooms, one leading into the next."""
    columns = _split(random, 40, 960, 5)
    rows = [40, random.choice((195, 215, 235)), random.choice((370, 390, 405)), 560]
    cells = {
        (row, column): _box(
            columns[column], rows[row], columns[column + 1] - columns[column], rows[row + 1] - rows[row]
        )
        for row in range(3)
        for column in range(5)
    }
    order = [(2, 0), (1, 0), (0, 0), (0, 1), (1, 1), (1, 2), (0, 2), (0, 3), (0, 4), (1, 4), (1, 3)]
    hall = cells[2, 2]
    shape = _Shape(Point(hall.middle.x, 560), rooms=[cells[2, column] for column in (1, 2, 3, 4)])
    shape.loop = [cells[place] for place in order]
    for (row, column), (to_row, to_column) in pairwise(order):
        if row == to_row:
            edge = Point(columns[max(column, to_column)], (rows[row] + rows[row + 1]) / 2)
        else:
            edge = Point((columns[column] + columns[column + 1]) / 2, rows[max(row, to_row)])
        shape.doors.append(_doorway(cells[row, column], cells[to_row, to_column], edge))
    shape.doors += [f"M{columns[n]} {(rows[2] + 560) / 2 - 15:.0f} v30" for n in (1, 2, 3, 4)]
    shape.doors.append(f"M{hall.middle.x - 24} 560 h48")
    shape.lines = [f"M{room.middle.x - 22} {room.middle.y + 42} h44" for room in shape.loop if random.random() < 0.55]
    shape.lines.append(_stairs(hall.middle.x - 40, rows[2] + 14, 80, 34))
    words = random.sample(("Café", "Toilets", "Reading room"), 1)
    shape.signs = [
        ("Cloakroom", cells[2, 1].middle),
        ("Entrance hall", Point(hall.middle.x, hall.middle.y + 34)),
        ("Shop", cells[2, 3].middle),
        (words[0], cells[2, 4].middle),
    ]
    return shape


def _gallery(random: Random) -> _Shape:
    """Two long wings towards a river, joined at one end, with a corridor along the yard."""
    west, east = _split(random, 40, 560, 6), _split(random, 40, 560, 6)
    joint = _split(random, 190, 810, 4)
    left = [_box(40, a, 150, b - a) for a, b in pairwise(west)]
    right = [_box(810, a, 150, b - a) for a, b in pairwise(east)]
    middle = [_box(a, 40, b - a, 120) for a, b in pairwise(joint)]
    corridors = [_box(190, 160, 56, 400), _box(754, 160, 56, 400), _box(246, 160, 508, 50)]
    shape = _Shape(Point(218, 560), rooms=[left[5], right[5], *corridors])
    shape.loop = [*reversed(left[:5]), *middle, *right[:5]]
    shape.doors = [f"M190 {room.middle.y - 13} v26" for room in left[:5]] + [
        f"M810 {room.middle.y - 13} v26" for room in right[:5]
    ]
    shape.doors += [f"M{room.middle.x - 13} 160 h26" for room in middle[1:3]] + ["M205 560 h26", "M769 560 h26"]
    shape.lines = [_column(x, y, 4) for x in (252, 748) for y in range(240, 560, 40)]
    shape.lines += [_stairs(54, west[5] + 14, 60, 30), f"M300 {HEIGHT - 52} H700", f"M320 {HEIGHT - 36} H720"]
    shape.signs = [
        ("Entrance", Point(300, 536)),
        ("Exit", Point(716, 536)),
        ("Courtyard", Point(500, 330)),
        ("Shop", right[5].middle),
    ]
    return shape


def _church(random: Random) -> _Shape:
    """Nave, aisles, transept and choir, with what stands around a church."""
    length = random.choice((150, 180))
    nave = Room(
        f"M190 210 H590 V110 H730 V210 H860 a90 90 0 0 1 0 {length} H730 V{310 + length} H590 V{210 + length} H190 Z",
        Point(390, 210 + length // 2),
    )
    middle = 210 + length / 2
    shape = _Shape(Point(190, middle))
    shape.slots = [
        (("nave", ""), nave),
        (("dome", "cupola", "lantern"), _polygon(_around(660, middle, 62, 8, pi / 8), Point(660, round(middle)))),
        (("baptister",), _polygon(_around(90, middle, 58, 8, pi / 8), Point(90, round(middle)))),
        (("bell", "campanile", "south tower", "passion"), _box(205, 225 + length, 74, 74)),
        (("north tower", "nativity"), _box(205, 120, 74, 74)),
        (("museum", "treasur"), _box(700, 480, 230, 90)),
    ]
    shape.rooms = [_box(760, 120, 150, 90), *(_box(x, 160, 50, 50) for x in (330, 380, 430, 480, 530))]
    shape.rooms += [_box(x, 210 + length, 50, 50) for x in (330, 380, 430, 480, 530)]
    shape.lines = [_column(x, y) for y in (246, 174 + length) for x in range(230, 580, 44)]
    shape.lines += [f"M{x} {middle - 18:.0f} v36" for x in (780, 792, 804)] + [_oval(866, middle, 16, 16)]
    shape.doors = [f"M190 {middle - 20:.0f} v40", "M800 210 h26"]
    shape.doors += [f"M{x} {y} h26" for x in (342, 392, 442, 492, 542) for y in (210, 210 + length)]
    shape.signs = [
        ("High altar", Point(836, round(middle + 50))),
        ("Square", Point(90, 60)),
        ("Sacristy", Point(835, 150)),
    ]
    shape.spots = [Point(355, 185), Point(505, 185), Point(660, 135), Point(405, 235 + length)]
    return shape


def _arena(random: Random) -> _Shape:
    """Rings of seats around a floor, with gates at the ends."""
    seats = Room(f"{_oval(500, 300, 420, 235)} {_oval(500, 300, 210, 105)}", Point(500, 126))
    floor_ = Room(_oval(500, 300, 210, 105), Point(500, 300))
    shape = _Shape(Point(80, 300))
    shape.slots = [(("floor", "sand"), floor_), (("tier", "seat", ""), seats)]
    shape.rooms = [Room(_oval(500, 300, 470, 275), Point(500, 40))]
    shape.lines = [_oval(500, 300, 350, 188), _oval(500, 300, 280, 145)]
    for x, y in _around(500, 300, 1, 64):
        across, down = x - 500, y - 300
        shape.lines.append(
            f"M{500 + 424 * across:.0f} {300 + 239 * down:.0f} L{500 + 466 * across:.0f} {300 + 271 * down:.0f}"
        )
    for x, y in _around(500, 300, 1, 20, pi / 20):
        across, down = x - 500, y - 300
        shape.lines.append(
            f"M{500 + 214 * across:.0f} {300 + 109 * down:.0f} L{500 + 418 * across:.0f} {300 + 233 * down:.0f}"
        )
    shape.lines += [f"M{320 + 24 * n} 285 v30" for n in range(16)]
    shape.doors = ["M30 285 v30", "M970 285 v30", "M485 25 h30", "M485 575 h30", "M80 285 v30", "M920 285 v30"]
    shape.signs = [
        ("Tickets", Point(90, 560)),
        ("West gate", Point(146, 345)),
        ("East gate", Point(858, 345)),
        ("Toilets", Point(906, 560)),
    ]
    random.shuffle(shape.signs[3:])
    shape.spots = [Point(265, 205), Point(735, 205), Point(500, 215), Point(735, 395)]
    return shape


def _rotunda(random: Random) -> _Shape:
    """A round hall behind a porch."""
    ring = Room(_oval(500, 250, 210, 210), Point(500, 140))
    inner = Room(_oval(500, 250, 74, 74), Point(500, 250))
    shape = _Shape(Point(500, 575))
    shape.slots = [
        (("platform", "chamber", "oculus"), inner),
        (("sculpture", "flight", "screen", "exhibition"), _box(330, 470, 340, 90)),
        (("",), ring),
    ]
    shape.rooms = [
        Room(_oval(500, 250, 246, 246), Point(500, 30)),
        *(_box(x, 470, 150, 90) for x in (170, 680)),
        *(_box(x, 380, 90, 90) for x in (170, 740)),
    ]
    shape.lines = [_column(350 + 43 * n, y) for n in range(8) for y in (510, 545)]
    for x, y in _around(500, 250, 228, 8, pi / 8):
        shape.lines.append(_oval(x, y, 15, 15))
    shape.lines += [f"M{500 - 74 * s:.0f} 250 h{-136 * s}" for s in (1, -1)] + [_oval(500, 250, 142, 142)]
    shape.doors = ["M470 459 h60", "M470 496 h60"]
    shape.signs = [
        ("Tickets", Point(245, 515)),
        (random.choice(("Toilets", "Shop")), Point(755, 515)),
        ("Lockers", Point(215, 425)),
        ("Office", Point(785, 425)),
    ]
    shape.spots = [Point(500, 24), Point(300, 140), Point(700, 140)]
    return shape


def _drum(random: Random) -> _Shape:
    """A round keep inside a square wall with bastions."""
    shape = _Shape(Point(500, 585))
    shape.slots = [(("terrace", "castle", "rooms", ""), Room(_oval(500, 300, 190, 190), Point(500, 180)))]
    shape.rooms = [
        _polygon([(250, 60), (750, 60), (750, 540), (250, 540)], Point(300, 90)),
        Room(_oval(500, 300, 60, 60), Point(500, 300)),
        *(_polygon(_around(x, y, 62, 5, -pi / 2), Point(round(x), round(y))) for x in (250, 750) for y in (60, 540)),
    ]
    shape.lines = [_oval(500, 300, 130, 130)]
    for x, y in _around(500, 300, 1, 14):
        shape.lines.append(
            f"M{500 + 130 * (x - 500):.0f} {300 + 130 * (y - 300):.0f} L{500 + 188 * (x - 500):.0f} {300 + 188 * (y - 300):.0f}"
        )
    shape.doors = ["M478 540 h44", "M482 490 h36"]
    shape.lines.append(_stairs(470, 505, 60, 24))
    shape.signs = [
        ("Tickets", Point(420, 565)),
        ("Ramp", Point(500, 300)),
        (random.choice(("Café", "Shop")), Point(640, 510)),
    ]
    shape.spots = [Point(345, 300), Point(655, 300), Point(500, 455)]
    return shape


def _theatre(random: Random) -> _Shape:
    """Stage, horseshoe and foyers."""
    shape = _Shape(Point(500, 580))
    stalls = Room("M390 190 H610 V330 a110 110 0 0 1 -220 0 Z", Point(500, 320))
    boxes = Room("M330 190 H390 V330 a110 110 0 0 0 220 0 V190 H670 V330 a170 170 0 0 1 -340 0 Z", Point(360, 260))
    shape.slots = [
        (("stage", "artist"), _box(300, 40, 400, 110)),
        (("gallery", "box"), boxes),
        (("foyer", "hall and", "millet"), _box(250, 515, 500, 60)),
        (("organ",), _box(720, 60, 120, 90)),
        (("stalls", "auditorium", "concert hall", ""), stalls),
    ]
    shape.rooms = [
        _box(160, 40, 680, 475),
        _box(300, 40, 400, 110),
        _box(300, 150, 400, 40),
        boxes,
        stalls,
        _box(160, 220, 120, 230),
        _box(720, 220, 120, 230),
        _box(250, 515, 500, 60),
    ]
    shape.lines = [f"M{402 - 2 * n} {220 + 22 * n} q{98 + 2 * n} 34 {196 + 4 * n} 0" for n in range(3)]
    shape.lines += [_stairs(180, 240, 80, 60), _stairs(740, 240, 80, 60)]
    shape.lines += [_column(280 + 44 * n, 545, 4) for n in range(11)]
    shape.doors = ["M476 575 h48", "M476 515 h48", "M482 500 h36", "M280 320 v30", "M720 320 v30"]
    shape.signs = [
        ("Orchestra", Point(500, 174)),
        ("Cloakroom", Point(220, 400)),
        (random.choice(("Bar", "Buffet")), Point(780, 400)),
    ]
    shape.spots = [Point(780, 330), Point(220, 330), Point(500, 95), Point(365, 545)]
    return shape


def _grounds(random: Random) -> _Shape:
    """Open ground with paths, small houses and trees."""
    shape = _Shape(Point(70, 520))
    edge = [(40, 120), (300, 40), (700, 60), (950, 150), (960, 470), (760, 565), (300, 560), (50, 540)]
    shape.rooms = [_polygon(edge, Point(500, 300))]
    areas = [(120, 180, 330, 240), (620, 120, 230, 150), (560, 350, 260, 150), (330, 70, 200, 90)]
    shape.slots = [((word,), _box(*area)) for word, area in zip(("", "", "", ""), areas, strict=True)]
    shape.lines = [
        "M70 520 C180 460 420 480 500 330 S700 300 880 330",
        "M500 330 C460 220 520 150 600 110",
        f"{_oval(500, 330, 26, 26)}",
    ]
    for _ in range(34):
        x, y = random.uniform(90, 910), random.uniform(90, 530)
        if not any(a - 12 < x < a + w + 12 and b - 12 < y < b + h + 12 for a, b, w, h in areas):
            shape.lines.append(_column(x, y, random.choice((7, 9, 12))))
    shape.lines += [
        f"M{x} {y} h{w} v{h} h{-w} Z"
        for x, y, w, h in (
            (150, 210, 70, 40),
            (260, 210, 150, 30),
            (150, 290, 40, 90),
            (240, 330, 60, 60),
            (340, 300, 80, 90),
        )
    ]
    shape.lines += [_column(650 + 28 * n, y, 5) for n in range(7) for y in (150, 240)]
    shape.signs = [
        ("Entrance", Point(120, 576)),
        ("Toilets", Point(880, 420)),
        (random.choice(("Kiosk", "Water")), Point(470, 520)),
    ]
    shape.spots = [Point(430, 115), Point(690, 425), Point(240, 478), Point(880, 250)]
    return shape


def _field(random: Random) -> _Shape:
    """A field of blocks, with rooms at one side."""
    shape = _Shape(Point(60, 560))
    shape.slots = [(("centre", "center", "information"), _box(740, 330, 210, 210)), (("",), _box(50, 40, 650, 510))]
    shape.lines = [
        f"M{66 + 32 * n} {54 + 34 * m} h{random.choice((16, 20))} v14 h-16 Z" for n in range(20) for m in range(15)
    ]
    shape.lines += ["M845 330 v210", "M740 435 h210", _stairs(720, 300, 60, 24)]
    shape.signs = [("Street", Point(500, 585)), ("Lawn", Point(850, 180))]
    shape.spots = [Point(800, 385), Point(895, 385), Point(895, 495)]
    return shape


BUILDINGS: tuple[tuple[tuple[str, ...], Callable[[Random], _Shape]], ...] = (
    (("memorial",), _field),
    (("colosseum", "arena", "amphi"), _arena),
    (("castel sant", "mausoleum"), _drum),
    (("pantheon", "panorama", "fernsehturm", "tower", "reichstag", "rotunda"), _rotunda),
    (("opera", "oper", "teatro", "música", "philharm", "theatre"), _theatre),
    (("zoo", "park", "garden", "forum", "bath", "caracalla", "ruin", "sant pau"), _grounds),
    (("duomo", "basilica", "basílica", "dom ", "stephansdom", "catedral", "cathedral", "church"), _church),
    (("uffizi",), _gallery),
    (("schloss", "belvedere", "palazzo", "palau", "palace", "castel", "casa", "pedrera", "villa", "borghese"), _palace),
)
"""Words of the names of sights, with the building that they select. The first match counts; the default is a museum."""


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


def _plate_of(part: WorldRow) -> str:
    """Return the title of the plate on which a part is drawn; empty for the main plan."""
    name = part["name"].lower()
    return next((title for title, words in _PLATES if any(word in name for word in words)), "")


def _side_plate(
    title: str, parts: Sequence[tuple[int, WorldRow]], box: tuple[float, float, float, float], random: Random
) -> Plate:
    left, top, width, height = box
    across = (width - 40) / len(parts)
    zones, lines = [], []
    for turn, (number, part) in enumerate(parts):
        x, y = left + 20 + across * (turn + 0.5), top + height / 2 + 14
        half, tall = min(across * 0.45, 150), min(height * 0.36, 96)
        room, drawn = _SIDES[title](Point(round(x), round(y)), half, tall, random)
        zones.append(Zone(part, number, (room,), room.middle))
        lines += drawn
    return Plate(title, box, tuple(zones), (), tuple(lines))


def _above(middle: Point, half: float, tall: float, _: Random) -> tuple[Room, list[str]]:
    side = min(half, tall)
    lines = [
        f"M{middle.x - side + 8:.0f} {middle.y - side + 8:.0f} h{2 * side - 16:.0f} v{2 * side - 16:.0f} h{16 - 2 * side:.0f} Z"
    ]
    lines += [
        f"M{middle.x + 0.5 * side * cos(turn):.0f} {middle.y + 0.5 * side * sin(turn):.0f} L{middle.x + 0.82 * side * cos(turn):.0f} {middle.y + 0.82 * side * sin(turn):.0f}"
        for turn in (n * pi / 8 for n in range(16))
    ]
    return Room(_box(middle.x - side, middle.y - side, 2 * side, 2 * side).path, middle), lines


def _below(middle: Point, half: float, tall: float, random: Random) -> tuple[Room, list[str]]:
    x, y = middle
    a, b = half * 0.9, tall * 0.9
    corners = [(x - a, y - b * 0.3), (x - a * 0.4, y - b * 0.3), (x - a * 0.4, y - b), (x + a * 0.2, y - b)]
    corners += [(x + a * 0.2, y - b * 0.3), (x + a, y - b * 0.3), (x + a, y + b * 0.8), (x + a * 0.6, y + b * 0.8)]
    corners += [(x + a * 0.6, y + b * 0.3), (x - a * 0.2, y + b * 0.3), (x - a * 0.2, y + b), (x - a, y + b)]
    lines = [_column(x + a * random.uniform(-0.8, 0.8), y + b * 0.1, 4) for _ in range(4)]
    return _polygon(corners, middle), lines


def _outside(middle: Point, half: float, tall: float, random: Random) -> tuple[Room, list[str]]:
    x, y = middle
    lines = [
        f"M{x - half:.0f} {y:.0f} h{2 * half:.0f} M{x:.0f} {y - tall:.0f} v{2 * tall:.0f}",
        _oval(x + half * 0.5, y - tall * 0.5, 22, 13),
    ]
    lines += [
        _column(x + half * random.uniform(-0.9, 0.9), y + tall * random.choice((-0.75, -0.4, 0.4, 0.75)), 7)
        for _ in range(14)
    ]
    return Room(_box(x - half, y - tall, 2 * half, 2 * tall).path, middle), lines


def _passage(middle: Point, half: float, tall: float, _: Random) -> tuple[Room, list[str]]:
    x, y = middle
    corners = [
        (x - half, y + tall * 0.8),
        (x - half, y + tall * 0.1),
        (x + half * 0.55, y + tall * 0.1),
        (x + half * 0.55, y - tall),
    ]
    corners += [
        (x + half, y - tall),
        (x + half, y + tall * 0.55),
        (x - half * 0.7, y + tall * 0.55),
        (x - half * 0.7, y + tall * 0.8),
    ]
    stop = Point(x, round(y + tall * 0.32))
    return _polygon(corners, stop), [
        f"M{x - half * 0.6 + 22 * n:.0f} {y + tall * 0.2:.0f} v6" for n in range(int(half * 1.1 / 22))
    ]


_SIDES: Mapping[str, Callable[[Point, float, float, Random], tuple[Room, list[str]]]] = {
    "Above": _above,
    "Below": _below,
    "Outside": _outside,
    "Passage": _passage,
}


# ------------------------------------------------------------------ plans


def ground_plan(place: WorldRow, parts: Sequence[WorldRow]) -> GroundPlan:
    """Return the plan of a sight. Equal names give equal plans.

    Args:
        place: row of the sight.
        parts: rows of its parts, in the order of their numbers.
    """
    random = Random(f"plan {place['name']}")
    name = f"{place['name'].lower()} "
    shape = next((build for words, build in BUILDINGS if any(word in name for word in words)), _museum)(random)
    numbered = list(enumerate(parts, 1))
    slots = dict(_matching_slots(shape, numbered))
    aside = [item for item in numbered if item[0] not in slots and _plate_of(item[1])]
    if len(aside) == len(numbered):
        aside = aside[1:]
    inside = [item for item in numbered if item not in aside]
    main = _main_plate(shape, inside, slots)
    titles = [title for title, _ in _PLATES if any(_plate_of(part) == title for _, part in aside)]
    tall = HEIGHT / max(2, len(titles))
    plates = [
        _side_plate(
            title,
            [item for item in aside if _plate_of(item[1]) == title],
            (WIDTH + 20, tall * turn, PLATE, tall - 14),
            random,
        )
        for turn, title in enumerate(titles)
    ]
    every = (main, *plates)
    stops = {zone.part["id"]: zone.middle for plate in every for zone in plate.zones}
    return GroundPlan(every, stops, _finds(place, shape, main))


def _finds(place: WorldRow, shape: _Shape, main: Plate) -> tuple[tuple[str, str, Point], ...]:
    names: Sequence[str] = phrases("plans").get(place["name"], ())
    spots = list(shape.spots)
    if shape.loop and main.zones:
        free = [room.middle for room in main.zones[0].rooms if room.middle != main.zones[0].middle]
        spots = free[:: max(1, len(free) // max(1, len(names)))]
    return tuple(zip("abcdef", names, spots, strict=False))


def _matching_slots(shape: _Shape, parts: Sequence[tuple[int, WorldRow]]) -> Iterator[tuple[int, Room]]:
    """Yield the numbers of parts whose names have a word of a slot, with the room of the slot."""
    free = list(shape.slots)
    for number, part in parts:
        name = part["name"].lower()
        slot = next((slot for slot in free if any(word and word in name for word in slot[0])), None)
        if slot is not None:
            free.remove(slot)
            yield number, slot[1]


def _main_plate(shape: _Shape, parts: Sequence[tuple[int, WorldRow]], slots: Mapping[int, Room]) -> Plate:
    zones = [Zone(part, number, (slots[number],), slots[number].middle) for number, part in parts if number in slots]
    rest = [item for item in parts if item[0] not in slots]
    open_slots = [room for words, room in shape.slots if "" in words and room not in slots.values()]
    others = [room for words, room in shape.slots if "" not in words and room not in slots.values()]
    rooms = list(shape.rooms)
    if shape.loop:
        share = len(shape.loop) / max(1, len(rest))
        for turn, (number, part) in enumerate(rest):
            group = shape.loop[round(turn * share) : round((turn + 1) * share)]
            zones.append(Zone(part, number, tuple(group), group[len(group) // 2].middle))
        rooms += [] if rest else shape.loop
    else:
        pool = [*open_slots, *others]
        for number, part in rest:
            room = pool.pop(0) if pool else shape.slots[0][1]
            zones.append(Zone(part, number, (room,), room.middle))
        used = {room for zone in zones for room in zone.rooms}
        rooms += [room for _, room in shape.slots if room not in used]
    return Plate(
        "",
        (0, 0, WIDTH, HEIGHT),
        tuple(sorted(zones, key=lambda zone: zone.number)),
        tuple(rooms),
        tuple(shape.lines),
        tuple(shape.doors),
        tuple(shape.signs),
        shape.entrance,
    )
