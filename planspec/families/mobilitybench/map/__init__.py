"""The map behind MobilityBench: cities generated from seeds, exact routes through them, and lookups.

`grow_city` makes a city without surroundings, and `grow_region` a city with suburbs, towns and other cities around it;
`save` and `load` store it. `drive`, `walk`, `cycle` and `transit` return the best routes and the evidence for them, or
a `NoRoute` with the reason; they never relax a ban. `find_pois`, `nearby`, `geocode`, `reverse_geocode`, `weather_on`,
`forecast` and `traffic_on` are lookups.

Coordinates are whole numbers of 1e-6 degrees. Lengths are in metres, times of a route in seconds, requested
times of day in minutes after midnight, and amounts of money in minor units.
"""

from planspec.families.mobilitybench.map.conditions import (
    TrafficStatus,
    forecast,
    open_hours,
    public_holiday,
    traffic_on,
    weather_of,
    weather_on,
)
from planspec.families.mobilitybench.map.driving import drive
from planspec.families.mobilitybench.map.geometry import metres
from planspec.families.mobilitybench.map.growing import grow_city, move_to_day
from planspec.families.mobilitybench.map.lookup import (
    AddressParts,
    NearbyPlace,
    PlaceMatch,
    find_pois,
    full_address,
    geocode,
    is_known_city,
    nearby,
    reverse_geocode,
    town_of,
)
from planspec.families.mobilitybench.map.places import CATEGORIES
from planspec.families.mobilitybench.map.recipe import MapRecipe, StoredMap, regrow
from planspec.families.mobilitybench.map.records import (
    Address,
    City,
    Fare,
    Headway,
    Junction,
    LineMode,
    Mode,
    Municipality,
    Period,
    Piece,
    Poi,
    Point,
    Road,
    RoadClass,
    Stop,
    Traffic,
    TransitLine,
    Weather,
)
from planspec.families.mobilitybench.map.regions import grow_region
from planspec.families.mobilitybench.map.route import Answer, NoRoute, Route, RouteEvidence, RouteStep
from planspec.families.mobilitybench.map.specs import SPECS, CitySpec, atlas, find_spec
from planspec.families.mobilitybench.map.storing import dump, load, save
from planspec.families.mobilitybench.map.transit import Preference, transit
from planspec.families.mobilitybench.map.walking import cycle, walk

__all__ = [
    "CATEGORIES",
    "SPECS",
    "Address",
    "AddressParts",
    "Answer",
    "City",
    "CitySpec",
    "Fare",
    "Headway",
    "Junction",
    "LineMode",
    "MapRecipe",
    "Mode",
    "Municipality",
    "NearbyPlace",
    "NoRoute",
    "Period",
    "Piece",
    "PlaceMatch",
    "Poi",
    "Point",
    "Preference",
    "Road",
    "RoadClass",
    "Route",
    "RouteEvidence",
    "RouteStep",
    "Stop",
    "StoredMap",
    "Traffic",
    "TrafficStatus",
    "TransitLine",
    "Weather",
    "atlas",
    "cycle",
    "drive",
    "dump",
    "find_pois",
    "find_spec",
    "forecast",
    "full_address",
    "geocode",
    "grow_city",
    "grow_region",
    "is_known_city",
    "load",
    "metres",
    "move_to_day",
    "nearby",
    "open_hours",
    "public_holiday",
    "regrow",
    "reverse_geocode",
    "save",
    "town_of",
    "traffic_on",
    "transit",
    "walk",
    "weather_of",
    "weather_on",
]
