"""Texts of a library, a task and wordings, which can be written to a folder."""

from __future__ import annotations

from pathlib import Path

LIBRARY = """planspec: library/1
id: errands
types:
  Errand: parcel | keys | cake
tables:
  Shop: {name: text, opens: time?}
  Visit: {shop: Shop, errand: Errand, takes: duration, far: distance, quiet: bool = false}
given:
  guests: int
  budget: money?
  days: set of date
  start: moment?
  factor: decimal?
  late: bool = false
plan:
  stops: {errand: key Errand, shop: Shop}
constraints:
  cheap:
    hard: count(s for s in stops) <= guests
    message: too many
    says: there are at most {guests} stops
  open:
    for: v in Visit
    when: v.shop.opens is not none
    hard: any(s.shop == v.shop for s in stops)
    says: "{v.shop} is visited"
  world:
    hard: count(s for s in stops) < 10
    background: true
  often:
    soft: count(s for s in stops) > 1
minimize: count(s for s in stops)
"""
TASK = """planspec: task/1
id: town
uses: [errands]
currency: EUR
query: nothing yet
given:
  guests: 2
  budget: 855.00 EUR
  days: {2026-07-01, 2026-07-02}
  start: 2026-07-01 14:30
  factor: 1140.5
tables:
  Shop:
    rows:
      - {id: post, name: Main Post Office, opens: 09:00}
      - {id: smith, name: Brandt}
  Visit:
    rows:
      - {shop: post, errand: parcel, takes: 1h30min, far: 1250m, quiet: true}
      - {shop: smith, errand: keys, takes: 20min, far: 300m}
scope: {}
"""
WORDING = """planspec: wording/1
id: errands.{language}
language: {language}
uses: [errands]
words:
  Errand: {{parcel: the parcel, keys: {{is: the keys, of: of the keys}}, cake: the cake}}
given:
  guests: {{one: One guest comes., other: "{{guests}} guests come."}}
  budget: "Spend {{budget}}."
  days: "On {{days}}."
  start: "Begin at {{start}}."
  factor: "Times {{factor}}."
  late: "{{late | true: It may be late. | false: }}"
tables:
  Visit:
    each: "{{row.errand}} at {{row.shop}}{{row.shop.opens | none: | other: ', open from #'}} ({{row.takes}}, {{row.far}}{{row.quiet | true: ', quiet' | false: }})"
    text: {{one: "One thing: {{each}}.", other: "{{count}} things: {{each}}."}}
rules:
  often: Stop often.
  minimize: But stop little.
unsaid: [Shop]
"""


def write(folder: Path, **files: str) -> Path:
    """Write the library, its English wording and the task; return the task's path.

    Args:
        folder: folder of the files.
        files: further or changed files by name, with `_` for dots: `town_task=...` is `town.task.yaml`.
    """
    texts = {
        "errands_library": LIBRARY,
        "errands_en_wording": WORDING.format(language="en"),
        "town_task": TASK,
        **files,
    }
    for name, text in texts.items():
        (folder / f"{name.replace('_', '.')}.yaml").write_text(text, "utf-8")
    return folder / "town.task.yaml"
