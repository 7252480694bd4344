"""Buildings for ground plans. A sight's name selects the building; walls and small rooms are invented."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from random import Random

from planspec.families.worldtravel.webscape.halls import (
    draw_arena,
    draw_church,
    draw_drum,
    draw_field,
    draw_grounds,
    draw_rotunda,
    draw_temple,
    draw_theatre,
)
from planspec.families.worldtravel.webscape.plan_shapes import (
    Point,
    Room,
    Shape,
    box,
    column,
    doorway,
    line,
    oval,
    split_length,
    stairs,
)


def _palace(random: Random) -> Shape:
    """Return the plan of a palace: four wings around a courtyard."""
    top, bottom = split_length(random, 40, 960, 5), split_length(random, 40, 960, 5)
    left, right = split_length(random, 180, 420, 2), split_length(random, 180, 420, 2)
    north = [box(a, 40, b - a, 140, (0, -42)) for a, b in pairwise(top)]
    south = [box(a, 420, b - a, 140, (0, 42)) for a, b in pairwise(bottom)]
    west = [box(40, a, 150, b - a, (-46, 0)) for a, b in pairwise(left)]
    east = [box(810, a, 150, b - a, (46, 0)) for a, b in pairwise(right)]
    north[2] = Room(north[2].path, north[2].middle, Point(north[2].middle.x + 46, 70))
    hall, yard, shop, saloon = south[2].middle.x, south[1].middle.x, south[3].middle.x, north[2].middle.x
    shape = Shape(Point(hall, 560), rooms=[south[1], south[2], south[3]])
    shape.loop = [south[0], *reversed(west), *north, *east, south[4]]
    edges = [Point(115, edge) for edge in reversed(left)]
    edges += [Point(edge, 110) for edge in top[1:-1]] + [Point(885, edge) for edge in right]
    shape.doors = [doorway(a, b, edge) for (a, b), edge in zip(pairwise(shape.loop), edges, strict=True)]
    shape.doors += [f"M{bottom[n]} 468 v44" for n in (1, 2, 3, 4)]
    shape.doors += [f"M{hall - 26} 560 h52", f"M{hall - 22} 420 h44", f"M{saloon - 22} 180 h44"]
    shape.gate_doors = {"Outside": f"M{saloon - 22} 40 h44"}
    shape.lines = [
        column(x, y) for y in (198, 402) for x in range(212, 800, 48) if min(abs(x - hall), abs(x - saloon)) > 34
    ]
    shape.lines += [column(x, y) for x in (208, 792) for y in range(238, 380, 42)]
    shape.lines += [oval(500, 300, 34, 34), oval(500, 300, 16, 16)]
    shape.walks = [
        line((hall, 560), (hall, 490), (115, 490), (115, 110), (885, 110), (885, 490), (hall, 490)),
        line((hall, 490), (hall, 370), (590, 370), (590, 230), (saloon, 230), (saloon, 24)),
        line((yard, 490), (yard, 448)),
        line((shop, 490), (shop, 448)),
        line((north[3].middle.x, 110), (north[3].middle.x, 150)),
    ]
    shape.gates = {
        "Outside": Point(saloon, 24),
        "Below": Point(yard, 448),
        "Above": Point(shop, 448),
        "Passage": Point(north[3].middle.x, 150),
    }
    shape.signs = [
        ("Cloakroom", Point(yard, 534)),
        ("Tickets", Point(shop, 534)),
        ("Courtyard", Point(330, 300)),
    ]
    return shape


def _residence(random: Random) -> Shape:
    """Return the plan of a residence: a long palace with two side wings around an open courtyard."""
    west, east = split_length(random, 40, 420, 3), split_length(random, 580, 960, 3)
    garden_west, garden_east = split_length(random, 40, 420, 3), split_length(random, 580, 960, 3)
    front_west = [box(a, 170, b - a, 110, (0, 34)) for a, b in pairwise(west)]
    front_east = [box(a, 170, b - a, 110, (0, 34)) for a, b in pairwise(east)]
    back_west = [box(a, 60, b - a, 110, (0, -34)) for a, b in pairwise(garden_west)]
    back_east = [box(a, 60, b - a, 110, (0, -34)) for a, b in pairwise(garden_east)]
    hall = box(420, 170, 160, 130)
    saloon = Room(box(420, 44, 160, 126).path, Point(500, 115), Point(456, 82))
    shape = Shape(Point(500, 560), rooms=[hall, front_west[2], front_east[0]])
    shape.rooms += [box(x, y, 130, 80) for x in (40, 830) for y in (280, 360, 440)]
    shape.loop = [front_west[1], front_west[0], *back_west, saloon, *back_east, front_east[2], front_east[1]]
    corner_west = round(min(west[1], garden_west[1]) / 2 + 20)
    corner_east = round(max(east[2], garden_east[2]) / 2 + 480)
    shape.doors = [f"M{x} 203 v44" for x in (*west[1:], *east[:3])]
    shape.doors += [f"M{x} 93 v44" for x in (*garden_west[1:], *garden_east[:3])]
    shape.doors += [f"M{x - 22} 170 h44" for x in (corner_west, corner_east)]
    shape.doors += ["M474 300 h52", "M478 44 h44", "M90 280 h30", "M880 280 h30", "M474 520 h52"]
    shape.doors += [f"M{x} {y} h30" for x in (90, 880) for y in (360, 440)]
    shape.rooms.append(Room("M170 520 H830", Point(500, 520)))
    shape.lines = [column(x, y, 4) for y in (312,) for x in (430, 452, 548, 570)]
    shape.lines += [oval(x, 410, 40, 24) for x in (330, 670)] + [oval(x, 410, 18, 10) for x in (330, 670)]
    shape.lines += [stairs(430, 258, 34, 34), stairs(536, 258, 34, 34)]
    shape.walks = [
        line((500, 560), (500, 225), (corner_west, 225), (corner_west, 115), (corner_east, 115), (corner_east, 225)),
        line((corner_east, 225), (500, 225)),
        line((500, 115), (500, 26)),
    ]
    shape.gates = {"Above": Point(500, 26), "Outside": Point(500, 26)}
    shape.signs = [
        ("Tickets", Point(front_west[2].middle.x, 260)),
        ("Shop", Point(front_east[0].middle.x, 260)),
        ("Court of honour", Point(380, 480)),
        ("Café", Point(105, 480)),
        ("Chapel", Point(895, 480)),
        ("Garden", Point(300, 30)),
    ]
    return shape


def _museum(random: Random) -> Shape:
    """Return the plan of a museum: three rows of rooms, one leading into the next."""
    columns = split_length(random, 40, 960, 5)
    rows = [40, random.choice((195, 215, 235)), random.choice((370, 390, 405)), 560]
    cells = {
        (row, aisle): box(
            columns[aisle], rows[row], columns[aisle + 1] - columns[aisle], rows[row + 1] - rows[row], (42, 44)
        )
        for row in range(3)
        for aisle in range(5)
    }
    order = [(2, 0), (1, 0), (0, 0), (0, 1), (1, 1), (1, 2), (0, 2), (0, 3), (0, 4), (1, 4), (1, 3)]
    hall = cells[2, 2]
    shape = Shape(Point(hall.middle.x, 560), rooms=[cells[2, aisle] for aisle in (1, 2, 3, 4)])
    shape.loop = [cells[place] for place in order]
    for (row, aisle), (to_row, to_column) in pairwise(order):
        if row == to_row:
            edge = Point(columns[max(aisle, to_column)], cells[row, aisle].middle.y)
        else:
            edge = Point(cells[row, aisle].middle.x, rows[max(row, to_row)])
        shape.doors.append(doorway(cells[row, aisle], cells[to_row, to_column], edge))
    shape.doors += [f"M{columns[n]} {hall.middle.y - 22} v44" for n in (1, 2, 3, 4)]
    shape.doors.append(f"M{hall.middle.x - 26} 560 h52")
    shape.gate_doors = {"Outside": f"M{cells[0, 2].middle.x - 22} 40 h44"}
    shape.lines = [f"M{room.middle.x - 48} {room.middle.y - 46} v24" for room in shape.loop if random.random() < 0.55]
    shape.walks = [
        [Point(hall.middle.x, 560), hall.middle, *(room.middle for room in shape.loop)],
        line(hall.middle, (hall.middle.x, rows[2] + 26)),
        line(cells[0, 2].middle, (cells[0, 2].middle.x, 24)),
    ]
    shape.gates = {
        "Above": Point(hall.middle.x, rows[2] + 26),
        "Below": Point(hall.middle.x, rows[2] + 26),
        "Outside": Point(cells[0, 2].middle.x, 24),
    }
    word = random.choice(("Café", "Toilets", "Reading room"))
    shape.signs = [
        ("Cloakroom", Point(cells[2, 1].middle.x, cells[2, 1].middle.y + 44)),
        ("Tickets", Point(cells[2, 3].middle.x, cells[2, 3].middle.y + 44)),
        (word, Point(cells[2, 4].middle.x, cells[2, 4].middle.y + 44)),
    ]
    return shape


def _gallery(random: Random) -> Shape:
    """Return the plan of a gallery: two long wings joined at one end, with a corridor along the yard."""
    west, east = [40, *split_length(random, 160, 560, 4)], [40, *split_length(random, 160, 560, 4)]
    joint = split_length(random, 190, 810, 4)
    left = [box(40, a, 150, b - a, (-48, 0)) for a, b in pairwise(west)]
    right = [box(810, a, 150, b - a, (48, 0)) for a, b in pairwise(east)]
    middle = [box(a, 40, b - a, 120, (0, -42)) for a, b in pairwise(joint)]
    corridors = [box(190, 160, 64, 400), box(746, 160, 64, 400), box(254, 160, 492, 56)]
    first, last = left[3].middle.y, right[3].middle.y
    shape = Shape(Point(222, 560), rooms=[left[4], right[4], *corridors])
    shape.loop = [*reversed(left[:4]), *middle, *right[:4]]
    shape.doors = [f"M93 {edge} h44" for edge in west[1:4]] + [f"M863 {edge} h44" for edge in east[1:4]]
    shape.doors += [f"M{edge} 78 v44" for edge in joint]
    shape.doors += [f"M190 {first - 22} v44", f"M810 {last - 22} v44", "M254 166 v44", "M746 166 v44"]
    shape.doors += ["M196 560 h52", "M765 560 h26"]
    shape.doors += [f"M190 {left[4].middle.y - 13} v26", f"M810 {right[4].middle.y - 13} v26"]
    shape.lines = [column(x, y, 4) for x in (262, 738) for y in range(240, 560, 40)]
    shape.lines += ["M300 574 H700", "M320 588 H680"]
    shape.walks = [
        line((222, 560), (222, first), (115, first), (115, 100), (885, 100), (885, last), (778, last), (778, 520)),
        line((222, first), (222, 188), (778, 188), (778, last)),
    ]
    shape.gates = {"Passage": Point(778, 520)}
    shape.signs = [
        ("Tickets", left[4].middle),
        ("Exit", Point(778, 582)),
        ("Courtyard", Point(500, 380)),
        ("Shop", right[4].middle),
    ]
    return shape


BUILDINGS: tuple[tuple[tuple[str, ...], Callable[[Random], Shape]], ...] = (
    (("memorial",), draw_field),
    (("colosseum", "arena", "amphi"), draw_arena),
    (("castel sant", "mausoleum"), draw_drum),
    (("pantheon",), draw_temple),
    (("panorama", "fernsehturm", "tower", "reichstag", "rotunda"), draw_rotunda),
    (("opera", "oper", "teatro", "música", "philharm", "theatre"), draw_theatre),
    (("zoo", "park", "garden", "forum", "bath", "caracalla", "ruin", "sant pau"), draw_grounds),
    (("duomo", "basilica", "basílica", "dom ", "stephansdom", "catedral", "cathedral", "church"), draw_church),
    (("uffizi",), _gallery),
    (("schloss", "belvedere"), _residence),
    (("palazzo", "palau", "palace", "castel", "casa", "pedrera", "villa", "borghese"), _palace),
)
"""Words in the names of sights, with the building that they select. The first match counts; the default is a museum."""


def building(name: str, random: Random) -> Shape:
    """Return the building of a sight, given its name in lower case."""
    return next((draw for words, draw in BUILDINGS if any(word in name for word in words)), _museum)(random)
