"""Texts of documents, and an editor session for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from planspec.live.language.editor import EditorState, OpenDocument
from planspec.live.language.positions import apply_edits, position_of, span_of
from planspec.live.language.requests import handle_request
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
    """Editor session, in which documents are opened by name and requests are sent about them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.editor = EditorState(folders=[folder])
        self.version = 0

    def open(self, name: str, text: str) -> OpenDocument:
        """Open a document or replace its text."""
        self.version += 1
        return self.editor.open((self.folder / name).as_uri(), text, self.version)

    def open_all_three(self) -> OpenDocument:
        """Open the library, the world and the task of this module, and return the opened task."""
        self.open("walks.library.yaml", LIBRARY)
        self.open("town.world.yaml", WORLD)
        return self.open("day.task.yaml", TASK)

    def request(self, method: str, document: OpenDocument, words: str = "", shift: int = 0, **more: Any) -> Any:
        """Return the result of a request, made `shift` characters after the first occurrence of `words`."""
        at = position_of(document.source, document.source.text.index(words) + shift)
        params = {
            "textDocument": {"uri": document.uri},
            "position": at,
            "range": {"start": at, "end": at},
            **more,
        }
        return handle_request(self.editor, f"textDocument/{method}", params)

    def request_at_mark(self, method: str, name: str, text: str) -> Any:
        """Remove the mark from a text, open the text, and return the result of a request at the mark's position."""
        before, _, after = text.partition(MARK)
        document = self.open(name, before + after)
        at = position_of(document.source, len(before))
        return handle_request(
            self.editor, f"textDocument/{method}", {"textDocument": {"uri": document.uri}, "position": at}
        )

    def texts_at(self, locations: Any) -> list[str]:
        """Return the name of the document and the text at each location."""
        texts = []
        for location in locations if isinstance(locations, list) else [locations]:
            document = next(x for x in self.editor.documents.values() if x.uri == location["uri"])
            texts.append(f"{document.path.name}: {span_of(document.source, location['range']).text}")
        return texts

    def texts_after(self, edit: Any) -> dict[str, str]:
        """Return the texts of the documents that an edit changes, after the edit, by file name."""
        return {
            self.editor.documents[uri].path.name: apply_edits(self.editor.documents[uri].source, edits)
            for uri, edits in edit["changes"].items()
        }
