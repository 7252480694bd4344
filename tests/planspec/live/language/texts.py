"""Documents in an editor: texts with a mark at the cursor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from planspec.live.language.answers import answer
from planspec.live.language.desk import EditorDesk, OpenDocument
from planspec.live.language.positions import edited, position_of, span_of
from tests.paths import ROOT

SAMPLE = (ROOT / "docs" / "sample.task.yaml").read_text(encoding="utf-8")
MARK = "¦"
LIBRARY = """\
planspec: library/1
id: walks
types:
  Mode: foot | bus  # how one goes
tables:
  Place: {label: text, price: money}
given:
  # the most that all may cost
  budget: money = 20 EUR
plan:
  visits: {place: key Place, mode: Mode?, cost: money}
define:
  total: sum(v.cost for v in visits)
constraints:
  purse: {hard: total <= budget}
"""
WORLD = """\
planspec: world/1
id: town
currency: EUR
uses: [walks]
tables:
  Place:
    rows:
      - {id: museum, label: the museum, price: 12 EUR}
      - {id: park, label: the park, price: 0 EUR}
"""
TASK = """\
planspec: task/1
id: day
query: The museum, for 15 EUR at most.
uses: [walks]
world: town
given:
  budget: 15 EUR
scope:
  visits:
    - {for: p in Place, place: p, mode: (m for m in Mode)?, cost: p.price, optional: true}
constraints:
  sees:
    hard: visits[museum] is not none
  walks:
    soft: all(v.mode == foot for v in visits)
reference:
  visits:
    - {place: museum, mode: foot, cost: 12 EUR}
"""


class Session:
    """Editor session: documents by name, answers by method of the protocol."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.desk = EditorDesk(folders=[folder])
        self.version = 0

    def open(self, name: str, text: str) -> OpenDocument:
        """Open a document or replace its text."""
        self.version += 1
        return self.desk.open((self.folder / name).as_uri(), text, self.version)

    def three(self) -> OpenDocument:
        """Open the library, world and task above, and return the task."""
        self.open("walks.library.yaml", LIBRARY)
        self.open("town.world.yaml", WORLD)
        return self.open("day.task.yaml", TASK)

    def ask(self, method: str, document: OpenDocument, words: str = "", behind: int = 0, **more: Any) -> Any:
        """Return the answer to a request at a number of characters after the beginning of words."""
        at = position_of(document.source, document.source.text.index(words) + behind)
        params = {
            "textDocument": {"uri": document.uri},
            "position": at,
            "range": {"start": at, "end": at},
            **more,
        }
        return answer(self.desk, f"textDocument/{method}", params)

    def at_mark(self, method: str, name: str, text: str) -> Any:
        """Return the answer to a request at the mark in a text; the document's text has no mark."""
        before, _, after = text.partition(MARK)
        document = self.open(name, before + after)
        at = position_of(document.source, len(before))
        return answer(
            self.desk, f"textDocument/{method}", {"textDocument": {"uri": document.uri}, "position": at}
        )

    def words(self, locations: Any) -> list[str]:
        """Return the texts at the locations of an answer."""
        texts = []
        for location in locations if isinstance(locations, list) else [locations]:
            document = next(x for x in self.desk.documents.values() if x.uri == location["uri"])
            texts.append(f"{document.path.name}: {span_of(document.source, location['range']).text}")
        return texts

    def after(self, edit: Any) -> dict[str, str]:
        """Return the texts of the documents that an edit changes."""
        return {
            self.desk.documents[uri].path.name: edited(self.desk.documents[uri].source, edits)
            for uri, edits in edit["changes"].items()
        }
