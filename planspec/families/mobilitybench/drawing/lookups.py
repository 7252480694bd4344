"""Random queries about places, addresses, weather and traffic."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from pydantic import JsonValue

from planspec.families.mobilitybench.drawing.draft import RequestDraft, UndrawableRequestError
from planspec.families.mobilitybench.drawing.scene import Scene, clock_text
from planspec.families.mobilitybench.episode import Scenario
from planspec.families.mobilitybench.live import FORECAST_DAYS
from planspec.families.mobilitybench.map import Point, atlas, find_spec, geocode, nearby, traffic_on
from planspec.families.mobilitybench.wording import wording

RADII_M = (300, 500, 500, 800, 1000, 1000, 1500, 2000, 3000)
DEFAULT_RADIUS_M = 1_000
"""Default radius of the tool that searches nearby, in metres."""
MIN_DIFFERENCE_M = 30
"""Minimum difference in metres between the distances to the two nearest places.

With a smaller difference, the answer would depend on which points of a place distances are measured from.
"""


def draw_lookup(scenario: Scenario, scene: Scene) -> RequestDraft:
    """Draw a query of the family `Basic Information Retrieval`.

    Raises:
        UndrawableRequestError: the draw does not fit the map.
    """
    match scenario:
        case Scenario.POI_SEARCH:
            return _draw_poi_search(scene)
        case Scenario.GEOLOCATION:
            return _draw_geolocation(scene)
        case Scenario.NEARBY_SEARCH:
            return _draw_nearby_search(scene)
        case Scenario.WEATHER:
            return _draw_weather(scene)
        case _:
            return _draw_traffic(scene)


def spoken_city(scene: Scene, town: int = 0) -> str:
    """Return a city's name in the query's language.

    Args:
        scene: scene of the query.
        town: number of the municipality; 0 for the scene's own city.
    """
    city = scene.city if town == 0 else scene.city.others[town - 1]
    return _spoken_name(scene, city.name, city.english, scene.city.language)


def _spoken_name(scene: Scene, name: str, english: str, language: str) -> str:
    query_language: str = scene.language
    if query_language == language != "en":
        return name.removesuffix("市") if language == "zh" and scene.happens(70) else name
    spec = find_spec(english)
    return spec.chinese if query_language == "zh" and spec is not None and spec.chinese else english


def _draw_other_city(scene: Scene) -> str:
    """Draw the name of another city of the region or of the country. Popular cities are drawn more often."""
    spec = find_spec(scene.city.english)
    if scene.city.others and (spec is None or scene.happens(40)):
        return spoken_city(scene, scene.rng.randint(1, len(scene.city.others)))
    compatriots = [other for other in atlas() if spec is not None and other.code == spec.code and other is not spec]
    if not compatriots:
        return spoken_city(scene)
    other = scene.rng.choices(compatriots, [1 / (n + 3) for n in range(len(compatriots))])[0]
    return _spoken_name(scene, other.name, other.english, other.language)


def _draw_kind(scene: Scene) -> tuple[str, str]:
    """Draw a word for a category of places. Return the word and the category."""
    kinds = wording(scene.language).kinds
    word = scene.rng.choice(sorted(kinds))
    return word, kinds[word]


def _draw_poi_search(scene: Scene) -> RequestDraft:
    user_location = scene.draw_point()
    slots: dict[str, JsonValue] = {}
    if scene.happens(60):
        poi = scene.draw_destination(own_city=scene.happens(75), allow_towns=False)
        slots["place"] = poi.name
        if scene.happens(30 if poi.town == 0 else 70):
            slots["city"] = spoken_city(scene, poi.town)
        return RequestDraft(slots, user_location)
    word, category = _draw_kind(scene)
    town = scene.rng.randint(1, len(scene.city.others)) if scene.city.others and scene.happens(20) else 0
    candidates = [poi for poi in scene.city.pois if poi.category == category and poi.town == town]
    if not candidates:
        raise UndrawableRequestError("no place of the kind")
    slots["place"] = word
    if town == 0 and scene.happens(65):
        slots["district"] = scene.rng.choice(candidates).district
    else:
        slots["city"] = spoken_city(scene, town)
    return RequestDraft(slots, user_location)


def _draw_geolocation(scene: Scene) -> RequestDraft:
    user_location = scene.draw_point()
    drawn = scene.rng.randrange(100)
    if drawn < 45:
        return RequestDraft({"location": "here"}, user_location)
    if drawn < 65:
        return RequestDraft({"location": str(scene.draw_point())}, user_location)
    if drawn < 85:
        return RequestDraft({"place": scene.draw_destination(allow_towns=False).name}, user_location)
    address = scene.draw_destination(allow_towns=False).address
    if len(geocode(scene.city, address)) != 1:
        raise UndrawableRequestError("the address may be of several streets")
    return RequestDraft({"address": address}, user_location)


def _draw_nearby_search(scene: Scene) -> RequestDraft:
    word, category = _draw_kind(scene)
    slots: dict[str, JsonValue] = {"place": word}
    if scene.happens(50):
        near = scene.draw_destination(own_city=scene.happens(80), allow_towns=False)
        slots["near"] = near.name
        user_location, centre, excluded = scene.draw_point(), near.point, near.name
    else:
        user_location = scene.draw_point()
        centre, excluded = user_location, ""
        if scene.happens(60):
            slots["near"] = "here"
    drawn = scene.rng.randrange(100)
    radius = DEFAULT_RADIUS_M
    if drawn < 40:
        radius = scene.rng.choice(RADII_M)
        slots["radius"] = radius
    elif drawn < 65:
        slots["limit"] = 1
    elif drawn < 80:
        slots["limit"] = scene.rng.choice((2, 3, 3, 4, 5))
        slots.setdefault("near", "here")
    if "radius" in slots:
        slots.setdefault("near", "here")
    places = [near for near in nearby(scene.city, centre, radius, category=category) if near.poi.name != excluded]
    _check_enough_places(slots, [near.distance_m for near in places])
    return RequestDraft(slots, user_location)


def _check_enough_places(slots: dict[str, JsonValue], distances: list[int]) -> None:
    limit: Any = slots.get("limit", 1)
    if len(distances) < limit:
        raise UndrawableRequestError("too few places near")
    if limit == 1 and "limit" in slots and len(distances) > 1 and distances[1] - distances[0] < MIN_DIFFERENCE_M:
        raise UndrawableRequestError("two places are almost equally near")


def _draw_weather(scene: Scene) -> RequestDraft:
    slots: dict[str, JsonValue] = {}
    begin = date.fromisoformat(scene.city.today)
    drawn = scene.rng.randrange(100)
    if drawn < 25:
        days: list[int] = [0]
    elif drawn < 75:
        days = [scene.rng.choice((1, 1, 2, 3, 4))]
    elif drawn < 90:
        days = list(range(1, scene.rng.choice((2, 2, 3, FORECAST_DAYS)) + 1))
    else:
        days = []
    if days:
        slots["days"] = [(begin + timedelta(day)).isoformat() for day in days]
    drawn = scene.rng.randrange(100)
    if drawn < 45:
        slots["city"] = _draw_other_city(scene) if scene.happens(60) else spoken_city(scene)
    elif drawn < 65:
        slots["place"] = scene.draw_destination(allow_towns=False).name
    return RequestDraft(slots, scene.draw_point())


def _draw_road(scene: Scene) -> str:
    """Draw the name of a road, preferably of a road with slow traffic."""
    road = ""
    for _ in range(3):
        road = scene.rng.choice(scene.town.streets)
        status = traffic_on(scene.city, road, scene.now)
        if status is not None and status.level != "free":
            break
    return road


def _draw_traffic(scene: Scene) -> RequestDraft:
    user_location: Point = scene.draw_point()
    slots: dict[str, JsonValue] = {}
    drawn = scene.rng.randrange(100)
    if drawn < 70:
        slots["road"] = _draw_road(scene)
        if scene.happens(25):
            slots["city"] = spoken_city(scene)
    elif drawn < 85:
        slots["near"] = scene.draw_destination(allow_towns=False).name
    else:
        start, end = scene.draw_pair(1_500, 20_000)
        slots["destination"] = end.name
        if scene.happens(50):
            slots["origin"] = start.name
        else:
            user_location = scene.draw_point_near(start.point)
    if scene.happens(30):
        slots["at"] = clock_text(scene.draw_later_minute(min_ahead=15, max_ahead=240))
    return RequestDraft(slots, user_location)
