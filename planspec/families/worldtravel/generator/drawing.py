"""Drafts of tasks: travellers, wishes and a hotel, drawn at random.

The places of a draft come from a core of the city: places whose constraints interact, such as nearby booked museums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from random import Random

from planspec.families.worldtravel.generator.calendar import Calendar
from planspec.families.worldtravel.generator.city import CityFolder
from planspec.families.worldtravel.generator.scenarios import Core, Focus, Party, StayScenario, WishKind
from planspec.families.worldtravel.generator.shapes import TaskShape

RIDES = ("taxi", "taxi", "bus", "bus", "foot")
WALKS = (10, 15, 20, 25)
"""Possible values of the longest walk in minutes. Longer routes are rides."""
ORDERED, BUDGETED = 0.25, 0.3
"""Share of drafts that require two places in a given order, and share of drafts with a budget."""
BACK = (None, None, 22 * 60, 22 * 60 + 30, 23 * 60, 23 * 60 + 30)


@dataclass(frozen=True, slots=True)
class WishDraft:
    """A requested place, and the kind of visit that is wished for."""

    place: str
    kind: WishKind


@dataclass(frozen=True, slots=True)
class Draft:
    """Content of a task before its request is worded and its reference plan is found.

    Attributes:
        core: group of places from which the draft was drawn.
        trip: days of the trip.
        before: pairs of places. The first place of each pair must be visited before the second.
        passes: ids of the requested city passes.
        stay: requirements for the hotel.
        ride: mode of transport that replaces walks longer than `walk` minutes.
        back: latest return to the hotel, in minutes after midnight; None if the request names none.
        has_budget: whether the request names a budget.
    """

    core: Core
    trip: tuple[date, ...]
    party: Party
    wishes: tuple[WishDraft, ...]
    before: tuple[tuple[str, str], ...]
    passes: tuple[str, ...]
    stay: StayScenario
    ride: str
    walk: int
    back: int | None
    has_budget: bool

    @property
    def places(self) -> tuple[str, ...]:
        """The requested places."""
        return tuple(wish.place for wish in self.wishes)

    @property
    def keeps_promises(self) -> bool:
        """Whether the draft has everything that its core's title promises; see `Core.promises`."""
        cells = {wish.place: wish.kind.non_default_cells() for wish in self.wishes}
        return all(
            column in cells[subject] and value in ("", cells[subject][column])
            if column and subject in cells
            else subject in (cells if not column else ()) or subject in self.passes
            for subject, column, value in self.core.promised()
        )


def draw_draft(
    random: Random,
    city: CityFolder,
    calendar: Calendar,
    core: Core,
    trip: Sequence[date],
    shape: TaskShape,
    focus: Focus | None = None,
) -> Draft | None:
    """Draw a draft that can have the numbers of constraints in `shape`.

    Return None if too few places of the core are open on the trip, or if no open place has a wish of the kind `focus`.

    Args:
        random: source of all choices.
        city: city with its scenarios.
        calendar: calendar with the days of the trip.
        core: group of places to choose from.
        trip: days of the trip.
        shape: required numbers of constraints, which limit the number of places. The caller must check whether the
            draft has them.
        focus: kind of wish that the draft must have; None for any.
    """
    scenarios = city.scenarios
    starting = calendar.offers_on(trip)
    open_in = {row["place"] for row in city.rows("offer") if row["id"] in starting}
    places = [place for place in core.places if place in open_in]
    count = _draw_place_count(random, shape)
    if len(places) < count:
        return None
    covers = {(row["pass"], row["place"]) for row in city.rows("covers")}
    passes = [name for name in core.passes if all((name, p) not in covers or p in places for p in core.places)]
    bought: tuple[str, ...] = (random.choice(passes),) if passes and random.random() < 0.6 else ()
    needed = [place for place in places if any((name, place) in covers for name in bought)]
    if len(needed) > count:
        bought, needed = (), []
    focused = None
    if focus is not None:
        suitable = [p for p in places if any(focus.includes(p, kind) for kind in scenarios.places[p].wishes)]
        if not suitable:
            return None
        focused = random.choice(suitable)
        if focused not in needed:
            if len(needed) == count:
                return None
            needed.append(focused)
    rest = [place for place in places if place not in needed]
    chosen = needed + random.sample(rest, count - len(needed))
    restaurants = {row["id"] for row in city.rows("place") if row["kind"] == "restaurant"}
    if sum(place in restaurants for place in chosen) > 2 * len(trip):
        return None
    wishes = []
    meals = list(random.sample(("lunch", "dinner"), 2) * len(trip))
    for place in (place for place in places if place in chosen):
        kinds = [
            kind
            for kind in scenarios.places[place].wishes
            if (kind.meal is None or kind.meal in meals)
            and (kind.sessions == 1 or len(trip) == 1)
            and (focus is None or place != focused or focus.includes(place, kind))
        ]
        if not kinds:
            return None
        wishes.append(WishDraft(place, random.choice(kinds)))
        if wishes[-1].kind.meal in meals:
            meals.remove(wishes[-1].kind.meal)
    before: tuple[tuple[str, str], ...] = ()
    if count > 2 and random.random() < ORDERED * _further_wish_factor(shape):
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
        has_budget=random.random()
        < (BUDGETED + 0.5 * (shape.total.least - shape.hard.most > 5)) * _further_wish_factor(shape),
    )


def _further_wish_factor(shape: TaskShape) -> float:
    """Return a factor for the probability of optional constraints: 0 if the shape permits none, otherwise 1."""
    return 0.0 if shape.timed.most == 5 and shape.total.most < 19 else 1.0


def _draw_place_count(random: Random, shape: TaskShape) -> int:
    """Draw the number of places of a draft that shall have the shape's numbers of constraints."""
    if shape.timed.most == 5:
        return 5
    fewest = max(2, shape.timed.least, {6: 2, 9: 3, 11: 4}.get(shape.hard.least, 2))
    most = {6: 3, 9: 4, 11: 5}.get(shape.hard.least, 5)
    return random.randint(min(fewest, most), most)
