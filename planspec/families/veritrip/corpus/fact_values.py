"""Facts that documents can state, with their true values in a fact base."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from planspec.families.veritrip.corpus.surface import format_time, weekday_names
from planspec.families.veritrip.facts import Attraction, FactBase, Hotel, Service

Fact: TypeAlias = tuple[str, str, str]
"""A fact, identified by its subject, city and field; see `Statement`."""


def fact_values(base: FactBase) -> Iterator[tuple[Fact, str]]:
    """Yield each fact that documents can state, with its true value in canonical form."""
    for sight in base.attractions:
        yield from sight_values(sight)
    for place in base.restaurants:
        for field, value in (
            ("existence", "true"),
            ("price", str(place.price)),
            ("cuisine", place.cuisine),
            ("dishes", "|".join(place.dishes)),
            ("opens", format_time(place.opens)),
            ("closes", format_time(place.closes)),
        ):
            yield (place.name, place.city, field), value
    for hotel in base.hotels:
        yield from hotel_values(hotel)
    for poi in base.pois:
        yield (poi.name, poi.city, "existence"), "true"
    for service in base.services:
        yield from service_values(service)


def sight_values(sight: Attraction) -> Iterator[tuple[Fact, str]]:
    """Yield the facts of an attraction with their values."""
    for field, value in (
        ("existence", "true"),
        ("ticket", str(sight.ticket)),
        ("opens", format_time(sight.opens)),
        ("closes", format_time(sight.closes)),
        ("closed_on", weekday_names(sight.closed_on)),
        ("visit", f"{sight.least}-{sight.most}"),
        ("address", sight.address),
    ):
        yield (sight.name, sight.city, field), value


def hotel_values(hotel: Hotel) -> Iterator[tuple[Fact, str]]:
    """Yield the facts of a hotel and its rooms with their values."""
    yield (hotel.name, hotel.city, "existence"), "true"
    yield (hotel.name, hotel.city, "address"), hotel.address
    for room in hotel.rooms:
        yield (hotel.name, hotel.city, f"room:{room.kind}"), str(room.price)
        yield (hotel.name, hotel.city, f"breakfast:{room.kind}"), "true" if room.breakfast else "false"


def service_values(service: Service) -> Iterator[tuple[Fact, str]]:
    """Yield the facts of a train or flight with their values."""
    for field, value in (
        ("number", service.number),
        ("date", service.date.isoformat()),
        ("origin", service.origin),
        ("to", service.to),
        ("depart", format_time(service.depart)),
        ("arrive", format_time(service.arrive)),
        ("price", str(service.price)),
    ):
        yield (f"{service.number} {service.date.isoformat()}", service.origin_city, field), value
