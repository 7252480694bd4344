"""Files of a test town with five places and two hotels, in the form in which authors write cities."""

from __future__ import annotations

from pathlib import Path

FILES = {
    "city.yaml": """id: town
name: Littleton
full: "Littleton, Nowhere"
currency: EUR
first: 2026-07-01
days: 14
bus: 3.00 EUR
taxi: {flag: 4.00 EUR, km: [[2, 3.00 EUR], [null, 2.00 EUR]]}
gaps:
  - {from: mill, to: inn, mode: foot, lacks: time}
closed:
  - {place: mill, date: 2026-07-03}
  - {place: tower, date: 2026-07-04, hours: ["14:00-20:00"]}
""",
    "place.csv": """id,name,kind,area,composite,about,lat,lon
mill,The Mill,attraction,North,false,"An old water mill whose wheel still turns.",52.0000,13.0000
tower,The Tower,attraction,North,false,"A stone tower with a view over the lake.",52.0000,13.0100
lake,Swan Lake,attraction,South,false,"A lake with rowing boats.",52.0100,13.0000
inn,The Inn,restaurant,North,false,"Plain cooking.",52.0000,13.0050
bar,The Bar,restaurant,South,false,"Small dishes.",52.0050,13.0000
""",
    "hotel.csv": """id,name,area,stars,rate,features,about,lat,lon
oak,Hotel Oak,North,3,80.00 EUR,breakfast,"Oak beams.",52.0010,13.0000
elm,Hotel Elm,South,4,120.00 EUR,breakfast; spa,"By the lake.",52.0110,13.0000
""",
    "offer.csv": """id,place,name,booked,ahead,guided,show,length
mill_ticket,mill,Ticket,true,0min,false,,
tower_queue,tower,From the counter,true,30min,false,,
tower_fast,tower,Without queueing,true,5min,false,,
lake_boat,lake,Rowing boat,false,0min,false,,
inn_table,inn,Table,true,0min,false,,
bar_table,bar,Table,true,0min,false,,
""",
    "fare.csv": """offer,name,price,from_age,to_age,eu,student
mill_ticket,Adult,10.00 EUR,,,,
mill_ticket,Child,4.00 EUR,,15,,
tower_queue,All,6.00 EUR,,,,
tower_fast,All,9.00 EUR,,,,
lake_boat,All,5.00 EUR,,,,
""",
    "menu.csv": """place,course,price
inn,a_la_carte,20.00 EUR
inn,set_menu,30.00 EUR
bar,a_la_carte,15.00 EUR
""",
    "dwell.csv": "place,style,profile,least,most\n"
    + "".join(
        f"{place},{style},{profile},{least},{most}\n"
        for place, styles in {
            "mill": [("brief", "30min", "40min"), ("standard", "1h", "1h15min"), ("deep", "2h", "2h")],
            "tower": [("brief", "20min", "20min"), ("standard", "45min", "1h"), ("deep", "1h30min", "2h")],
            "lake": [("brief", "30min", "30min"), ("standard", "1h", "1h"), ("deep", "2h", "3h")],
            "inn": [("standard", "1h", "1h30min")],
            "bar": [("standard", "1h", "1h15min")],
        }.items()
        for style, least, most in styles
        for profile in ("adults", "family", "seniors")
    ),
    "hours.csv": """place,days,open,close
mill,mon-sun,09:00,18:00
tower,tue-sun,10:00,20:00
lake,mon-sun,08:00,20:00
inn,mon-sun,12:00,15:00
inn,mon-sun,17:30,23:00
bar,mon-sun,12:00,23:00
""",
    "starts.csv": """offer,days,first,last,every,places,language
mill_ticket,mon-sun,09:00,16:30,30min,8,
tower_queue,mon-sun,10:00,18:30,30min,8,
tower_fast,mon-sun,10:15,18:15,1h,8,
lake_boat,mon-sun,08:00,18:00,1h,99,
inn_table,mon-sun,12:00,13:30,30min,8,
inn_table,mon-sun,17:30,21:00,30min,8,
bar_table,mon-sun,12:00,13:30,30min,8,
bar_table,mon-sun,18:00,21:00,30min,8,
""",
    "scenarios.yaml": """places:
  mill:
    named: ["the Mill", "the old Mill"]
    hinted: ["the wheel that the brook still turns", "where flour was ground"]
    wishes:
      - {say: ["at an ordinary pace", "for the usual time"]}
      - {style: deep, say: ["in depth", "with hours to spare"]}
      - {style: brief, say: ["for a quick look", "in passing"]}
  tower:
    named: ["the Tower", "that Tower of stone"]
    hinted: ["the view over the water from above", "the highest spot in town"]
    wishes:
      - {say: ["at leisure", "as people normally do"]}
      - {patience: 10min, say: ["without a long queue", "if nobody has to wait more than ten minutes"]}
  lake:
    named: ["Swan Lake", "the lake"]
    hinted: ["the rowing boats", "a hire of oars"]
    wishes:
      - {say: ["for one hour of rowing", "for a common round"]}
      - {style: brief, say: ["only briefly", "for half a round"]}
  inn:
    named: ["the Inn", "dinner or lunch at the Inn"]
    hinted: ["plain cooking", "the honest kitchen"]
    wishes:
      - {meal: lunch, say: ["at lunchtime", "in the middle of the day"]}
      - {meal: dinner, course: set_menu, say: ["in the evening, the set menu", "for a fixed menu at night"]}
  bar:
    named: ["the Bar", "a table at the Bar"]
    hinted: ["small dishes", "something to share"]
    wishes:
      - {meal: lunch, say: ["for lunch", "around noon"]}
      - {meal: dinner, say: ["for dinner", "when it is dark"]}
parties:
  - {travellers: [{age: 34}, {age: 36}], say: ["two friends of 34 and 36", "a pair aged thirty-four and thirty-six"]}
  - {travellers: [{age: 71}], say: ["one lady of 71", "a widower aged seventy-one"]}
  - {travellers: [{age: 41}, {age: 39}, {age: 9}], say: ["a couple, 41 and 39, with a boy of 9", "three of a family: forty-one, thirty-nine, nine"]}
stays:
  - {say: ["the cheapest bed there is", "whatever costs least"]}
  - {features: [spa], say: ["a hotel with a spa", "a house where one can take the waters"]}
cores:
  - {id: north, title: "Mill, tower and a meal", places: [mill, tower, inn, bar]}
  - {id: lake, title: "A day by the lake", places: [lake, mill, tower, bar, inn]}
""",
}


def write_town(folder: Path, **changed: str) -> Path:
    """Write the files of the town to a folder, and return it.

    Args:
        folder: folder to create.
        changed: texts of changed files. Keywords are file names with `_` instead of the dot.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in FILES.items():
        (folder / name).write_text(changed.get(name.replace(".", "_"), text), "utf-8")
    return folder
