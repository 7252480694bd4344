"""A task about a small town, whose environment uses every part of the language."""

from __future__ import annotations

from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.task import Task

TEXT = """\
planspec: task/1
id: harbour
query: A room, please.
currency: EUR
types:
  Room: whole | part
  Mode: own_car | taxi
tables:
  City:
    columns: {name: text}
    rows: [{id: north, name: Northport}, {id: lake, name: Lakewell}, {id: sand, name: Sandby}, {id: other, name: Sandby}]
  Hotel:
    columns:
      name: text
      city: City
      rate: money
      room: Room
      stars: int?
      plain: bool = true
      tags: set of Room = {}
    rows:
      - {id: inn, name: Harbour Inn, city: north, rate: 90 EUR, room: whole, stars: 4, tags: [part, whole]}
      - {id: door, name: Blue Door, city: north, rate: 60.50 EUR, room: part}
      - {id: attic, name: Old Attic, city: north, rate: 60.50 EUR, room: part, stars: 2}
      - {id: cellar, name: Cellar, city: north, rate: 10 EUR, room: part, plain: false}
  Road:
    columns: {a: key City, b: key City, time: duration, length: distance}
    rows: [{a: north, b: lake, time: 2h, length: 120km}, {a: lake, b: north, time: 25h, length: 120km}]
  Stop:
    columns: {city: City?, hotel: Hotel?}
    rows: [{id: s1, city: north}, {id: s2, hotel: inn}, {id: s3}]
given: {most: 80 EUR, trip: [2026-07-01, 2026-07-02], half: 0.5}
plan:
  stay: {one: true, hotel: Hotel, night: date}
scope:
  stay: {hotel: Hotel, night: (d for d in trip)}
define:
  far(x City, y City): Road[x, y].time ?? 24h
constraints:
  purse: {hard: stay.hotel.rate <= most and half < 1.0}
environment:
  hidden: [Hotel.plain]
  shapes:
    hotel(h Hotel):
      name: h
      room: ("Entire home" if h.room == whole else "Part of one")
      rate: amount(h.rate)
    ends(x City, y City): {ends: {text: "{x} to {y}"}, currency: currency}
  shows:
    Hotel: all
    asked: [most, trip]
    rates:
      for: c in City
      title: "Hotels in {c}"
      each: h in Hotel if h.city == c and h.plain
      sort: h.rate, h.name desc
      as: hotel(h)
      format: csv
      empty: {say: none}
    note: {when: most > 500 EUR, text: You are rich.}
    words: {text: "Spend no more than {most}."}
    lines: {each: c in City, as: {text: "- {c}"}, format: text}
  tools:
    hotels:
      doc: Hotels of a city.
      params:
        city: City
        most: {type: money?, doc: at most so much}
        rooms:
          type: set of Room
          default: {whole, part}
      returns:
        city: arg.city
        hotels:
          each: >-
            h in Hotel if h.city == arg.city and h.plain and h.room in arg.rooms and (arg.most is none or h.rate <= arg.most)
          sort: h.rate desc, h
          limit: 2
          as: hotel(h)
          empty: {say: "{arg.city} has no such hotel"}
    way:
      params:
        from: City
        to: {type: City, noun: town}
        mode: {type: Mode, one_of: {self-driving: own_car, taxi: taxi}}
      refuse:
        - {if: arg.from == arg.to, code: invalid-arguments, say: both ends are the same}
        - if: far(arg.from, arg.to) >= 24h
          say: no way
      returns:
        minutes: far(arg.from, arg.to) // 1min
        length: >-
          Road[arg.from, arg.to].length
        days:
          each:
            - d in trip
            - d in {2026-06-05, 2026-07-01}
          by: d
          as: {text: "on {d}"}
        "+": ends(arg.from, arg.to)
    stars:
      params: {hotel: {type: Hotel, where: arg.hotel.rate > 20 EUR, told: true}}
      returns:
        id: key(arg.hotel)
        stars: arg.hotel.stars
        known: {when: arg.hotel.stars is not none, make: {stars: arg.hotel.stars, many: arg.hotel.stars > 3}}
        said: {when: arg.hotel.stars is not none, text: "{arg.hotel.stars} stars", else: none}
        tags: arg.hotel.tags
        by_room:
          each: h in Hotel if h.plain
          by: h.room, h
          as: {fields: {when: h.stars, text: amount(h.rate)}}
        worst: {each: h in Hotel if h.plain, sort: h.stars, as: h.name}
        best: {each: h in Hotel if h.plain, sort: h.stars desc, as: h.name}
    stop:
      params:
        stop:
          type: Stop
          called: arg.stop.city, arg.stop.hotel
      returns: {stop: key(arg.stop)}
    numbers:
      params: {n: int, share: {type: decimal, default: 0.25}, day: {type: date, where: arg.day in trip}, at: time?, ways: list of City}
      returns: {n: arg.n, twice: 2 * arg.n, share: arg.share, day: arg.day, at: arg.at, ways: {each: c in arg.ways, as: c}}
  settings:
    tools: {shows: [asked], tools: all, calls: 3, brief: Use the tools.}
    gold: {tools: none, brief: All is given.}
"""


def harbour(text: str = TEXT) -> Task:
    """Load a task from its text, by default the text of the small town."""
    return task_from_text(text, "harbour.task.yaml")
