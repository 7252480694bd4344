"""An executor's part of a conversation: it searches for offers for its day, writes the day's plan, and commits it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from planspec_train.himap.decisions import Calls, Conversation, Decider, Results

MEALS = ("breakfast", "lunch", "dinner")
CELLS = ("transportation", "accommodation", *MEALS, "attraction")
BLANK = "-"
KINDS = {"transportation": "ride", "accommodation": "hotel", "attraction": "sight"} | dict.fromkeys(MEALS, "meal")
REQUIRED: Mapping[str, Sequence[str]] = {
    "departure": ("transportation", "accommodation"),
    "transit": ("transportation", "accommodation"),
    "return": ("transportation",),
    "stay": (*MEALS, "attraction", "accommodation"),
}
"""Required cells by the role of the day, as in the prompt. They are blank only if no search has found an offer."""
PATIENCE, MOST_PLANS = 3, 10
"""With more than `PATIENCE` refused plans, the executor may reject the day; with `MOST_PLANS`, it must."""
ROOM_TYPES = {"Entire home/apt": "entire room", "Private room": "private room", "Shared room": "shared room"}


@dataclass(frozen=True, slots=True)
class Candidate:
    """An offer from a search result that can be written into a cell of the plan.

    Attributes:
        text: the text for the cell.
        kind: `ride`, `hotel`, `meal` or `sight`.
        price: price in the search result, in dollars.
        features: names of binary features that describe the offer.
    """

    text: str
    kind: str
    price: float = 0.0
    features: tuple[object, ...] = ()

    @property
    def mode(self) -> str:
        """Mode of transport of a ride, `car` or `public`. Other offers have an empty text."""
        if self.kind != "ride":
            return ""
        return "car" if "self-driving" in self.features else "public"


@dataclass(slots=True)
class Day:
    """Knowledge of an executor about its day.

    Attributes:
        task: the task from the coordinator.
        options: searches that were not made yet, as (tool name, arguments).
        offers: offers in search results so far, by text.
        refusal: error code of the last refused plan, or empty.
        refused: by error code, the numbers of refused plans by the offers and modes of transport in them.
    """

    task: Mapping[str, Any]
    options: list[tuple[str, dict[str, Any]]]
    offers: dict[str, Candidate] = field(default_factory=dict)
    refusal: str = ""
    refused: dict[str, Counter[str]] = field(default_factory=dict)

    def offers_for(self, cell: str, plan: Mapping[str, str]) -> list[Candidate]:
        """Return the offers that fit a cell and are not in another cell of the plan."""
        return [each for each in self.offers.values() if each.kind == KINDS[cell] and each.text not in plan.values()]

    def note_refusal(self, code: str, plan: Mapping[str, str]) -> None:
        """Count the offers and modes of transport of a refused plan."""
        self.refusal = code
        offers = [self.offers[text] for text in plan.values() if text in self.offers]
        names = {each.text for each in offers} | {each.mode for each in offers if each.mode}
        self.refused.setdefault(code, Counter()).update(names)

    def times_refused(self, name: str) -> int:
        """Return how many plans with an offer or a mode of transport were refused with the last error code."""
        return self.refused[self.refusal][name] if self.refusal else 0


def execute(decider: Decider, task: Mapping[str, Any]) -> Conversation:
    """Play an executor: yield the tool calls of each reply, and receive their results through `send`."""
    day = Day(task, options=searches(task))
    for number in range(MOST_PLANS):
        plan = yield from _write_plan(decider, day)
        (result,) = yield [("finish", plan)]
        day.note_refusal(str(result.get("code", "")) or str(result.get("error", {}).get("code", "")), plan)
        if number >= PATIENCE and decider.choose("again", [(("again", day.refusal),), (("reject", day.refusal),)]):
            break
    kind = ("budget", "time", "availability")
    chosen = decider.choose("violation", [((value, day.refusal),) for value in kind])
    while True:
        yield [("reject_task", {"violation_type": kind[chosen]})]


def searches(task: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the searches that are possible for a day's task, as (tool name, arguments)."""
    origin, city = task["origin"], task["city"]
    calls: list[tuple[str, dict[str, Any]]] = []
    if origin is not None:
        calls.append(("FlightSearch", {"departure_city": origin, "destination_city": city, "date": task["date"]}))
        calls += [
            ("GoogleDistanceMatrix", {"origin": origin, "destination": city, "mode": mode})
            for mode in ("self-driving", "taxi")
        ]
    where = origin if task["role"] == "return" else city
    calls += [(name, {"city": where}) for name in ("AccommodationSearch", "RestaurantSearch", "AttractionSearch")]
    return calls


def _search_features(cell: str, name: str, arguments: Mapping[str, Any], day: Day) -> tuple[object, ...]:
    full, task = (cell, name, arguments.get("mode", "")), day.task
    features = (full, (*full, task["mode"]), (*full, task["request"].get("transportation", "-")))
    return (*features, (*full, day.refusal)) if day.refusal else features


def offers_of(
    name: str, arguments: Mapping[str, Any], result: Mapping[str, Any], task: Mapping[str, Any]
) -> list[Candidate]:
    """Return the offers in the result of a search."""
    request = task["request"]
    match name:
        case "FlightSearch":
            way = f"from {arguments['departure_city']} to {arguments['destination_city']}"
            return [
                Candidate(
                    f"Flight Number: {each['flight_number']}, {way}", "ride", each["price_per_person"], ("flight",)
                )
                for each in result.get("flights", ())
            ]
        case "GoogleDistanceMatrix" if "cost_per_car" in result:
            mode, way = arguments["mode"], f"from {arguments['origin']} to {arguments['destination']}"
            return [Candidate(f"{mode.capitalize()}, {way}", "ride", result["cost_per_car"], (mode,))]
    match name:
        case "AccommodationSearch":
            return [
                Candidate(
                    each["name"],
                    "hotel",
                    each["price_per_night"],
                    (
                        ("nights", each["minimum_nights"] <= task["nights"]),
                        ("sleeps", each["maximum_occupancy"] >= request.get("people", 1)),
                        ("room", request.get("room", "-"), ROOM_TYPES.get(each["room_type"], "")),
                        *(("rule", request.get("house", "-"), rule) for rule in each["house_rules"]),
                    ),
                )
                for each in result.get("accommodations", ())
            ]
        case "RestaurantSearch":
            return [Candidate(each["name"], "meal", each["price_per_person"]) for each in result.get("restaurants", ())]
        case "AttractionSearch":
            return [Candidate(each["name"], "sight") for each in result.get("attractions", ())]
    return []


def _write_plan(decider: Decider, day: Day) -> Generator[Calls, Results, dict[str, str]]:
    """Write a plan cell by cell, with searches before each cell, and return it."""
    task = day.task
    origin, city = task["origin"], task["city"]
    plan = {"current_city": city if origin is None else f"from {origin} to {city}"}
    for cell in cells_of(task):
        plan[cell] = BLANK
        if cell not in REQUIRED[task["role"]]:
            used = ("fill", cell, task["role"])
            if not decider.choose(
                "fill", [((False, *used), (False, day.refusal)), ((True, *used), (True, day.refusal))]
            ):
                continue
        offers = day.offers_for(cell, plan)
        while True:  # terminates, because each search is made only once
            features = [_search_features(cell, *each, day) for each in day.options]
            if offers or not features:
                untried = any(not day.times_refused(offer.mode or offer.text) for offer in offers)
                features.append((("write", cell), ("write", cell, day.refusal, untried)))
            chosen = decider.choose("search", features)
            if chosen == len(day.options):
                break
            name, arguments = day.options.pop(chosen)
            (result,) = yield [(name, arguments)]
            for offer in offers_of(name, arguments, result, task):
                day.offers.setdefault(offer.text, offer)
            offers = day.offers_for(cell, plan)
        prices = sorted({offer.price for offer in offers})
        if offers:
            least = min(day.times_refused(offer.text) for offer in offers)
            chosen = decider.choose(cell, [_offer_features(offer, day, prices, least) for offer in offers])
            plan[cell] = offers[chosen].text
    return plan


def cells_of(task: Mapping[str, Any]) -> list[str]:
    """Return the cells of a day. Days with no journey lack transportation, days with no night lack accommodation."""
    travels, sleeps = task["origin"] is not None, task["nights"] > 0
    return [c for c in CELLS if (c != "transportation" or travels) and (c != "accommodation" or sleeps)]


def _offer_features(offer: Candidate, day: Day, prices: Sequence[float], least: int) -> tuple[object, ...]:
    task, kind = day.task, offer.kind
    rank = prices.index(offer.price)
    return (
        (kind, "offer", task["role"]),
        (kind, "rank", min(rank, 3), len(prices) > 1),
        (kind, "dearest", rank == len(prices) - 1),
        *_refusal_features(offer, day, least),
        (kind, day.refusal, "rank", min(rank, 3)),
        *((kind, each, task["role"]) for each in offer.features if isinstance(each, str)),
        *((kind, each, task["mode"]) for each in offer.features if kind == "ride"),
        *((kind, each, task["request"].get("transportation", "-")) for each in offer.features if kind == "ride"),
        *((kind, *each) for each in offer.features if isinstance(each, tuple)),
    )


def _refusal_features(offer: Candidate, day: Day, least: int) -> tuple[object, ...]:
    """Return features of how often plans with an offer, or with its mode, were refused with the last error code."""
    if not day.refusal:
        return ()
    count = day.times_refused(offer.text)
    modes = ((offer.kind, day.refusal, "mode refused", day.times_refused(offer.mode) > 0),) if offer.mode else ()
    return ((offer.kind, day.refusal, "refused", count > 0), (offer.kind, day.refusal, "least", count == least), *modes)
