"""Hypothesis strategies for fact bases."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from hypothesis import strategies as st

from planspec.families.veritrip.facts import Attraction, FactBase, Hotel, Poi, Restaurant, Room, Service

_names = st.text("abcdefgh äß'{}%|", min_size=1, max_size=12).map(lambda text: f"N{text}")
_minutes = st.integers(0, 1440)
_degrees = st.integers(-80, 80).map(Decimal)
_cities = st.sampled_from(["Ax", "Bo", "Ax City"])
_hours = st.tuples(_minutes, _minutes).filter(lambda pair: pair[0] < pair[1])
_visits = st.tuples(st.integers(1, 600), st.integers(0, 400)).map(lambda pair: (pair[0], pair[0] + pair[1]))
_rooms = st.lists(
    st.builds(
        Room,
        st.sampled_from(["Twin room", "Family room"]),
        st.integers(1, 5),
        st.integers(1, 5000),
        st.booleans(),
    ),
    max_size=2,
    unique_by=lambda room: room.kind,
).map(tuple)


@st.composite
def _sights(draw: st.DrawFn) -> Attraction:
    """Draw an attraction."""
    opens, closes = draw(_hours)
    least, most = draw(_visits)
    closed = draw(st.frozensets(st.integers(0, 6)))
    return Attraction(
        draw(_names),
        draw(_cities),
        draw(_degrees),
        draw(_degrees),
        draw(_names),
        draw(_names),
        draw(st.integers(0, 5000)),
        opens,
        closes,
        closed,
        least,
        most,
        draw(st.sampled_from([(), ("Family fun",)])),
    )


@st.composite
def _tables(draw: st.DrawFn) -> Restaurant:
    """Draw a restaurant."""
    opens, closes = draw(_hours)
    dishes = tuple(draw(st.lists(_names, max_size=3)))
    return Restaurant(
        draw(_names),
        draw(_cities),
        draw(_degrees),
        draw(_degrees),
        draw(_names),
        draw(_names),
        dishes,
        draw(st.integers(1, 3000)),
        Decimal("4.5"),
        opens,
        closes,
    )


@st.composite
def _services(draw: st.DrawFn) -> Service:
    """Draw a train or flight."""
    depart, arrive = draw(_hours)
    return Service(
        f"G{draw(st.integers(1, 999))}",
        draw(st.sampled_from(["train", "airplane"])),
        date(2025, 10, draw(st.integers(15, 17))),
        draw(_names),
        draw(_names),
        draw(_cities),
        draw(_cities),
        depart,
        arrive,
        draw(st.integers(1, 5000)),
    )


_beds = st.builds(Hotel, _names, _cities, _degrees, _degrees, _names, st.integers(2, 5), _rooms)
_spots = st.builds(Poi, _names, _cities, _degrees, _degrees, st.sampled_from(["square", "odd_kind"]), _names)


@st.composite
def bases(draw: st.DrawFn) -> FactBase:
    """Draw a fact base in which names are distinct within each city."""
    names: set[tuple[str, str]] = set()

    def unique_names(places: list) -> tuple:
        distinct_places = [place for place in places if (place.name.lower(), place.city) not in names]
        distinct_places = list({(place.name.lower(), place.city): place for place in distinct_places}.values())
        names.update((place.name.lower(), place.city) for place in distinct_places)
        return tuple(distinct_places)

    services = {(s.number, s.date, s.origin_city): s for s in draw(st.lists(_services(), max_size=30))}
    return FactBase(
        draw(st.sampled_from(["CNY", "USD", "EUR"])),
        tuple(services.values()),
        unique_names(draw(st.lists(_sights(), max_size=5))),
        unique_names(draw(st.lists(_tables(), max_size=3))),
        unique_names(draw(st.lists(_beds, max_size=3))),
        unique_names(draw(st.lists(_spots, max_size=8))),
    )
