"""Drafts of tasks: who travels, what they wish for and where they sleep, drawn from a core of the city's scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from random import Random

from planspec.families.worldtravel.generator.calendar import Calendar
from planspec.families.worldtravel.generator.city import City
from planspec.families.worldtravel.generator.scenarios import Core, Party, Stay, WishKind
from planspec.families.worldtravel.generator.shapes import Shape

RIDES = ("taxi", "taxi", "bus", "bus", "foot")
WALKS = (10, 15, 20, 25)
"""Minutes that people walk before they ride."""
ORDERED, BUDGETED = 0.25, 0.3
"""How many drafts ask for an order of two places, and for a budget."""
BACK = (None, None, 22 * 60, 22 * 60 + 30, 23 * 60, 23 * 60 + 30)


@dataclass(frozen=True, slots=True)
class WishDraft:
    """A place that is wished for, and how."""

    place: str
    kind: WishKind


@dataclass(frozen=True, slots=True)
class Draft:
    """A task before it has a query and an answer.

    Attributes:
        core: from which it is derived.
        trip: its days.
        before: pairs of places the first of which is visited earlier.
        ride: how they get on where a walk is longer than `walk` minutes.
        back: by when they want to be back, in minutes after midnight.
    """

    core: Core
    trip: tuple[date, ...]
    party: Party
    wishes: tuple[WishDraft, ...]
    before: tuple[tuple[str, str], ...]
    passes: tuple[str, ...]
    stay: Stay
    ride: str
    walk: int
    back: int | None
    budget: bool

    @property
    def places(self) -> tuple[str, ...]:
        """Those that are wished for."""
        return tuple(wish.place for wish in self.wishes)


def draw(
    random: Random, city: City, calendar: Calendar, core: Core, trip: Sequence[date], shape: Shape
) -> Draft | None:
    """A draft that may be of a shape; none where the core has not enough places that are open on the trip.

    Args:
        random: of every choice.
        city: with its scenarios.
        calendar: with the days of the trip.
        core: from which the places are taken.
        trip: the days.
        shape: from which the number of places follows; whether the draft has it is counted later.
    """
    scenarios = city.scenarios
    starting = calendar.starting(trip)
    open_in = {row["place"] for row in city.rows("offer") if row["id"] in starting}
    places = [place for place in core.places if place in open_in]
    count = _count(random, shape)
    if len(places) < count:
        return None
    covers = {(row["pass"], row["place"]) for row in city.rows("covers")}
    passes = [
        name for name in core.passes if all((name, p) not in covers or p in places for p in core.places)
    ]
    bought: tuple[str, ...] = (random.choice(passes),) if passes and random.random() < 0.6 else ()
    needed = [place for place in places if any((name, place) in covers for name in bought)]
    if len(needed) > count:
        bought, needed = (), []
    rest = [place for place in places if place not in needed]
    chosen = needed + random.sample(rest, count - len(needed))
    restaurants = {row["id"] for row in city.rows("place") if row["kind"] == "restaurant"}
    if sum(place in restaurants for place in chosen) > 2 * len(trip):
        return None
    wishes = []
    meals = list(random.sample(("lunch", "dinner"), 2) * len(trip))
    for place in (place for place in places if place in chosen):
        kinds = [kind for kind in scenarios.places[place].wishes if kind.meal is None or kind.meal in meals]
        if not kinds:
            return None
        wishes.append(WishDraft(place, random.choice(kinds)))
        if wishes[-1].kind.meal in meals:
            meals.remove(wishes[-1].kind.meal)
    before: tuple[tuple[str, str], ...] = ()
    if count > 2 and random.random() < ORDERED * _room(shape):
        before = (tuple(random.sample([w.place for w in wishes], 2)),)  # type: ignore[assignment]
    return Draft(
        core=core,
        trip=tuple(trip),
        party=random.choice(scenarios.parties),
        wishes=tuple(wishes),
        before=before,
        passes=bought,
        stay=random.choice(scenarios.stays),
        ride=random.choice(RIDES),
        walk=random.choice(WALKS),
        back=random.choice(BACK),
        budget=random.random() < (BUDGETED + 0.5 * (shape.total.least - shape.hard.most > 5)) * _room(shape),
    )


def _room(shape: Shape) -> float:
    """How likely it is that a shape has room for more than its visits ask: five booked visits leave none."""
    return 0.0 if shape.timed.most == 5 and shape.total.most < 19 else 1.0


def _count(random: Random, shape: Shape) -> int:
    """A number of places with which the shape can be had."""
    if shape.timed.most == 5:
        return 5
    fewest = max(2, shape.timed.least, {6: 2, 9: 3, 11: 4}.get(shape.hard.least, 2))
    most = {6: 3, 9: 4, 11: 5}.get(shape.hard.least, 5)
    return random.randint(min(fewest, most), most)
