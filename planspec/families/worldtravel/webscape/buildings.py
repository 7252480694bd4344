"""Buildings of ground plans. The name of a sight selects one; walls and small rooms are invented."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import pi
from random import Random

from planspec.families.worldtravel.webscape.plan_shapes import (
    Point,
    Room,
    Shape,
    around,
    box,
    column,
    doorway,
    oval,
    polygon,
    split_length,
    stairs,
)


def _palace(random: Random) -> Shape:
    """Four wings around a courtyard."""
    top, bottom = split_length(random, 40, 960, 5), split_length(random, 40, 960, 5)
    left, right = split_length(random, 180, 420, 2), split_length(random, 180, 420, 2)
    north = [box(a, 40, b - a, 140) for a, b in pairwise(top)]
    south = [box(a, 420, b - a, 140) for a, b in pairwise(bottom)]
    west = [box(40, a, 150, b - a) for a, b in pairwise(left)]
    east = [box(810, a, 150, b - a) for a, b in pairwise(right)]
    shape = Shape(Point(south[2].middle.x, 560), rooms=[south[1], south[2], south[3]])
    shape.loop = [south[0], *reversed(west), *north, *east, south[4]]
    edges = [Point(115, edge) for edge in reversed(left)]
    edges += [Point(edge, 110) for edge in top[1:-1]] + [Point(885, edge) for edge in right]
    path = [south[0], *reversed(west), *north, *east, south[4]]
    shape.doors = [doorway(a, b, edge) for a, b, edge in zip(path, path[1:], edges, strict=False)]
    shape.doors += [f"M{bottom[n]} 475 v30" for n in (1, 2, 3, 4)] + [f"M{south[2].middle.x - 22} 560 h44"]
    shape.lines = [column(x, y) for y in (198, 402) for x in range(212, 800, 48)]
    shape.lines += [column(x, y) for x in (208, 792) for y in range(238, 380, 42)]
    shape.lines += [oval(500, 300, 34, 34), oval(500, 300, 16, 16)]
    shape.signs = [
        ("Cloakroom", south[1].middle),
        ("Tickets", Point(south[2].middle.x - 46, 538)),
        ("Shop", south[3].middle),
        ("Courtyard", Point(650, 368)),
    ]
    return shape


def _museum(random: Random) -> Shape:
    """Three rows of rooms, one leading into the next."""
    columns = split_length(random, 40, 960, 5)
    rows = [40, random.choice((195, 215, 235)), random.choice((370, 390, 405)), 560]
    cells = {
        (row, aisle): box(columns[aisle], rows[row], columns[aisle + 1] - columns[aisle], rows[row + 1] - rows[row])
        for row in range(3)
        for aisle in range(5)
    }
    order = [(2, 0), (1, 0), (0, 0), (0, 1), (1, 1), (1, 2), (0, 2), (0, 3), (0, 4), (1, 4), (1, 3)]
    hall = cells[2, 2]
    shape = Shape(Point(hall.middle.x, 560), rooms=[cells[2, aisle] for aisle in (1, 2, 3, 4)])
    shape.loop = [cells[place] for place in order]
    for (row, aisle), (to_row, to_column) in pairwise(order):
        if row == to_row:
            edge = Point(columns[max(aisle, to_column)], (rows[row] + rows[row + 1]) / 2)
        else:
            edge = Point((columns[aisle] + columns[aisle + 1]) / 2, rows[max(row, to_row)])
        shape.doors.append(doorway(cells[row, aisle], cells[to_row, to_column], edge))
    shape.doors += [f"M{columns[n]} {(rows[2] + 560) / 2 - 15:.0f} v30" for n in (1, 2, 3, 4)]
    shape.doors.append(f"M{hall.middle.x - 24} 560 h48")
    shape.lines = [f"M{room.middle.x - 22} {room.middle.y + 42} h44" for room in shape.loop if random.random() < 0.55]
    shape.lines.append(stairs(hall.middle.x - 40, rows[2] + 14, 80, 34))
    words = random.sample(("Café", "Toilets", "Reading room"), 1)
    shape.signs = [
        ("Cloakroom", cells[2, 1].middle),
        ("Entrance hall", Point(hall.middle.x, hall.middle.y + 34)),
        ("Shop", cells[2, 3].middle),
        (words[0], cells[2, 4].middle),
    ]
    return shape


def _gallery(random: Random) -> Shape:
    """Two long wings towards a river, joined at one end, with a corridor along the yard."""
    west, east = split_length(random, 40, 560, 6), split_length(random, 40, 560, 6)
    joint = split_length(random, 190, 810, 4)
    left = [box(40, a, 150, b - a) for a, b in pairwise(west)]
    right = [box(810, a, 150, b - a) for a, b in pairwise(east)]
    middle = [box(a, 40, b - a, 120) for a, b in pairwise(joint)]
    corridors = [box(190, 160, 56, 400), box(754, 160, 56, 400), box(246, 160, 508, 50)]
    shape = Shape(Point(218, 560), rooms=[left[5], right[5], *corridors])
    shape.loop = [*reversed(left[:5]), *middle, *right[:5]]
    shape.doors = [f"M190 {room.middle.y - 13} v26" for room in left[:5]] + [
        f"M810 {room.middle.y - 13} v26" for room in right[:5]
    ]
    shape.doors += [f"M{room.middle.x - 13} 160 h26" for room in middle[1:3]] + ["M205 560 h26", "M769 560 h26"]
    shape.lines = [column(x, y, 4) for x in (252, 748) for y in range(240, 560, 40)]
    shape.lines += [stairs(54, west[5] + 14, 60, 30), "M300 548 H700", "M320 564 H720"]
    shape.signs = [
        ("Entrance", Point(300, 536)),
        ("Exit", Point(716, 536)),
        ("Courtyard", Point(500, 330)),
        ("Shop", right[5].middle),
    ]
    return shape


def _church(random: Random) -> Shape:
    """Nave, aisles, transept and choir, with what stands around a church."""
    length = random.choice((150, 180))
    nave = Room(
        f"M190 210 H590 V110 H730 V210 H860 a90 90 0 0 1 0 {length} H730 V{310 + length} H590 V{210 + length} H190 Z",
        Point(390, 210 + length // 2),
    )
    middle = 210 + length / 2
    shape = Shape(Point(190, middle))
    shape.slots = [
        (("nave", ""), nave),
        (("dome", "cupola", "lantern"), polygon(around(660, middle, 62, 8, pi / 8), Point(660, round(middle)))),
        (("baptister",), polygon(around(90, middle, 58, 8, pi / 8), Point(90, round(middle)))),
        (("bell", "campanile", "south tower", "passion"), box(205, 225 + length, 74, 74)),
        (("north tower", "nativity"), box(205, 120, 74, 74)),
        (("museum", "treasur"), box(700, 480, 230, 90)),
    ]
    shape.rooms = [box(760, 120, 150, 90), *(box(x, 160, 50, 50) for x in (330, 380, 430, 480, 530))]
    shape.rooms += [box(x, 210 + length, 50, 50) for x in (330, 380, 430, 480, 530)]
    shape.lines = [column(x, y) for y in (246, 174 + length) for x in range(230, 580, 44)]
    shape.lines += [f"M{x} {middle - 18:.0f} v36" for x in (780, 792, 804)] + [oval(866, middle, 16, 16)]
    shape.doors = [f"M190 {middle - 20:.0f} v40", "M800 210 h26"]
    shape.doors += [f"M{x} {y} h26" for x in (342, 392, 442, 492, 542) for y in (210, 210 + length)]
    shape.signs = [
        ("High altar", Point(836, round(middle + 50))),
        ("Square", Point(90, 60)),
        ("Sacristy", Point(835, 150)),
    ]
    shape.spots = [Point(355, 185), Point(505, 185), Point(660, 135), Point(405, 235 + length)]
    return shape


def _arena(random: Random) -> Shape:
    """Rings of seats around a floor, with gates at the ends."""
    seats = Room(f"{oval(500, 300, 420, 235)} {oval(500, 300, 210, 105)}", Point(500, 126))
    floor_ = Room(oval(500, 300, 210, 105), Point(500, 300))
    shape = Shape(Point(80, 300))
    shape.slots = [(("floor", "sand"), floor_), (("tier", "seat", ""), seats)]
    shape.rooms = [Room(oval(500, 300, 470, 275), Point(500, 40))]
    shape.lines = [oval(500, 300, 350, 188), oval(500, 300, 280, 145)]
    for x, y in around(500, 300, 1, 64):
        across, down = x - 500, y - 300
        shape.lines.append(
            f"M{500 + 424 * across:.0f} {300 + 239 * down:.0f} L{500 + 466 * across:.0f} {300 + 271 * down:.0f}"
        )
    for x, y in around(500, 300, 1, 20, pi / 20):
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


def _rotunda(random: Random) -> Shape:
    """A round hall behind a porch."""
    ring = Room(oval(500, 250, 210, 210), Point(500, 140))
    inner = Room(oval(500, 250, 74, 74), Point(500, 250))
    shape = Shape(Point(500, 575))
    shape.slots = [
        (("platform", "chamber", "oculus"), inner),
        (("sculpture", "flight", "screen", "exhibition"), box(330, 470, 340, 90)),
        (("",), ring),
    ]
    shape.rooms = [
        Room(oval(500, 250, 246, 246), Point(500, 30)),
        *(box(x, 470, 150, 90) for x in (170, 680)),
        *(box(x, 380, 90, 90) for x in (170, 740)),
    ]
    shape.lines = [column(350 + 43 * n, y) for n in range(8) for y in (510, 545)]
    for x, y in around(500, 250, 228, 8, pi / 8):
        shape.lines.append(oval(x, y, 15, 15))
    shape.lines += [f"M{500 - 74 * s:.0f} 250 h{-136 * s}" for s in (1, -1)] + [oval(500, 250, 142, 142)]
    shape.doors = ["M470 459 h60", "M470 496 h60"]
    shape.signs = [
        ("Tickets", Point(245, 515)),
        (random.choice(("Toilets", "Shop")), Point(755, 515)),
        ("Lockers", Point(215, 425)),
        ("Office", Point(785, 425)),
    ]
    shape.spots = [Point(500, 24), Point(300, 140), Point(700, 140)]
    return shape


def _drum(random: Random) -> Shape:
    """A round keep inside a square wall with bastions."""
    shape = Shape(Point(500, 585))
    shape.slots = [(("terrace", "castle", "rooms", ""), Room(oval(500, 300, 190, 190), Point(500, 180)))]
    shape.rooms = [
        polygon([(250, 60), (750, 60), (750, 540), (250, 540)], Point(300, 90)),
        Room(oval(500, 300, 60, 60), Point(500, 300)),
        *(polygon(around(x, y, 62, 5, -pi / 2), Point(round(x), round(y))) for x in (250, 750) for y in (60, 540)),
    ]
    shape.lines = [oval(500, 300, 130, 130)]
    for x, y in around(500, 300, 1, 14):
        shape.lines.append(
            f"M{500 + 130 * (x - 500):.0f} {300 + 130 * (y - 300):.0f} L{500 + 188 * (x - 500):.0f} {300 + 188 * (y - 300):.0f}"
        )
    shape.doors = ["M478 540 h44", "M482 490 h36"]
    shape.lines.append(stairs(470, 505, 60, 24))
    shape.signs = [
        ("Tickets", Point(420, 565)),
        ("Ramp", Point(500, 300)),
        (random.choice(("Café", "Shop")), Point(640, 510)),
    ]
    shape.spots = [Point(345, 300), Point(655, 300), Point(500, 455)]
    return shape


def _theatre(random: Random) -> Shape:
    """Stage, horseshoe and foyers."""
    shape = Shape(Point(500, 580))
    stalls = Room("M390 190 H610 V330 a110 110 0 0 1 -220 0 Z", Point(500, 320))
    boxes = Room("M330 190 H390 V330 a110 110 0 0 0 220 0 V190 H670 V330 a170 170 0 0 1 -340 0 Z", Point(360, 260))
    shape.slots = [
        (("stage", "artist"), box(300, 40, 400, 110)),
        (("gallery", "box"), boxes),
        (("foyer", "hall and", "millet"), box(250, 515, 500, 60)),
        (("organ",), box(720, 60, 120, 90)),
        (("stalls", "auditorium", "concert hall", ""), stalls),
    ]
    shape.rooms = [
        box(160, 40, 680, 475),
        box(300, 40, 400, 110),
        box(300, 150, 400, 40),
        boxes,
        stalls,
        box(160, 220, 120, 230),
        box(720, 220, 120, 230),
        box(250, 515, 500, 60),
    ]
    shape.lines = [f"M{402 - 2 * n} {220 + 22 * n} q{98 + 2 * n} 34 {196 + 4 * n} 0" for n in range(3)]
    shape.lines += [stairs(180, 240, 80, 60), stairs(740, 240, 80, 60)]
    shape.lines += [column(280 + 44 * n, 545, 4) for n in range(11)]
    shape.doors = ["M476 575 h48", "M476 515 h48", "M482 500 h36", "M280 320 v30", "M720 320 v30"]
    shape.signs = [
        ("Orchestra", Point(500, 174)),
        ("Cloakroom", Point(220, 400)),
        (random.choice(("Bar", "Buffet")), Point(780, 400)),
    ]
    shape.spots = [Point(780, 330), Point(220, 330), Point(500, 95), Point(365, 545)]
    return shape


def _grounds(random: Random) -> Shape:
    """Open ground with paths, small houses and trees."""
    shape = Shape(Point(70, 520))
    edge = [(40, 120), (300, 40), (700, 60), (950, 150), (960, 470), (760, 565), (300, 560), (50, 540)]
    shape.rooms = [polygon(edge, Point(500, 300))]
    areas = [(120, 180, 330, 240), (620, 120, 230, 150), (560, 350, 260, 150), (330, 70, 200, 90)]
    shape.slots = [((word,), box(*area)) for word, area in zip(("", "", "", ""), areas, strict=True)]
    shape.lines = [
        "M70 520 C180 460 420 480 500 330 S700 300 880 330",
        "M500 330 C460 220 520 150 600 110",
        f"{oval(500, 330, 26, 26)}",
    ]
    for _ in range(34):
        x, y = random.uniform(90, 910), random.uniform(90, 530)
        if not any(a - 12 < x < a + w + 12 and b - 12 < y < b + h + 12 for a, b, w, h in areas):
            shape.lines.append(column(x, y, random.choice((7, 9, 12))))
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
    shape.lines += [column(650 + 28 * n, y, 5) for n in range(7) for y in (150, 240)]
    shape.signs = [
        ("Entrance", Point(120, 576)),
        ("Toilets", Point(880, 420)),
        (random.choice(("Kiosk", "Water")), Point(470, 520)),
    ]
    shape.spots = [Point(430, 115), Point(690, 425), Point(240, 478), Point(880, 250)]
    return shape


def _field(random: Random) -> Shape:
    """A field of blocks, with rooms at one side."""
    shape = Shape(Point(60, 560))
    shape.slots = [(("centre", "center", "information"), box(740, 330, 210, 210)), (("",), box(50, 40, 650, 510))]
    shape.lines = [
        f"M{66 + 32 * n} {54 + 34 * m} h{random.choice((16, 20))} v14 h-16 Z" for n in range(20) for m in range(15)
    ]
    shape.lines += ["M845 330 v210", "M740 435 h210", stairs(720, 300, 60, 24)]
    shape.signs = [("Street", Point(500, 585)), ("Lawn", Point(850, 180))]
    shape.spots = [Point(800, 385), Point(895, 385), Point(895, 495)]
    return shape


BUILDINGS: tuple[tuple[tuple[str, ...], Callable[[Random], Shape]], ...] = (
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


def building(name: str, random: Random) -> Shape:
    """Return the building of a sight, given its name in lower case."""
    return next((draw for words, draw in BUILDINGS if any(word in name for word in words)), _museum)(random)
