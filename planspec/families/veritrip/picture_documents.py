"""The documents in which the pictures of a corpus stand."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from planspec.families.veritrip.corpus import Corpus
from planspec.families.veritrip.facts import AnyPlace


@dataclass(frozen=True, slots=True)
class PictureDocuments:
    """The documents on each place, those that tell least of others first.

    Attributes:
        of_places: by city and name.
    """

    of_places: Mapping[tuple[str, str], tuple[int, ...]]

    def of(self, place: AnyPlace, number: int) -> int | None:
        """The document of a picture of a place; further pictures stand in further documents. None if nothing tells of the place."""
        found = self.of_places.get((place.city, place.name))
        return found[(number - 1) % len(found)] if found else None


def picture_documents(corpus: Corpus) -> PictureDocuments:
    """Which documents may show which places: each that states something of them and does not mislead.

    A page on the place alone goes before a list of many places.
    """
    places = Counter[int]()
    told: dict[tuple[str, str], dict[int, None]] = defaultdict(dict)
    honest = {document.id for document in corpus.documents if document.kind != "misleading"}
    known: set[tuple[int, str, str]] = set()
    for said in corpus.statements:
        if said.document in honest and (said.document, said.city, said.subject) not in known:
            known.add((said.document, said.city, said.subject))
            places[said.document] += 1
            told[said.city, said.subject][said.document] = None
    return PictureDocuments(
        {place: tuple(sorted(found, key=lambda one: (places[one], one))) for place, found in told.items()}
    )
