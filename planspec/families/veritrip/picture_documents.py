"""Assignment of a corpus's pictures to its documents."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from planspec.families.veritrip.corpus import Corpus
from planspec.families.veritrip.facts import AnyPlace


@dataclass(frozen=True, slots=True)
class PictureDocuments:
    """For each place, the documents about it. Documents about fewer places come first.

    Attributes:
        of_places: ids of the documents on each place, by city and name.
    """

    of_places: Mapping[tuple[str, str], tuple[int, ...]]

    def document_of(self, place: AnyPlace, number: int) -> int | None:
        """Return the id of the document with a picture of a place, or None if no document is about the place.

        The pictures of a place are spread over its documents.

        Args:
            place: place that the picture shows.
            number: number of the picture among the place's pictures, from 1.
        """
        documents = self.of_places.get((place.city, place.name))
        return documents[(number - 1) % len(documents)] if documents else None


def picture_documents(corpus: Corpus) -> PictureDocuments:
    """Return the documents that may contain pictures of each place.

    Such documents make a statement on the place and are not misleading. A page on a single place comes before
    a list of several.
    """
    places = Counter[int]()
    by_place: dict[tuple[str, str], dict[int, None]] = defaultdict(dict)
    honest = {document.id for document in corpus.documents if document.kind != "misleading"}
    seen: set[tuple[int, str, str]] = set()
    for statement in corpus.statements:
        if statement.document in honest and (statement.document, statement.city, statement.subject) not in seen:
            seen.add((statement.document, statement.city, statement.subject))
            places[statement.document] += 1
            by_place[statement.city, statement.subject][statement.document] = None
    return PictureDocuments(
        {place: tuple(sorted(documents, key=lambda one: (places[one], one))) for place, documents in by_place.items()}
    )
