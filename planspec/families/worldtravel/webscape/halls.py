"""Ground plans of buildings with one great space: churches, arenas, theatres and open grounds."""

from __future__ import annotations

from itertools import pairwise
from math import dist, pi
from random import Random

from planspec.families.worldtravel.webscape.plan_shapes import (
    Point,
    Room,
    Shape,
    around,
    box,
    column,
    line,
    oval,
    polygon,
    ring,
    stairs,
)


def draw_church(random: Random) -> Shape:
    """Draw the nave, aisles, transept and choir of a church, and its surroundings."""
    length = random.choice((150, 180))
    middle, low = 210 + length // 2, 210 + length
    crossing = polygon(around(660, middle, 62, 8, pi / 8), Point(660, middle))
    outline = f"M190 210 H590 V110 H730 V210 H860 a90 90 0 0 1 0 {length} H730 V{low + 100} H590 V{low} H190 Z"
    nave = Room(f"{outline} {crossing.path}", Point(390, middle))
    baptistery = polygon(around(90, middle, 54, 8, pi / 8), Point(90, middle))
    shape = Shape(Point(190, middle), sparse=True)
    shape.slots = [
        (("nave", ""), nave),
        (("dome", "cupola", "lantern"), crossing),
        (("baptister",), Room(baptistery.path, baptistery.middle, door=f"M140 {middle - 16} v32")),
        (("bell", "campanile", "south tower", "passion"), _tower_room(low + 15)),
        (("north tower", "nativity"), _tower_room(120)),
        (("museum", "treasur"), Room(box(700, 500, 230, 84).path, Point(815, 542), door="M700 525 v34")),
    ]
    shape.rooms = [
        box(44, middle - 112, 92, 40),
        box(760, 120, 150, 90),
        *(box(x, 160, 50, 50) for x in (330, 380, 430, 480, 530)),
    ]
    shape.rooms += [box(x, low, 50, 50) for x in (330, 380, 430, 480, 530)]
    shape.lines = [column(x, y) for y in (238, low - 28) for x in range(230, 580, 44)]
    shape.lines += [f"M{x} {middle - 18} v36" for x in (792, 804, 816)] + [oval(880, middle, 16, 16)]
    shape.doors = [f"M190 {middle - 20} v40", "M800 210 h26"]
    shape.doors += [f"M{x} {y} h26" for x in (342, 392, 442, 492, 542) for y in (210, low)]
    shape.doors += [f"M{x} {middle - 16} v32" for x in (603, 717)]
    shape.doors += [f"M644 {y} h32" for y in (middle - 57, middle + 57)]
    shape.walks = [
        line((90, middle), (154, middle), (190, middle), (390, middle), (660, middle), (760, middle)),
        line((660, middle), (660, 136)),
        line((660, middle), (660, low + 76)),
        line((154, middle), (154, 157), (242, 157)),
        line((154, middle), (154, low + 52), (242, low + 52)),
        line((154, low + 52), (154, 542), (815, 542)),
    ]
    shape.gates = {"Above": Point(660, 136), "Below": Point(660, low + 76)}
    shape.signs = [
        ("High altar", Point(800, middle + 50)),
        ("Tickets", Point(90, middle - 92)),
        ("Sacristy", Point(835, 150)),
    ]
    shape.spots = [Point(355, 185), Point(505, 185), Point(705, 170), Point(405, low + 25)]
    return shape


def _tower_room(top: float) -> Room:
    room = box(205, top, 74, 74)
    return Room(room.path, room.middle, door=f"M205 {top + 22} v30")


def draw_arena(_: Random) -> Shape:
    """Draw rings of seats around a floor, with gates at the ends and a corridor behind the outer wall."""
    x, y = 530, 300
    seats = Room(f"{oval(x, y, 392, 230)} {oval(x, y, 200, 104)}", Point(x, 136))
    floor_ = Room(oval(x, y, 200, 104), Point(x, y))
    shape = Shape(Point(90, y))
    shape.slots = [(("floor", "sand"), floor_), (("tier", "seat", ""), seats)]
    shape.rooms = [Room(oval(x, y, 440, 275), Point(x, 48))]
    for across, down in around(0, 0, 1, 64, pi / 64):
        for inner, outer in (((396, 234), (404, 242)), ((426, 261), (436, 271))):
            shape.lines.append(
                f"M{x + inner[0] * across:.0f} {y + inner[1] * down:.0f} L{x + outer[0] * across:.0f} {y + outer[1] * down:.0f}"
            )
    for radius in ((325, 186), (262, 144)):
        shape.lines.append(_open_oval(x, y, *radius, 26))
    for across, down in around(0, 0, 1, 20, pi / 20):
        shape.lines.append(f"M{x + 204 * across:.0f} {y + 108 * down:.0f} L{x + 388 * across:.0f} {y + 226 * down:.0f}")
    shape.lines += [f"M{x - 26} {a} V{b} M{x + 26} {a} V{b}" for a, b in ((74, 193), (407, 526))]
    shape.lines += [f"M{370 + 20 * n} 285 v30" for n in range(17) if n != 8]
    shape.doors = ["M90 280 v40", "M970 280 v40", f"M{x - 20} 25 h40", f"M{x - 20} 575 h40"]
    shape.doors += [f"M{x - 20} {y} h40" for y in (70, 530, 196, 404)]
    corridor = ring(x, 300, 415, 252)
    shape.walks = [corridor, line((90, 300), (115, 300)), line((x, 48), (x, 552)), line((945, 300), (970, 300))]
    shape.signs = [("Tickets", Point(44, 228)), ("Toilets", Point(44, 372))]
    shape.spots = [Point(299, 300), Point(761, 300), Point(702, 167), Point(601, 418)]
    return shape


def _open_oval(x: float, y: float, x_radius: float, y_radius: float, gap: float) -> str:
    """Return the path of an ellipse with gaps of width `gap` at the top and at the bottom."""
    high = y_radius * (1 - (gap / x_radius) ** 2) ** 0.5
    return " ".join(
        f"M{x + side * gap:.0f} {y - high:.0f} A{x_radius} {y_radius} 0 0 {turn} {x + side * gap:.0f} {y + high:.0f}"
        for side, turn in ((1, 1), (-1, 0))
    )


def draw_rotunda(random: Random) -> Shape:
    """Draw a round hall behind a porch."""
    hall = Room(f"{oval(500, 250, 225, 225)} {oval(500, 250, 74, 74)}", Point(500, 100))
    inner = Room(oval(500, 250, 74, 74), Point(500, 250))
    shape = Shape(Point(500, 575))
    shape.slots = [
        (("platform", "chamber", "oculus"), inner),
        (("sculpture", "flight", "screen", "exhibition"), box(330, 475, 340, 100)),
        (("",), hall),
    ]
    shape.rooms = [*(box(x, 475, 150, 100) for x in (180, 670)), *(box(x, 385, 90, 90) for x in (180, 730))]
    shape.lines = [column(350 + 43 * n, 560) for n in range(8)]
    shape.lines += [oval(x, y, 13, 13) for x, y in around(500, 250, 208, 8, pi / 8)]
    shape.doors = ["M470 475 h60", "M470 575 h60", "M480 324 h40", "M330 508 v36", "M670 508 v36"]
    shape.doors += ["M210 475 h30", "M760 475 h30"]
    shape.walks = [
        ring(500, 250, 150, 150),
        line((500, 575), (500, 525), (500, 400), (500, 250)),
        line((650, 250), (690, 250)),
    ]
    shape.gates = {"Above": Point(690, 250), "Below": Point(690, 250)}
    shape.signs = [
        ("Tickets", Point(255, 525)),
        (random.choice(("Toilets", "Shop")), Point(745, 525)),
        ("Lockers", Point(225, 430)),
        ("Office", Point(775, 430)),
    ]
    shape.spots = [Point(350, 130), Point(650, 130), Point(310, 300)]
    return shape


def draw_temple(random: Random) -> Shape:
    """Draw a round hall behind a porch, with an opening above the middle."""
    shape = draw_rotunda(random)
    shape.slots = [
        (words, Room(oval(500, 250, 225, 225), room.middle)) for words, room in shape.slots if words == ("",)
    ]
    shape.rooms.append(box(330, 475, 340, 100))
    shape.doors.remove("M480 324 h40")
    shape.lines.append(oval(500, 250, 40, 40))
    return shape


def draw_drum(random: Random) -> Shape:
    """Draw a round keep inside a square wall with bastions."""
    keep = Room(oval(500, 300, 190, 190), Point(500, 140))
    shape = Shape(Point(500, 566))
    shape.slots = [(("terrace", "castle", "rooms", ""), keep)]
    shape.rooms = [
        polygon([(250, 60), (750, 60), (750, 566), (250, 566)], Point(300, 90)),
        *(polygon(around(x, y, 58, 5, -pi / 2), Point(x, y)) for x in (250, 750) for y in (62, 540)),
    ]
    shape.lines = [oval(500, 300, 60, 60), _open_oval(500, 300, 130, 130, 1)]
    for across, down in around(0, 0, 1, 28, pi / 28):
        shape.lines.append(
            f"M{500 + 130 * across:.0f} {300 + 130 * down:.0f} L{500 + 140 * across:.0f} {300 + 140 * down:.0f}"
        )
    shape.doors = ["M474 566 h52", "M478 490 h44", "M250 405 v44"]
    shape.walks = [
        ring(500, 300, 160, 160),
        line((500, 566), (500, 526), (500, 460)),
        line((500, 526), (345, 526), (345, 427), (216, 427)),
    ]
    shape.gates = {"Passage": Point(216, 427), "Below": Point(216, 427)}
    shape.signs = [
        ("Tickets", Point(584, 535)),
        ("Ramp", Point(500, 300)),
        (random.choice(("Café", "Shop")), Point(690, 160)),
    ]
    shape.spots = [Point(405, 300), Point(595, 300), Point(500, 395)]
    return shape


def draw_theatre(random: Random) -> Shape:
    """Draw the stage, the horseshoe of seats and the foyers of a theatre."""
    shape = Shape(Point(500, 580))
    stalls = Room("M390 190 H610 V330 a110 110 0 0 1 -220 0 Z", Point(500, 320))
    boxes = Room("M330 190 H390 V330 a110 110 0 0 0 220 0 V190 H670 V330 a170 170 0 0 1 -340 0 Z", Point(360, 260))
    stage, foyer = box(300, 40, 400, 110), box(250, 528, 500, 52)
    foyer = Room(foyer.path, Point(500, 554))
    shape.slots = [
        (("stage", "artist"), stage),
        (("gallery", "box"), boxes),
        (("foyer", "hall and", "millet"), foyer),
        (("organ",), Room(box(720, 60, 110, 90).path, Point(775, 105))),
        (("stalls", "auditorium", "concert hall", ""), stalls),
    ]
    shape.rooms = [box(160, 40, 680, 488), box(300, 150, 400, 40), box(160, 222, 120, 230), box(720, 222, 120, 230)]
    shape.lines = [f"M{402 - 2 * n} {212 + 22 * n} q{98 + 2 * n} 34 {196 + 4 * n} 0" for n in range(3)]
    shape.lines += [stairs(180, 240, 80, 60), stairs(740, 240, 80, 60)]
    shape.lines += [column(280 + 44 * n, 570, 4) for n in range(11) if n != 5]
    shape.doors = ["M474 580 h52", "M476 528 h48", "M482 500 h36", "M482 440 h36", "M280 320 v30", "M720 320 v30"]
    shape.doors += ["M300 77 v36", "M757 150 h36"]
    shape.walks = [
        line((500, 580), (500, 554), (500, 514), (500, 470), (500, 320)),
        [point for point in ring(500, 330, 140, 140) if point.x <= 500 and point.y >= 330],
        line((360, 330), (360, 260)),
        line((500, 514), (305, 514), (305, 206), (230, 206), (230, 95), (500, 95)),
        line((500, 514), (695, 514), (695, 206), (775, 206), (775, 105)),
    ]
    shape.signs = [
        ("Orchestra", Point(500, 171)),
        ("Cloakroom", Point(220, 420)),
        ("Tickets", Point(640, 549)),
        (random.choice(("Bar", "Buffet")), Point(780, 420)),
    ]
    shape.spots = [Point(780, 350), Point(220, 350), Point(620, 95), Point(365, 549)]
    return shape


def draw_grounds(random: Random) -> Shape:
    """Draw open ground with paths, small houses and trees."""
    shape = Shape(Point(46, 470))
    edge = [(40, 120), (300, 40), (700, 60), (950, 150), (960, 470), (760, 565), (300, 560), (48, 540)]
    shape.rooms = [polygon(edge, Point(500, 300))]
    areas = [(120, 180, 330, 240), (620, 126, 230, 140), (560, 370, 260, 140), (330, 66, 200, 90)]
    stops = [Point(285, 284), Point(735, 196), Point(690, 440), Point(430, 111)]
    shape.slots = [(("",), Room(box(*area).path, stop)) for area, stop in zip(areas, stops, strict=True)]
    shape.walks = [
        line((46, 470), (505, 470), (505, 440), (690, 440)),
        line((505, 440), (505, 310), (505, 284), (285, 284)),
        line((505, 284), (505, 200), (430, 200), (430, 111)),
        line((505, 310), (735, 310), (735, 196)),
        line((735, 310), (905, 310)),
    ]
    shape.doors = ["M43 452 v36", "M450 266 v36", "M717 266 h36", "M560 422 v36", "M412 156 h36"]
    shape.gates = {"Outside": Point(905, 310), "Below": Point(905, 310), "Above": Point(905, 310)}
    for _ in range(44):
        x, y = random.uniform(100, 900), random.uniform(140, 525)
        free = x + y < 1280 and not any(a - 14 < x < a + w + 14 and b - 14 < y < b + h + 14 for a, b, w, h in areas)
        if free and not _is_by_walks(Point(x, y), shape, 34):
            shape.lines.append(column(x, y, random.choice((7, 9, 12))))
    shape.lines += [
        f"M{x} {y} h{w} v{h} h{-w} Z"
        for x, y, w, h in (
            (145, 200, 70, 40),
            (250, 200, 150, 30),
            (145, 310, 60, 90),
            (240, 330, 60, 60),
            (340, 325, 80, 75),
        )
    ]
    shape.lines += [column(650 + 28 * n, y, 5) for n in range(7) for y in (146, 246) if n != 3]
    shape.signs = [
        ("Tickets", Point(96, 506)),
        ("Toilets", Point(190, 506)),
    ]
    shape.spots = [Point(180, 355), Point(786, 475), Point(380, 362), Point(810, 196)]
    return shape


def _is_by_walks(point: Point, shape: Shape, distance: float) -> bool:
    """Return whether a point is within a distance of a walk or a sign."""
    steps = [
        Point(a.x + (b.x - a.x) * n / 20, a.y + (b.y - a.y) * n / 20)
        for walk in shape.walks
        for a, b in pairwise(walk)
        for n in range(21)
    ]
    signs = [Point(143 + 30 * n, 506) for n in range(-3, 4)]
    return any(dist(point, other) < distance for other in (*steps, *signs))


def draw_field(random: Random) -> Shape:
    """Draw a memorial: a field of blocks, with rooms at one side."""
    shape = Shape(Point(92, 550))
    shape.slots = [
        (("centre", "center", "information"), Room(box(740, 330, 210, 210).path, Point(793, 486))),
        (("",), Room(box(50, 40, 650, 510).path, Point(380, 282))),
    ]
    shape.lines = [
        f"M{66 + 32 * n} {54 + 34 * m} h{random.choice((16, 20))} v14 h-16 Z"
        for n in range(20)
        for m in range(15)
        if not (n in (9, 10) and m in (6, 7))
    ]
    shape.doors = ["M74 550 h36", "M700 264 v36", "M740 466 v40", "M845 366 v36", "M776 435 h36", "M845 470 v36"]
    shape.walks = [line((92, 550), (92, 282), (380, 282), (720, 282), (720, 486), (793, 486))]
    shape.lines += ["M845 330 v36 M845 402 v68 M845 506 v34", "M740 435 h36 M812 435 h138"]
    shape.signs = [("Street", Point(500, 580)), ("Lawn", Point(850, 180)), ("Lockers", Point(845, 562))]
    shape.spots = [Point(793, 385), Point(895, 385), Point(895, 486)]
    return shape
