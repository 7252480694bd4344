"""Documents that contain the pictures of a corpus."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from planspec.families.veritrip.corpus import Corpus
from planspec.families.veritrip.facts import AnyPlace


@dataclass(frozen=True, slots=True)
class PictureDocuments:
    """Documents on each place, those about the fewest other places first.

    Attributes:
        of_places: document ids by city and name.
    """

    of_places: Mapping[tuple[str, str], tuple[int, ...]]

    def of(self, place: AnyPlace, number: int) -> int | None:
        """Return the document of a picture of a place, or None if no document is about it.

        Further pictures of the place are assigned to further documents.
        """
        documents = self.of_places.get((place.city, place.name))
        return documents[(number - 1) % len(documents)] if documents else None


def picture_documents(corpus: Corpus) -> PictureDocuments:
    """Return the documents that may show each place: honest ones with a statement on it.

    A page on the place alone goes before a list of many places.
    """
    places = Counter[int]()
    by_place: dict[tuple[str, str], dict[int, None]] = defaultdict(dict)
    honest = {document.id for document in corpus.documents if document.kind != "misleading"}
    seen: set[tuple[int, str, str]] = set()
    for statement in corpus.statements:
        if (
            statement.document in honest
            and (statement.document, statement.city, statement.subject) not in seen
        ):
            seen.add((statement.document, statement.city, statement.subject))
            places[statement.document] += 1
            by_place[statement.city, statement.subject][statement.document] = None
    return PictureDocuments(
        {
            place: tuple(sorted(documents, key=lambda one: (places[one], one)))
            for place, documents in by_place.items()
        }
    )
