"""WorldTravel: its interfaces as text, feasibility alone, and all parameters given."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from planspec.api.judging import Judge
from planspec.environments.opened import AgentTask, Setting
from planspec.families.worldtravel.environment.tools import CityTables

_LOOK_UP = """\
Plan the trip that the request asks for, with what the tools tell of the city. List what there is, read the guide of each place,
look at the starts that can be booked on each day of the trip, and ask for the ways that you may take. Never use a name, a time or a
price that no tool told you. One call tells of one place, one day or one pair of places, so ask for what matters."""
_GIVEN = """\
Plan the trip that the request asks for. All that has to be known of the city is given: of each place how long visits take
(`length_of_visit`, by kind of visit and by who travels), how early one has to be there, its prices, and for each day of the trip
its opening hours and bookable starts; the hotels; and the ways from each place to each other one, with their minutes and
costs (a bus for each person, anything else for all). Nothing else needs to be looked up."""
_TIMES = """\
# When a trip works

- Visit every place that the request names, and no other. Each is visited once, without a break; only a place that allows
  several sessions may be visited in several, unless the request asks for one. The sessions together are then as long as a visit.
- Where booking is required, a visit begins exactly at a start that is offered on that day and has places left for all
  travellers. What is sold out cannot be taken. Such a visit may end after closing time, unless the request says to be out before
  closing. Where booking is not taken, a visit may begin at any minute, and all of it lies within opening hours.
- A visit is as long as the guide says, neither shorter nor longer. A quick look is `brief`, an ordinary pace `standard`, and so is every
  visit of which the request says nothing; in depth is `deep`. Take the figures for `family` where children come along, for
  `seniors` where all are old, and for `adults` otherwise.
- Be at a place as many minutes before the visit begins as its guide asks, or longer if the request says so.
- Between two places that follow each other there is one ride, by a mode that is told for this way. It begins at the end of the
  visit before, or later, and takes exactly the minutes that are told. If no minutes are told (null), it takes 10; if no cost is told, it
  costs nothing.
- Each day begins and ends at one hotel: the first ride leaves from there, at 08:00 at the earliest unless the request says
  another time, and the last ride goes back there, before the hour that the request names.
- Times that the request names for a place say when the visit begins."""
_COSTS = """\
# What it costs

- Amounts are plain numbers in the currency of the prices.
- Tickets: the cheapest mix of single tickets and family passes that covers all travellers, where the request wants no other.
  A family pass covers so many grown-ups and children. Students and seniors (from 65) pay the prices told for them; a child, a student or a
  senior pays the adult's price where no other is told.
- A package ticket is bought only if the request asks for it. Then the first place that it covers costs its price for each
  person, and the other places that it covers cost 0.
- A meal costs the price of the asked course for each person, children too; where no course is named it is à la carte (`a_la_carte`).
- A ride by bus is paid by each person, a taxi once for all; walking and driving cost 0.
- Two people share a room, so a party takes half as many rooms as people, rounded up; each is paid for each night. The hotel must be one that the request
  describes.
- A budget in the request is for all of it together."""
_NO_COSTS = """\
# What does not matter

Only the times count: find a trip that can be followed to the minute. Look at no price, choose no ticket, keep no budget, and
take any hotel of the city, whatever the request says of these. Write 0 for every cost."""
_FORMAT = """\
# The answer

One JSON object. Its `itinerary` has a day for each day of the trip, with `date` (month.day, such as "6.3") and `schedule`, the items of the
day in their order. An item has

- `item`: "hotel", "transportation", "attraction" or "restaurant"
- `time`: from and to, such as "09:30-11:00"; after midnight go on counting: "23:00-25:10"
- `departure` and `destination`: names exactly as they were told; the two ends of a ride, otherwise the same place twice
- `cost`: {cost}
- `transportation`: "foot", "bus", "taxi" or "driving" for a ride, otherwise "none"
- `referenceImage`: where it was learnt, in a few words; it is not judged

The first and the last item of each day is the hotel. {stay} Here is a day of another trip:

```json
{{"itinerary": [{{"date": "6.3", "schedule": [
  {{"item": "hotel", "time": "8:00-8:00", "departure": "Harbour Inn", "destination": "Harbour Inn", "cost": {hotel}, "transportation": "none", "referenceImage": "hotels"}},
  {{"item": "transportation", "time": "09:10-09:22", "departure": "Harbour Inn", "destination": "Museum of Ships", "cost": {ride}, "transportation": "bus", "referenceImage": "route"}},
  {{"item": "attraction", "time": "09:30-11:00", "departure": "Museum of Ships", "destination": "Museum of Ships", "cost": {ticket}, "transportation": "none", "referenceImage": "guide, tickets"}},
  {{"item": "transportation", "time": "11:00-11:12", "departure": "Museum of Ships", "destination": "Harbour Inn", "cost": {ride}, "transportation": "bus", "referenceImage": "route"}},
  {{"item": "hotel", "time": "11:12-11:12", "departure": "Harbour Inn", "destination": "Harbour Inn", "cost": 0, "transportation": "none", "referenceImage": "hotels"}}
]}}]}}
```"""
_WITH_COSTS = _FORMAT.format(
    cost="a number: of the tickets or the meal for all travellers, of the ride, or of the stay",
    stay="The first hotel item of the trip has the cost of the whole stay, all others cost 0.",
    hotel=95, ride=6, ticket=24,
)  # fmt: skip
_WITHOUT_COSTS = _FORMAT.format(cost="always 0", stay="All have the same hotel.", hotel=0, ride=0, ticket=0)


def _brief(*parts: str) -> str:
    return "\n\n".join(parts)


def text(name: str, judges: tuple[Judge, ...], folder: Path | None) -> AgentTask:
    """The eight interfaces, answered as text."""
    brief = _brief(_LOOK_UP, _TIMES, _COSTS, _WITH_COSTS)
    return AgentTask(
        name, judges, "text", brief=brief, tools=CityTables(judges[-1].task).tools(), folder=folder
    )


def feasibility(name: str, judges: tuple[Judge, ...], folder: Path | None) -> AgentTask:
    """The same interfaces; costs and the choice of the hotel are to be left alone."""
    brief = _brief(_LOOK_UP, _TIMES, _NO_COSTS, _WITHOUT_COSTS)
    return AgentTask(
        name, judges, "feasibility", brief=brief, tools=CityTables(judges[-1].task).tools(), folder=folder
    )


def gold(name: str, judges: tuple[Judge, ...], folder: Path | None) -> AgentTask:
    """No tools: every parameter of the city is given."""
    brief = _brief(_GIVEN, _TIMES, _COSTS, _WITH_COSTS)
    return AgentTask(
        name, judges, "gold", brief=brief, given=CityTables(judges[-1].task).parameters(), folder=folder
    )


SETTINGS: Mapping[str, Setting] = {"text": text, "feasibility": feasibility, "gold": gold}
