"""Kinds of scenes, and the choice of the kind of scene that represents a place."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias, assert_never, get_args

from planspec.families.veritrip.facts import AnyPlace, Attraction, Hotel, Poi, Restaurant
from planspec.families.veritrip.pictures.chance import Dice

SceneKind: TypeAlias = Literal[
    "museum",
    "palace",
    "pagoda",
    "church",
    "memorial",
    "tower",
    "hotel",
    "restaurant",
    "station",
    "metro",
    "airport",
    "port",
    "bridge",
    "lake",
    "park",
    "garden",
    "mountain",
    "zoo",
    "fair",
    "street",
    "market",
    "square",
    "mall",
    "theatre",
    "stadium",
    "library",
    "university",
    "gate",
    "wall",
    "house",
]

WORDS: dict[SceneKind, str] = {
    "museum": "museum museums gallery galleries institute archives exhibition hall capitol smithsonian art arts "
    "science history met moma planetarium",
    "palace": "palace mansion residence courtyard court",
    "pagoda": "temple pagoda monastery lama shrine lingyin jing'an stupa",
    "church": "church cathedral chapel basilica minster synagogue abbey",
    "memorial": "memorial memorials monument obelisk statue tomb cemetery mausoleum liberty graveyard burying",
    "tower": "tower building skyscraper observatory observation skydeck pearl spire needle deck edge "
    "summit skywalk rockefeller lighthouse vessel",
    "port": "port harbor harbour pier wharf ship ships ferry ferries cruise aquarium constitution ironsides intrepid",
    "bridge": "bridge bridges viaduct causeway",
    "lake": "lake lakes pond river canal creek wetland wetlands basin reservoir waterfront bay bund sea seaside beach "
    "ocean island springs",
    "park": "park parks common commons lawn greenway esplanade forest woods meadow",
    "garden": "garden gardens botanic botanical arboretum yuyuan",
    "mountain": "mountain mount hill hills peak cave caves valley gorge cliff",
    "zoo": "zoo safari zoological wildlife panda",
    "fair": "disneyland disney resort amusement fair carousel wheel theme studios fun playground legoland",
    "street": "street road avenue hutong alley lane row neighborhood quarter district chinatown village town soho "
    "trail broadway georgetown fifth tianzifang xintiandi",
    "market": "market markets bazaar marketplace",
    "square": "square plaza circle tiananmen",
    "mall": "mall shopping outlets department store mart",
    "theatre": "theatre theater opera concert cinema playhouse stage performing performance",
    "stadium": "stadium arena ballpark field nest gymnasium cube",
    "library": "library bookstore athenaeum",
    "university": "university college campus school academy harvard mit",
    "gate": "gate archway drum bell paifang",
    "wall": "wall fort fortress castle citadel mutianyu badaling ruins",
    "house": "house home cottage homestead villa birthplace inn",
}
_KIND_OF_WORD: dict[str, SceneKind] = {}
for _kind, _words in WORDS.items():
    for _word in _words.split():
        _KIND_OF_WORD.setdefault(_word, _kind)

_PHRASES: dict[str, SceneKind] = {
    "national mall": "park",
    "high line": "park",
    "forbidden city": "palace",
    "drum tower": "gate",
    "bell tower": "gate",
    "the bund": "port",
    "mount vernon": "house",
    "ocean park": "fair",
    "wild animal park": "zoo",
    "fenway park": "stadium",
    "historic block": "street",
    "freedom trail": "street",
    "city balcony": "square",
    "statue of liberty": "memorial",
    "post office tower": "tower",
}
"""Kinds of scenes for phrases in names. A single word of the phrase would suggest a wrong kind."""

_KIND_OF_POI: dict[str, SceneKind] = {
    "railway_station": "station",
    "airport": "airport",
    "metro_station": "metro",
    "square": "square",
    "street": "street",
    "mall": "mall",
    "bridge": "bridge",
    "market": "market",
    "university": "university",
    "park_gate": "gate",
    "tower": "tower",
    "theatre": "theatre",
    "library": "library",
    "port": "port",
    "stadium": "stadium",
}
_KINDS_OF_INTEREST: dict[str, tuple[SceneKind, ...]] = {
    "Natural scenery": ("park", "lake", "garden", "mountain"),
    "Family fun": ("fair", "zoo", "park"),
    "Leisure and entertainment": ("theatre", "street", "fair"),
    "City charm": ("street", "square", "tower"),
    "Cultural history": ("museum", "house", "gate"),
}


def kind_of(place: AnyPlace) -> SceneKind:
    """Choose the kind of scene for a place, by its record, its name or its description, in this order."""
    match place:
        case Restaurant():
            return "restaurant"
        case Hotel():
            return "hotel"
        case Poi(kind=kind):
            return (
                _KIND_OF_POI.get(kind)
                or _kind_by_name(place.name)
                or _kind_by_text(place.about)
                or _draw_kind(place, get_args(SceneKind))
            )
        case Attraction():
            # The first interest is the most important one.
            options = _KINDS_OF_INTEREST.get(
                place.interests[0] if place.interests else "", ("museum", "park", "street")
            )
            return _kind_by_name(place.name) or _kind_by_text(place.introduction) or _draw_kind(place, options)
        case _:
            assert_never(place)


def _kind_by_name(name: str) -> SceneKind | None:
    for phrase, kind in _PHRASES.items():
        if phrase in name.lower():
            return kind
    # In `Museum of the City Park` the words before `of` name the kind; otherwise the last word does.
    for part in (re.split(r"\b(?:of|at|and)\b|[(&,]", name)[0], name):
        kinds = _kinds_in(part)
        if kinds:
            return kinds[-1]
    return None


def _kind_by_text(text: str) -> SceneKind | None:
    kinds = _kinds_in(text)
    return kinds[0] if kinds else None


def _kinds_in(text: str) -> list[SceneKind]:
    return [_KIND_OF_WORD[word] for word in re.findall(r"[a-z']+", text.lower()) if word in _KIND_OF_WORD]


def _draw_kind(place: AnyPlace, options: tuple[SceneKind, ...]) -> SceneKind:
    return Dice("kind", place.name, place.city).pick(options)
