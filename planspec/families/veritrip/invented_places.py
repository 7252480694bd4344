"""Invented places for the cities of a large fact base. Streets and prices resemble real ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from random import Random
from statistics import median
from typing import TypeVar

from planspec.families.veritrip.facts import AnyPlace, Attraction, FactBase, Hotel, Poi, Restaurant, Room
from planspec.families.veritrip.invented_names import (
    Name,
    chinese_names,
    combine_names,
    english_names,
    inn_names,
)

Place = TypeVar("Place", bound=AnyPlace)
HALF_HOUR = 30


@dataclass(frozen=True, slots=True)
class _SightKind:
    """A kind of invented sights.

    Attributes:
        name: last word of the sights' names, such as `Park`.
        about: description, with the placeholders `{city}` and `{district}`.
        chinese: Chinese description, with the same placeholders.
        tickets: possible prices, in yuan and in dollars.
        opens: possible opening times, in half hours after midnight.
        closes: possible closing times, in half hours after midnight.
        closed: share of the sights that have a closing day.
        visit: possible shortest visits, in minutes. The longest visit is 1.5 to 2 times as long.
        interests: interests that the sights serve; see `Attraction.interests`.
    """

    name: Name
    about: str
    chinese: str
    tickets: tuple[tuple[int, ...], tuple[int, ...]]
    opens: tuple[int, ...]
    closes: tuple[int, ...]
    closed: float
    visit: tuple[int, ...]
    interests: tuple[str, ...]


_C, _N, _T, _L, _F = (
    "Cultural history",
    "Natural scenery",
    "City charm",
    "Leisure and entertainment",
    "Family fun",
)
_FREE = (0,), (0,)
_SIGHTS: tuple[_SightKind, ...] = (
    _SightKind(
        ("Park", "公园"),
        "A park with old trees and a pond in {district}.",
        "位于{district}的公园，古树成荫，有一方池塘。",
        _FREE,
        (12, 13),
        (42, 44),
        0,
        (45, 60),
        (_N,),
    ),
    _SightKind(
        ("Museum", "博物馆"),
        "A museum of the history of {district}.",
        "讲述{district}历史的博物馆。",
        ((0, 20, 30, 40), (0, 12, 15, 18)),
        (18, 19, 20),
        (33, 34),
        0.8,
        (60, 90),
        (_C,),
    ),
    _SightKind(
        ("Botanical Garden", "植物园"),
        "Beds, greenhouses and a slope of flowering trees.",
        "设有花圃、温室和一片花木山坡。",
        ((10, 20, 25), (8, 10, 14)),
        (16, 17),
        (34, 36),
        0,
        (60, 90),
        (_N,),
    ),
    _SightKind(
        ("Art Centre", "艺术中心"),
        "Changing exhibitions of living artists in {city}.",
        "展出{city}当代艺术家作品的展馆。",
        ((0, 30, 50, 60), (0, 14, 18, 20)),
        (19, 20, 22),
        (36, 38),
        0.7,
        (60, 90),
        (_L, _C),
    ),
    _SightKind(
        ("Science Hall", "科学馆"),
        "Things to touch and try for children of all ages.",
        "适合各年龄段儿童动手体验的科学展馆。",
        ((20, 30, 45), (16, 20, 24)),
        (18, 19),
        (33, 34),
        0.7,
        (90, 120),
        (_F,),
    ),
    _SightKind(
        ("Old Street", "老街"),
        "A street of small shops and snacks, busiest after dark.",
        "小店与小吃云集的街巷，入夜后最热闹。",
        _FREE,
        (18, 20),
        (44, 46),
        0,
        (45, 60),
        (_T,),
    ),
    _SightKind(
        ("Wetland", "湿地公园"),
        "Reeds, boardwalks and birds at the edge of {city}.",
        "{city}城郊的芦苇湿地，设有栈道，可观鸟。",
        ((0, 40, 60), (0, 8, 10)),
        (16, 17),
        (34, 35),
        0,
        (90, 120),
        (_N,),
    ),
    _SightKind(
        ("Memorial House", "故居"),
        "The house of a local writer, kept as it was.",
        "当地一位作家的故居，陈设保持原貌。",
        ((0, 15, 20), (8, 10, 12)),
        (18, 20),
        (33, 34),
        0.8,
        (30, 45),
        (_C,),
    ),
    _SightKind(
        ("Amusement Park", "乐园"),
        "Rides and a small lake with boats.",
        "设有游乐项目和可划船的小湖。",
        ((120, 160, 200), (38, 45, 60)),
        (19, 20),
        (38, 42),
        0,
        (180, 240),
        (_L, _F),
    ),
    _SightKind(
        ("Tower", "观景塔"),
        "A tower with a view over {district}.",
        "可俯瞰{district}的观景塔。",
        ((30, 50, 80), (15, 20, 28)),
        (18, 20),
        (42, 44),
        0,
        (45, 60),
        (_T,),
    ),
    _SightKind(
        ("Craft Village", "手工艺村"),
        "Workshops for paper, clay and cloth that let guests try.",
        "可体验造纸、陶艺和织染的手工作坊群。",
        ((0, 25, 40), (0, 10, 15)),
        (18, 19),
        (35, 36),
        0.4,
        (60, 90),
        (_C, _F),
    ),
    _SightKind(
        ("Riverside Walk", "滨水步道"),
        "A promenade along the water with benches and lights.",
        "沿水而建的步道，设有长椅和夜景灯光。",
        _FREE,
        (12,),
        (46,),
        0,
        (30, 45),
        (_T, _N),
    ),
    _SightKind(
        ("Aquarium", "水族馆"),
        "Tanks of river fish and a tunnel of glass.",
        "展示淡水鱼类，并有玻璃海底隧道。",
        ((100, 130, 150), (26, 30, 36)),
        (18, 19),
        (34, 36),
        0,
        (90, 120),
        (_F,),
    ),
    _SightKind(
        ("Folk Museum", "民俗馆"),
        "Tools, costumes and rooms of the people who lived here.",
        "陈列旧时居民的器具、服饰与居室。",
        ((0, 20, 30), (6, 8, 10)),
        (18, 19),
        (33, 34),
        0.8,
        (45, 60),
        (_C,),
    ),
    _SightKind(
        ("Forest Park", "森林公园"),
        "Hills with marked paths and a spring.",
        "山林步道分明，有一眼泉水。",
        ((0, 15, 20), (0, 5, 8)),
        (12, 14),
        (36, 38),
        0,
        (90, 120),
        (_N,),
    ),
    _SightKind(
        ("Creative Quarter", "创意园"),
        "Old works that became studios, cafés and a stage.",
        "旧厂房改建的工作室、咖啡馆与小剧场。",
        _FREE,
        (19, 20),
        (42, 44),
        0,
        (45, 60),
        (_L, _T),
    ),
    _SightKind(
        ("Children's Farm", "亲子农场"),
        "Goats, rabbits and a field for picking.",
        "有山羊、兔子和采摘园。",
        ((30, 50, 60), (10, 12, 16)),
        (18,),
        (34, 35),
        0.3,
        (90, 120),
        (_F, _N),
    ),
    _SightKind(
        ("Observatory", "天文台"),
        "Telescopes and a dome for films of the sky.",
        "设有望远镜和球幕影院。",
        ((20, 40), (10, 14)),
        (20, 26),
        (42, 44),
        0.6,
        (60, 90),
        (_F, _L),
    ),
)
_RESTAURANTS: Mapping[str, tuple[tuple[Name, str, tuple[str, ...]], ...]] = {
    "CNY": (
        (
            ("Lou", "楼"),
            "Home-style",
            ("Red-Braised Pork", "Sweet and Sour Ribs", "Steamed Fish", "Drunken Chicken", "Braised Gluten"),
        ),
        (
            ("Hot Pot", "火锅"),
            "Hot pot",
            ("Spicy Broth Hot Pot", "Beef Tripe", "Duck Intestines", "Shrimp Paste", "Instant-Boiled Mutton"),
        ),
        (
            ("Noodle House", "面馆"),
            "Noodles",
            ("Beef Noodles", "Scallion Oil Noodles", "Zhajiang Noodles", "Dan Dan Noodles", "Yellow Croaker Noodles"),
        ),
        (
            ("Dumpling House", "饺子馆"),
            "Dumplings",
            ("Boiled Dumplings", "Pan-Fried Dumplings", "Shrimp Wontons", "Coloured Dumplings"),
        ),
        (
            ("Sichuan Kitchen", "川菜馆"),
            "Sichuan",
            (
                "Mapo Tofu",
                "Kung Pao Chicken",
                "Boiled Fish in Chilli Oil",
                "Twice-Cooked Pork",
                "Mouth-Watering Chicken",
            ),
        ),
        (
            ("Teahouse", "茶楼"),
            "Cantonese",
            ("Har Gow", "Char Siu Buns", "Roast Goose", "Beef Rice Rolls", "Boat Congee"),
        ),
        (
            ("Seafood", "海鲜馆"),
            "Seafood",
            ("Garlic Vermicelli Shrimp", "Steamed Fish", "Salt and Pepper Shrimp", "Crab Meat Tofu"),
        ),
        (("Snack Bar", "小吃店"), "Snacks", ("Xiaolongbao", "Shengjianbao", "Soy Milk", "Spring Rolls", "Pork Buns")),
        (
            ("Vegetarian Hall", "素菜馆"),
            "Vegetarian",
            ("Mock Duck", "Stone Pot Tofu", "Mushroom Noodles", "Lotus Root Platter"),
        ),
        (
            ("Hunan Kitchen", "湘菜馆"),
            "Hunan",
            ("Steamed Fish Head with Chillies", "Stir-Fried Yellow Beef", "Stinking Tofu", "Cumin Ribs"),
        ),
        (("Grill", "烧烤店"), "Xinjiang", ("Lamb Skewers", "Big Plate Chicken", "Grilled Fish", "Nan Bread")),
        (("Duck House", "烤鸭店"), "Roast duck", ("Peking Duck", "Duck Bone Soup", "Old Duck Soup", "Salted Duck")),
        (("Bistro", "西餐厅"), "Western", ("Steak Frites", "Onion Soup", "Pizza Margherita", "Tiramisu")),
    ),
    "USD": (
        (
            ("'s Diner", ""),
            "American",
            ("Hamburger", "Blueberry Buckwheat Pancakes", "Fried Chicken", "Milkshake", "Onion Rings"),
        ),
        (("Oyster Bar", ""), "Seafood", ("Oysters", "Clam Chowder", "Lobster Roll", "Crab Cakes", "Fried Calamari")),
        (("Trattoria", ""), "Italian", ("Gnocchi", "Lobster Ravioli", "Tiramisu", "Linguine with Clams")),
        (("Pizzeria", ""), "Pizza", ("Margherita Pizza", "Sicilian Slice", "Meatball Calzone", "Clam Pizza")),
        (("Taqueria", ""), "Mexican", ("Burrito", "Carne Asada Taco", "Quesadilla", "Grilled Street Corn")),
        (("Steakhouse", ""), "Steakhouse", ("Filet Mignon", "Porterhouse Steak", "Onion Soup", "Thick-Cut Bacon")),
        (("Bakery", ""), "Bakery", ("Cupcakes", "Sticky Bun", "Cannoli", "Cheesecake")),
        (("Noodle Bar", ""), "Japanese", ("Miso Ramen", "Gyoza", "Black Cod", "Salt and Pepper Squid")),
        (
            ("Smokehouse", ""),
            "Barbecue",
            ("Pulled Pork Sandwich", "Family-Style Brisket", "Cornbread", "Chicken Wings"),
        ),
        (("Café", ""), "Café", ("Cappuccino", "Quiche", "Shakshuka", "Breakfast Sandwich")),
        (("Curry House", ""), "Indian", ("Butter Chicken", "Samosa", "Garlic Naan", "Palak Chaat")),
        (("Dumpling Room", ""), "Chinese", ("Soup Dumplings", "Dim Sum", "Hand-Pulled Noodles", "Scallion Pancake")),
    ),
}
_HOTELS: Mapping[str, tuple[tuple[Name, int], ...]] = {
    "CNY": (
        (("Hotel", "酒店"), 4),
        (("Inn", "客栈"), 3),
        (("Guesthouse", "宾馆"), 3),
        (("Grand Hotel", "大酒店"), 5),
        (("Boutique Hotel", "精品酒店"), 4),
        (("Hostel", "青年旅舍"), 2),
        (("Business Hotel", "商务酒店"), 3),
        (("Apartments", "公寓酒店"), 3),
        (("Garden Hotel", "花园酒店"), 4),
    ),
    "USD": (
        (("Hotel", ""), 4),
        (("Inn", ""), 3),
        (("House", ""), 3),
        (("Grand", ""), 5),
        (("Suites", ""), 4),
        (("Hostel", ""), 2),
        (("Lodge", ""), 3),
        (("Residence", ""), 3),
        (("Plaza Hotel", ""), 4),
        (("Motor Inn", ""), 2),
        (("Tower Hotel", ""), 5),
    ),
}
_POIS: tuple[tuple[Name, str, str, str], ...] = (
    (
        ("Metro Station", "地铁站"),
        "metro_station",
        "A metro station in {district} with exits to all sides of the crossing.",
        "位于{district}的地铁站，路口四面均有出口。",
    ),
    (("Bridge", "桥"), "bridge", "A bridge that joins two quarters of {district}.", "连接{district}两片街区的桥梁。"),
    (
        ("Street", "街"),
        "street",
        "A street with trees and corner shops in {district}.",
        "位于{district}的林荫街道，街角多小店。",
    ),
    (("Square", "广场"), "square", "A square where people dance in the evening.", "傍晚常有人跳舞的广场。"),
    (
        ("Market", "市场"),
        "market",
        "A market for fruit, flowers and cloth, open since dawn.",
        "清晨即开市，售卖水果、鲜花和布料。",
    ),
    (("Mall", "购物中心"), "mall", "A mall with a cinema on its top floor.", "顶层设有影院的购物中心。"),
    (
        ("Library", "图书馆"),
        "library",
        "A district library with a reading room for children.",
        "设有儿童阅览室的区级图书馆。",
    ),
    (("Theatre", "剧场"), "theatre", "A small stage for plays and music.", "上演话剧和音乐会的小剧场。"),
    (
        ("Stadium", "体育场"),
        "stadium",
        "A sports ground that is open for joggers early in the day.",
        "清晨对跑步者开放的体育场。",
    ),
    (
        ("College", "学院"),
        "university",
        "A college in {district} with a quiet campus.",
        "位于{district}、校园安静的学院。",
    ),
    (
        ("Bus Terminal", "公交总站"),
        "bus_station",
        "Where the bus lines of {district} end.",
        "{district}公交线路的终点站。",
    ),
    (("Park Gate", "公园门"), "park_gate", "A gate to the green belt.", "通往绿化带的入口。"),
    (("Wharf", "码头"), "port", "A quay for ferries and small cruises.", "渡轮和小型游船停靠的码头。"),
    (("Clock Tower", "钟楼"), "tower", "An old tower by which people set their watches.", "旧时人们对表的钟楼。"),
    (
        ("Hospital", "医院"),
        "hospital",
        "A hospital with an emergency ward in {district}.",
        "位于{district}、设有急诊的医院。",
    ),
    (("Police Station", "派出所"), "police_station", "The police station of {district}.", "{district}的派出所。"),
    (
        ("School", "学校"),
        "school",
        "A school in {district} whose children sing in the morning.",
        "位于{district}的学校，清晨可听见孩子们的歌声。",
    ),
    (("Pharmacy", "药店"), "pharmacy", "A pharmacy that is open until late.", "营业到深夜的药店。"),
    (
        ("Fire Station", "消防站"),
        "fire_station",
        "A fire station with a red gate in {district}.",
        "位于{district}、大门漆成红色的消防站。",
    ),
    (
        ("Town Hall", "市民中心"),
        "town_hall",
        "Where the people of {district} get their papers.",
        "{district}居民办理事务的地方。",
    ),
    (("Swimming Hall", "游泳馆"), "swimming_hall", "A swimming hall with a pool for children.", "设有儿童池的游泳馆。"),
    (
        ("Post Office", "邮局"),
        "post_office",
        "A post office that stamps postcards with a picture of {city}.",
        "可为明信片加盖{city}图案邮戳的邮局。",
    ),
)
_ROOMS = ("Single room", 1, 70), ("Double room", 2, 100), ("Twin room", 2, 102), ("Family room", 3, 140)
_SUITE = ("King suite", 2, 190)
_RATES = {"CNY": (0, 110, 180, 320, 520, 980), "USD": (0, 70, 95, 150, 240, 390)}
"""Usual prices of a double room, indexed by the number of stars."""
_MEALS = {"CNY": (25, 220), "USD": (14, 80)}


@dataclass(frozen=True, slots=True)
class PlaceNotes:
    """Translations of places, and a list of the invented places.

    Attributes:
        chinese: Chinese names of real and invented places, cities, dishes and cuisines, by English name.
        about: Chinese descriptions of invented places, keyed by the English name.
        invented: table, city and name of each invented place as keys, in the order of invention. The values
            are None.
    """

    chinese: dict[str, str]
    about: dict[str, str]
    invented: dict[tuple[str, str, str], None]


def add_invented_places(base: FactBase, counts: Mapping[str, Mapping[str, int]], notes: PlaceNotes) -> FactBase:
    """Add invented places until each city has the required number in each table.

    Args:
        base: fact base of real places. Its cities are the cities of its hotels.
        counts: required number of places by table (`attractions`, `restaurants`, `hotels`, `pois`) and city.
        notes: receives the Chinese names and descriptions of the invented places, and their list.
    """
    used_names = {place.name for place in base.places}
    towns = [_Town.of(base, city) for city in base.cities]
    chinese = base.currency == "CNY"

    words = chinese_names() if chinese else english_names()

    def extend_table(
        table: str,
        places: Sequence[Place],
        names: Callable[[], Iterator[tuple[Name, int]]],
        make: Callable[..., Place],
    ) -> tuple[Place, ...]:
        result = list(places)
        existing = {town.city: sum(place.city == town.city for place in places) for town in towns}
        source = names()
        # cities take turns, so that a larger base begins with the places of a smaller one
        missing = [town for town in towns for _ in range(counts[table][town.city] - existing[town.city])]
        for town in _take_turns(missing):
            name, kind = next((name, kind) for name, kind in source if name[0] not in used_names)
            used_names.add(name[0])
            random = Random(f"{table}/{town.city}/{name[0]}")
            place = make(town, name[0], kind, random, base.currency)
            result.append(place)
            notes.invented[table, town.city, name[0]] = None
            if name[1]:
                notes.chinese[name[0]] = name[1]
            if about := _chinese_description(place, kind, notes.chinese.get(town.city, town.city)):
                notes.about[name[0]] = about
        return tuple(result)

    currency = base.currency
    return FactBase(
        currency,
        base.services,
        extend_table(
            "attractions",
            base.attractions,
            lambda: combine_names(words, [kind.name for kind in _SIGHTS], Random("sights")),
            _invent_sight,
        ),
        extend_table("restaurants", base.restaurants, lambda: _restaurant_names(currency, words), _invent_restaurant),
        extend_table(
            "hotels",
            base.hotels,
            lambda: combine_names(words, [name for name, _ in _HOTELS[currency]], Random("beds")),
            _invent_hotel,
        ),
        extend_table(
            "pois", base.pois, lambda: combine_names(words, [name for name, *_ in _POIS], Random("pois")), _invent_poi
        ),
    )


def _restaurant_names(currency: str, words: Sequence[Name]) -> Iterator[tuple[Name, int]]:
    """Yield names of restaurants, each with the index of its kind in `_RESTAURANTS`.

    In the USA, every second name is in the style of old inns, such as `The Copper Kettle`.
    """
    kinds = [name for name, *_ in _RESTAURANTS[currency]]
    named = combine_names(words, kinds, Random("tables"))
    if currency == "CNY":
        return named
    painted = ((name, turn % len(kinds)) for turn, name in enumerate(inn_names(Random("signs"))))
    return chain.from_iterable(zip(named, painted, strict=False))


def _take_turns(towns: Iterable[_Town]) -> list[_Town]:
    """Reorder a list with repeated towns: each round has every town with remaining repetitions once."""
    left: dict[str, list[_Town]] = {}
    for town in towns:
        left.setdefault(town.city, []).append(town)
    ordered: list[_Town] = []
    while any(left.values()):
        ordered += [waiting.pop() for waiting in left.values() if waiting]
    return ordered


@dataclass(frozen=True, slots=True)
class _Town:
    """A city in which places are invented.

    Attributes:
        centre: median position of the real sights, in degrees north and east.
        districts: districts of the real sights.
        quarters: quarters of the real restaurants.
    """

    city: str
    centre: tuple[float, float]
    districts: tuple[str, ...]
    quarters: tuple[str, ...]

    @classmethod
    def of(cls, base: FactBase, city: str) -> _Town:
        sights = [a for a in base.attractions if a.city == city]
        quarters = dict.fromkeys(r.area for r in base.restaurants if r.city == city)
        districts = dict.fromkeys(a.address.rpartition(", ")[2] for a in sights)
        return cls(
            city,
            (median(float(a.latitude) for a in sights), median(float(a.longitude) for a in sights)),
            tuple(districts),
            tuple(quarters),
        )

    def random_position(self, random: Random) -> tuple[Decimal, Decimal]:
        """Draw a position in the city: latitude and longitude in degrees. Positions near the centre are likelier."""
        north, east = (sum(random.randint(-1000, 1000) for _ in range(4)) for _ in range(2))
        return (
            Decimal(round((self.centre[0] + north * 0.00004) * 10_000)) / 10_000,
            Decimal(round((self.centre[1] + east * 0.00005) * 10_000)) / 10_000,
        )


def _invent_sight(town: _Town, name: str, kind: int, random: Random, currency: str) -> Attraction:
    sight_kind = _SIGHTS[kind]
    district = random.choice(town.districts)
    least = random.choice(sight_kind.visit)
    closed = random.choice(((0,), (0,), (0,), (1,))) if random.random() < sight_kind.closed else ()
    return Attraction(
        name,
        town.city,
        *town.random_position(random),
        f"{random.randint(2, 398)} {_invent_road(random, currency)}, {district}",
        sight_kind.about.format(city=town.city, district=district),
        random.choice(sight_kind.tickets[currency == "USD"]),
        random.choice(sight_kind.opens) * HALF_HOUR,
        random.choice(sight_kind.closes) * HALF_HOUR,
        frozenset(closed),
        least,
        least * random.choice((3, 4)) // 2 // 15 * 15,
        sight_kind.interests,
    )


def _invent_restaurant(town: _Town, name: str, kind: int, random: Random, currency: str) -> Restaurant:
    _, cuisine, dishes = _RESTAURANTS[currency][kind]
    low, high = _MEALS[currency]
    served = random.sample(dishes, min(len(dishes), random.choice((2, 3, 3))))
    price = low + int((high - low) * random.random() ** 2.2)
    return Restaurant(
        name,
        town.city,
        *town.random_position(random),
        random.choice(town.quarters),
        cuisine,
        tuple(served),
        price // 5 * 5 if price >= 40 else price,
        Decimal(f"{random.randint(36, 48) / 10:.1f}"),
        random.choice((7, 10, 11, 11, 11)) * 60 + random.choice((0, 0, 30)),
        random.choice((20, 21, 22, 22)) * 60 + random.choice((0, 30)),
    )


def _invent_hotel(town: _Town, name: str, kind: int, random: Random, currency: str) -> Hotel:
    stars = _HOTELS[currency][kind][1]
    usual = _RATES[currency][stars] * random.randint(75, 135) / 100
    kinds = [_ROOMS[1], *random.sample([_ROOMS[0], _ROOMS[2], _ROOMS[3]], random.choice((1, 2, 2, 3)))]
    if stars >= 4 and random.random() < 0.5:
        kinds.append(_SUITE)
    morning = random.random() < 0.5
    rooms = tuple(
        Room(
            room, sleeps, max(20, round(usual * share / 100 / 5) * 5), morning if random.random() < 0.8 else not morning
        )
        for room, sleeps, share in kinds
    )
    district = random.choice(town.districts)
    return Hotel(
        name,
        town.city,
        *town.random_position(random),
        f"{random.randint(2, 398)} {_invent_road(random, currency)}, {district}",
        stars,
        rooms,
    )


def _invent_poi(town: _Town, name: str, kind: int, random: Random, currency: str) -> Poi:  # noqa: ARG001 signature of the other makers
    _, poi_kind, about, _ = _POIS[kind]
    about = about.format(city=town.city, district=random.choice(town.districts))
    return Poi(name, town.city, *town.random_position(random), poi_kind, about)


def _invent_road(random: Random, currency: str) -> str:
    if currency == "CNY":
        road = random.choice(("Renmin", "Jiefang", "Zhongshan", "Jianshe", "Heping", "Wenhua", "Xinhua", "Guangming"))
        return f"{road} {random.choice(('', 'East ', 'West ', 'North ', 'South '))}Road"
    road = random.choice(
        (
            "Oak",
            "Maple",
            "Cedar",
            "Park",
            "Lake",
            "Hill",
            "Mill",
            "Church",
            "Spring",
            "Washington",
            "Franklin",
        )
    )
    return f"{road} {random.choice(('Street', 'Avenue', 'Road', 'Place'))}"


def _chinese_description(place: AnyPlace, kind: int, city: str) -> str:
    match place:
        case Attraction():
            text = _SIGHTS[kind].chinese
        case Poi():
            text = _POIS[kind][3]
        case _:
            return ""
    return text.replace("{city}", city).replace("{district}", "本区")
