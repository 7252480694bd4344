"""The map behind MobilityBench: invented cities that grow from seeds, exact routes through them, and what else is asked.

`grow_city` makes a city, and `save` and `load` keep it. `drive`, `walk`, `cycle` and `transit` answer with the best
routes and the evidence for them, or with a `NoRoute` that says why there is none: a ban is never relaxed. `find_pois`,
`nearby`, `geocode`, `reverse_geocode`, `weather_on`, `forecast` and `traffic_on` look things up.

Coordinates are whole 1e-6 degrees, lengths metres, times of a route seconds, times of day that one asks for minutes
after midnight, and money minor units.
"""

from planspec.families.mobilitybench.map.conditions import TrafficStatus, forecast, traffic_on, weather_on
from planspec.families.mobilitybench.map.driving import drive
from planspec.families.mobilitybench.map.geometry import metres
from planspec.families.mobilitybench.map.growing import grow_city
from planspec.families.mobilitybench.map.lookup import (
    AddressParts,
    NearbyPlace,
    PlaceMatch,
    find_pois,
    full_address,
    geocode,
    nearby,
    reverse_geocode,
)
from planspec.families.mobilitybench.map.places import CATEGORIES
from planspec.families.mobilitybench.map.recipe import MapRecipe, regrown
from planspec.families.mobilitybench.map.records import (
    Address,
    City,
    Fare,
    Headway,
    Junction,
    LineMode,
    Mode,
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
from planspec.families.mobilitybench.map.route import Answer, NoRoute, Route, RouteEvidence, RouteStep
from planspec.families.mobilitybench.map.specs import SPECS, CitySpec
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
    "Traffic",
    "TrafficStatus",
    "TransitLine",
    "Weather",
    "cycle",
    "drive",
    "dump",
    "find_pois",
    "forecast",
    "full_address",
    "geocode",
    "grow_city",
    "load",
    "metres",
    "nearby",
    "regrown",
    "reverse_geocode",
    "save",
    "traffic_on",
    "transit",
    "walk",
    "weather_on",
]
