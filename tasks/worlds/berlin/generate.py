"""Writes spot.csv, window.csv, slot.csv and leg.csv from place.csv and hotel.csv; `--check` compares instead.

Nothing here is measured. Hours follow the weekly pattern of each house; what is sold out comes from a seeded
generator; ways are worked out from the coordinates. README.md says what is real.
"""

from __future__ import annotations

import argparse
import csv
import io
import math
import sys
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from random import Random

from planspec.files import replace_bytes

HERE = Path(__file__).parent
SEED = 20260701
DAYS = tuple(date(2026, 7, 1) + timedelta(days=i) for i in range(12))
SATURDAY, SUNDAY = 5, 6

Hours = tuple[tuple[str, str], ...]

DAILY = (0, 1, 2, 3, 4, 5, 6)  # Monday is 0
NOT_MONDAY = (1, 2, 3, 4, 5, 6)
HOURS: dict[str, tuple[tuple[int, ...], Hours]] = {
    "pergamon": (NOT_MONDAY, (("10:00", "18:00"),)),
    "neues_museum": (NOT_MONDAY, (("10:00", "18:00"),)),
    "reichstag": (DAILY, (("08:00", "24:00"),)),
    "tv_tower": (DAILY, (("09:00", "23:00"),)),
    "zoo": (DAILY, (("09:00", "18:30"),)),
    "holocaust_memorial": (NOT_MONDAY, (("10:00", "18:00"),)),
    "rutz": ((1, 2, 3, 4, 5), (("18:30", "23:30"),)),
    "letzte_instanz": (NOT_MONDAY, (("12:00", "15:00"), ("17:30", "23:00"))),
    "borchardt": (DAILY, (("11:30", "24:00"),)),
    "katz_orange": (DAILY, (("18:00", "23:00"),)),
    "cafe_einstein": (DAILY, (("08:00", "22:00"),)),
}
EXCEPTIONS: dict[tuple[str, date], Hours] = {
    ("borchardt", date(2026, 7, 7)): (("11:30", "17:00"),),  # a private party in the evening
    ("reichstag", date(2026, 7, 9)): (),  # the dome is cleaned
    ("neues_museum", date(2026, 7, 11)): (("10:00", "20:00"),),  # a long Saturday
}


@dataclass(frozen=True, slots=True)
class Booking:
    """How a place lets visitors in.

    Attributes:
        starts: First and last start of each sitting; a sitting that does not fall into the hours is not offered.
        before_close: The last start's distance from closing, in minutes.
        every: Minutes between two starts.
        most: Places in a start that nobody has booked.
        gone: Percentage of starts that are sold out on a quiet weekday.
        peak: From when until when a further quarter is sold out.
    """

    starts: Hours
    before_close: int
    every: int
    most: int
    gone: int
    peak: tuple[str, str]


BOOKING: dict[str, Booking] = {
    "pergamon": Booking((("10:00", "12:30"), ("13:00", "18:30")), 90, 30, 12, 25, ("11:00", "14:00")),
    "neues_museum": Booking((("10:00", "12:30"), ("13:00", "18:30")), 90, 30, 10, 25, ("10:30", "13:30")),
    "reichstag": Booking(
        (("08:00", "12:45"), ("13:00", "17:45"), ("18:00", "21:45")), 120, 15, 9, 50, ("10:00", "20:00")
    ),
    "tv_tower": Booking(
        (("09:30", "12:30"), ("13:00", "17:30"), ("18:00", "21:30")), 90, 30, 8, 30, ("18:30", "21:00")
    ),
    "rutz": Booking((("18:30", "20:30"),), 180, 30, 6, 35, ("19:00", "20:00")),
    "letzte_instanz": Booking((("12:00", "14:00"), ("17:30", "21:00")), 60, 30, 8, 20, ("18:30", "20:00")),
    "borchardt": Booking((("12:00", "14:30"), ("17:00", "21:30")), 90, 30, 8, 25, ("19:00", "20:30")),
    "katz_orange": Booking((("18:00", "21:00"),), 120, 30, 8, 25, ("19:00", "20:00")),
}
PEAK, WEEKEND, AFTER_SOLD_OUT, AFTER_FREE = 25, 15, 12, -6  # percentage points
ENOUGH = 4  # every sitting keeps a start for so many

# metres an hour on foot, by bus and by taxi; minutes until a bus or a taxi moves
FOOT, BUS, TAXI = 4800, 16000, 24000
BUS_WAIT, TAXI_WAIT = 7, 3
STREET = 1.3  # of the great circle
FLAG, UNTIL_3_KM, UNTIL_7_KM, BEYOND = 430, 280, 260, 210  # cents, and cents a kilometre
# What the map does not say: a time (the 10 minutes of the family hold) or a taxi's price (0 holds).
NO_TIME = {
    ("rutz", "katz_orange", "foot"),
    ("katz_orange", "rutz", "foot"),
    ("pergamon", "hotel_de_rome", "foot"),
    ("reichstag", "motel_one_hbf", "taxi"),
}
NO_COST = {
    ("reichstag", "motel_one_hbf", "taxi"),
    ("zoo", "cafe_einstein", "taxi"),
    ("holocaust_memorial", "borchardt", "taxi"),
}


def minutes(clock: str) -> int:
    """Minutes after midnight."""
    hours, rest = clock.split(":")
    return int(hours) * 60 + int(rest)


def clock(after_midnight: int) -> str:
    """14:30 of 870."""
    return f"{after_midnight // 60:02d}:{after_midnight % 60:02d}"


def rows_of(name: str) -> list[dict[str, str]]:
    """The rows of a table written by hand."""
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The text of a CSV file."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def spots() -> str:
    """Where ways begin and end: each place and each hotel."""
    places = [(p["id"], p["id"], "") for p in rows_of("place.csv")]
    hotels = [(h["id"], "", h["id"]) for h in rows_of("hotel.csv")]
    return table(("id", "place", "hotel"), places + hotels)


def hours(place: str, day: date) -> Hours:
    """When a place is open on a day."""
    weekdays, usual = HOURS[place]
    return EXCEPTIONS.get((place, day), usual if day.weekday() in weekdays else ())


def windows() -> str:
    """Business hours of every place on every day."""
    return table(
        ("place", "day", "open", "close"),
        [(p, d.isoformat(), first, last) for p in HOURS for d in DAYS for first, last in hours(p, d)],
    )


def sittings(place: str, day: date) -> list[list[int]]:
    """The starts of each sitting, in minutes after midnight; a sitting without any is left out."""
    book = BOOKING[place]
    made = []
    for first, last in book.starts:
        starts = [
            at
            for at in range(minutes(first), minutes(last) + 1, book.every)
            if any(minutes(a) <= at <= minutes(b) - book.before_close for a, b in hours(place, day))
        ]
        if starts:
            made.append(starts)
    return made


def left_on(place: str, day: date) -> list[tuple[int, int]]:
    """The starts of a day with the places left: sold-out ones come in runs, and every sitting keeps one for four."""
    book = BOOKING[place]
    # One generator for each place and day: a change to one leaves the others' rows as they are.
    chance = Random(SEED ^ zlib.crc32(f"{place} {day.isoformat()}".encode()))

    def draw(end: int) -> int:
        # `random()` alone is promised to give the same numbers in every version.
        return int(chance.random() * end)

    made: list[tuple[int, int]] = []
    run = 0
    for starts in sittings(place, day):
        left: list[int] = []
        for at in starts:
            busy = minutes(book.peak[0]) <= at <= minutes(book.peak[1])
            weekend = day.weekday() in {SATURDAY, SUNDAY}
            gone = book.gone + PEAK * busy + WEEKEND * weekend + run
            left.append(0 if draw(100) < gone else 1 + draw(book.most))
            run = AFTER_FREE if left[-1] else AFTER_SOLD_OUT
        if max(left) < ENOUGH:
            left[draw(len(left))] = ENOUGH + draw(book.most - ENOUGH + 1)
        made.extend(zip(starts, left, strict=True))
    return made


def slots() -> str:
    """Bookable starts of every day, with the places left; `sold_out.csv` takes those that tasks need closed."""
    closed = {(row["place"], row["day"], row["at"]) for row in rows_of("sold_out.csv")}
    return table(
        ("place", "day", "at", "left"),
        [
            (p, d.isoformat(), clock(at), "0" if (p, d.isoformat(), clock(at)) in closed else str(left))
            for p in BOOKING
            for d in DAYS
            for at, left in left_on(p, d)
        ],
    )


def street_m(a: dict[str, str], b: dict[str, str]) -> int:
    """Metres by street: 1.3 times the great circle on a sphere of 6,371 km (haversine)."""
    lat_a, lon_a, lat_b, lon_b = (math.radians(float(end[k])) for end in (a, b) for k in ("lat", "lon"))
    half = math.sin((lat_b - lat_a) / 2) ** 2
    half += math.cos(lat_a) * math.cos(lat_b) * math.sin((lon_b - lon_a) / 2) ** 2
    return math.floor(STREET * 2 * 6_371_000 * math.asin(math.sqrt(half)) + 0.5)


def nearest(dividend: int, divisor: int) -> int:
    """The quotient, halves rounded up."""
    return (2 * dividend + divisor) // (2 * divisor)


def taxi_cents(metres: int) -> int:
    """A taxi's price, to 10 cents: a base, and three prices a kilometre as in Berlin's tariff."""
    thousandths = UNTIL_3_KM * min(metres, 3000)
    thousandths += UNTIL_7_KM * max(min(metres, 7000) - 3000, 0)
    thousandths += BEYOND * max(metres - 7000, 0)
    return 10 * nearest(1000 * FLAG + thousandths, 10_000)


def euros(cents: int) -> str:
    """12.50 EUR of 1250."""
    return f"{cents // 100}.{cents % 100:02d} EUR"


def legs() -> str:
    """Every way between two different spots, on foot, by bus and by taxi."""
    ends = rows_of("place.csv") + rows_of("hotel.csv")
    made = []
    for a in ends:
        for b in ends:
            if a["id"] == b["id"]:
                continue
            metres = street_m(a, b)
            for mode, wait, speed, cents in (
                ("foot", 0, FOOT, 0),
                ("bus", BUS_WAIT, BUS, 300),
                ("taxi", TAXI_WAIT, TAXI, taxi_cents(metres)),
            ):
                way = (a["id"], b["id"], mode)
                time = f"{max(1, wait + nearest(60 * metres, speed))}min"
                made.append((*way, "" if way in NO_TIME else time, "" if way in NO_COST else euros(cents)))
    return table(("origin", "to", "mode", "time", "cost"), made)


def main() -> int:
    """Write the files, or say which ones differ.

    Returns:
        The exit code: 1 if `--check` found a difference.
    """
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing, fail if a file differs")
    check = parser.parse_args().check
    differ = 0
    for name, text in (
        ("spot.csv", spots()),
        ("window.csv", windows()),
        ("slot.csv", slots()),
        ("leg.csv", legs()),
    ):
        path = HERE / name
        made = text.encode()
        if not check:
            replace_bytes(path, made)
        elif not path.exists() or path.read_bytes() != made:
            sys.stderr.write(f"{name} differs from what generate.py writes\n")
            differ = 1
    return differ


if __name__ == "__main__":
    sys.exit(main())
