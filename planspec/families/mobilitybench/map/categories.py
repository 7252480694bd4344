"""Words that people use for the categories of places."""

from __future__ import annotations

WORDS: dict[str, tuple[str, ...]] = {
    "restaurant": (
        "餐厅",
        "餐馆",
        "饭馆",
        "美食",
        "restaurants",
        "food",
        "レストラン",
        "gaststätte",
        "gaststätten",
    ),
    "cafe": ("咖啡店", "咖啡厅", "咖啡馆", "coffee shop", "café", "cafes", "カフェ", "cafés"),
    "hotel": ("酒店", "宾馆", "旅馆", "住宿", "hotels", "ホテル", "unterkunft"),
    "supermarket": (
        "超市",
        "便利店",
        "supermarkets",
        "grocery store",
        "convenience store",
        "スーパー",
        "supermarkt",
        "supermärkte",
    ),
    "mall": (
        "商场",
        "购物中心",
        "shopping mall",
        "shopping centre",
        "malls",
        "デパート",
        "einkaufszentrum",
        "einkaufszentren",
        "ショッピングモール",
    ),
    "pharmacy": ("药店", "药房", "pharmacies", "chemist", "drugstore", "薬局", "apotheke", "apotheken"),
    "hospital": ("医院", "hospitals", "病院", "krankenhaus", "krankenhäuser"),
    "school": ("学校", "schools", "university", "大学", "schule", "schulen"),
    "bank": ("银行", "banks", "银行网点", "銀行", "banken"),
    "parking": (
        "停车场",
        "车库",
        "parking lot",
        "car park",
        "parking lots",
        "駐車場",
        "parkplatz",
        "parkhaus",
        "parkplätze",
    ),
    "charging": (
        "充电站",
        "充电桩",
        "ev charging station",
        "charging station",
        "充電スタンド",
        "ladestation",
        "ladestationen",
    ),
    "fuel": (
        "加油站",
        "gas station",
        "petrol station",
        "gas stations",
        "ガソリンスタンド",
        "tankstelle",
        "tankstellen",
    ),
    "museum": ("博物馆", "美术馆", "museums", "gallery", "博物館", "美術館", "museen"),
    "sports": (
        "体育馆",
        "足球场",
        "stadium",
        "gym",
        "sports centre",
        "体育館",
        "sporthalle",
        "sporthallen",
        "stadion",
    ),
    "cinema": ("电影院", "影院", "movie theater", "cinemas", "映画館", "kino", "kinos"),
    "toilet": (
        "厕所",
        "公共厕所",
        "洗手间",
        "restroom",
        "restrooms",
        "toilets",
        "トイレ",
        "toilette",
        "toiletten",
    ),
    "police": ("派出所", "警察局", "police station", "交番", "polizei", "polizeiwache", "polizeiwachen"),
    "park": ("公园", "parks", "公園", "grünanlage"),
    "railway_station": (
        "火车站",
        "railway station",
        "train station",
        "駅",
        "hauptbahnhof",
        "bahnhof",
        "bahnhöfe",
    ),
    "airport": ("机场", "airports", "空港", "flughafen"),
    "sight": (
        "景点",
        "景区",
        "旅游景点",
        "sights",
        "tourist attraction",
        "attractions",
        "観光地",
        "sehenswürdigkeit",
    ),
    "city": ("城市", "市区", "towns", "city centre", "市街地", "stadt"),
    "metro_station": ("地铁站", "metro station", "subway station", "地下鉄駅", "u-bahnhof", "u-bahnhöfe"),
}
"""Words for each category besides its key, in four languages and in lower case."""


def category_of(word: str) -> str | None:
    """Return the category for a word in any of the languages, or None if there is none."""
    folded = word.strip().casefold()
    for category, words in WORDS.items():
        if folded in words or folded == category.replace("_", " ") or folded == category:
            return category
    return None
