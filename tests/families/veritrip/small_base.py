"""A small invented fact base, and the facts that documents on a base must state."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

from planspec.families.veritrip.facts import Attraction, FactBase, Hotel, Poi, Restaurant, Room, Service

CITIES = ("Aldorf", "Brunn", "Castle Bay")
FIRST = date(2025, 10, 15)

Fact = tuple[str, str, str, str]
"""A fact: its subject, city, field and canonical value."""


def small_base(currency: str = "CNY", days: int = 3, sights: int = 6) -> FactBase:
    """Build a fact base of three cities with places, trains and flights.

    The fields of every record are derived from its number.
    """
    attractions, restaurants, hotels, pois = [], [], [], []
    for town, city in enumerate(CITIES):
        north = Decimal(30 + town)
        for number in range(sights):
            whole = number == 4
            attractions.append(
                Attraction(
                    ("Moss", "Amber", "River", "Tin", "Lark", "Opal", "Fern", "Salt")[number % 8]
                    + (" Museum", " Palace", " Garden")[(number + town) % 3]
                    + (" of the North", " of the Hills", " at the Bay")[town],
                    city,
                    north + Decimal(number) / 100,
                    Decimal(110),
                    f"{number + 1} {city} Road",
                    "A place with a long story and a short queue, known for its carved doors",
                    0 if number % 3 == 0 else 15 * number + town,
                    0 if whole else 480 + 30 * number,
                    1440 if whole else 990 + 30 * number,
                    frozenset({0} if number % 2 else {0, 1} if number == 2 else ()),
                    (30, 45, 60, 90, 120, 60)[number % 6],
                    (60, 90, 120, 180, 240, 60)[number % 6],
                    ("Cultural history", "Family fun")[: 1 + number % 2],
                )
            )
        restaurants += [
            Restaurant(
                f"Table {('One', 'Two', 'Three', 'Four')[number]} {city}",
                city,
                north + Decimal(number) / 90,
                Decimal("110.01"),
                f"{city} Old Town",
                ("Seafood", "Italian", "Hot pot", "Cafe")[number],
                (("Fish Soup", "Crab"), ("Pizza",), ("Lamb", "Tofu", "Noodles"), ("Cake",))[number],
                20 + 35 * number,
                Decimal("4.1") + Decimal(number) / 10,
                660 + 15 * number,
                1260 + 15 * number,
            )
            for number in range(4)
        ]
        hotels += [
            Hotel(
                f"{('Lantern', 'Harbour')[number]} House {city}",
                city,
                north + Decimal(number) / 70,
                Decimal("110.02"),
                f"{number + 9} Station Street",
                3 + number,
                (
                    Room("Single room", 1, 300 + 10 * number, False),
                    Room("Twin room", 2, 480 + town, True),
                    Room("Family room", 4, 1250 + number, number == 0),
                ),
            )
            for number in range(2)
        ]
        for number, kind in enumerate(("railway_station", "airport", "square", "square", "bridge", "port", "mall")):
            name = f"{('Central', 'Blue', 'Market', 'Rose', 'Long', 'Stone', 'Glass')[number]} {kind} {city}"
            pois.append(
                Poi(
                    name.replace("_", " "),
                    city,
                    north,
                    Decimal(110) + Decimal(number) / 80,
                    kind,
                    "A busy spot",
                )
            )
    services = []
    for day in range(days):
        for start, origin in enumerate(CITIES):
            for end, to in enumerate(CITIES):
                if origin == to:
                    continue
                for number in range(16 if (start, end) == (0, 1) else 3):
                    train = number % 3 != 2
                    depart = 365 + 47 * number + start
                    services.append(
                        Service(
                            f"{'G' if train else 'CA'}{1000 + 100 * start + 40 * end + number}",
                            "train" if train else "airplane",
                            FIRST + timedelta(days=day),
                            f"{'Central railway station' if train else 'Blue airport'} {origin}",
                            f"{'Central railway station' if train else 'Blue airport'} {to}",
                            origin,
                            to,
                            depart,
                            depart + 95 + number,
                            210 + 60 * number + day,
                        )
                    )
    return FactBase(currency, tuple(services), tuple(attractions), tuple(restaurants), tuple(hotels), tuple(pois))


def format_clock(minutes: int) -> str:
    """Convert minutes after midnight to a time such as `08:30`."""
    return f"{minutes // 60:02}:{minutes % 60:02}"


def facts_of(base: FactBase) -> set[Fact]:
    """Return all facts of a base as tuples of subject, city, field and value, for example a ticket's price."""
    week = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    facts: set[Fact] = set()
    for a in base.attractions:
        closed = "|".join(week[day] for day in range(7) if day in a.closed_on)
        for field, value in (
            ("existence", "true"),
            ("ticket", str(a.ticket)),
            ("opens", format_clock(a.opens)),
            ("closes", format_clock(a.closes)),
            ("closed_on", closed),
            ("visit", f"{a.least}-{a.most}"),
            ("address", a.address),
        ):
            facts.add((a.name, a.city, field, value))
    for r in base.restaurants:
        for field, value in (
            ("existence", "true"),
            ("price", str(r.price)),
            ("cuisine", r.cuisine),
            ("dishes", "|".join(r.dishes)),
            ("opens", format_clock(r.opens)),
            ("closes", format_clock(r.closes)),
        ):
            facts.add((r.name, r.city, field, value))
    for h in base.hotels:
        facts |= {(h.name, h.city, "existence", "true"), (h.name, h.city, "address", h.address)}
        for room in h.rooms:
            facts.add((h.name, h.city, f"room:{room.kind}", str(room.price)))
            facts.add((h.name, h.city, f"breakfast:{room.kind}", "true" if room.breakfast else "false"))
    facts |= {(p.name, p.city, "existence", "true") for p in base.pois}
    for s in base.services:
        for field, value in (
            ("number", s.number),
            ("date", s.date.isoformat()),
            ("origin", s.origin),
            ("to", s.to),
            ("depart", format_clock(s.depart)),
            ("arrive", format_clock(s.arrive)),
            ("price", str(s.price)),
        ):
            facts.add((f"{s.number} {s.date.isoformat()}", s.origin_city, field, value))
    return facts
