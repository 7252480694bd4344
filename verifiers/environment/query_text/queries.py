"""The queries of a conversation, with the values mentioned in them and the passages that the author quotes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model.environment import Tell
from planspec.dsl.model.task import Task
from planspec.verifiers.environment.query_text.document_places import DocumentPlaces
from planspec.verifiers.environment.query_text.marked_text import plain
from planspec.verifiers.environment.query_text.mention import Mention
from planspec.verifiers.environment.query_text.mentions import mentions
from planspec.verifiers.environment.query_text.names import folded


@dataclass(frozen=True, slots=True)
class QueryPart:
    """A part of one query of the conversation.

    Attributes:
        query: position of the query, from 0.
        start: offset of its first character.
        end: offset after its last character.
    """

    query: int
    start: int
    end: int

    def contains(self, other: QueryPart) -> bool:
        """Return whether another part is within this one."""
        return self.query == other.query and self.start <= other.start and other.end <= self.end

    def overlaps(self, other: QueryPart) -> bool:
        """Return whether another part has a character in common with this one."""
        return self.query == other.query and self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class PlacedMention:
    """A mention with its position in the conversation."""

    part: QueryPart
    mention: Mention


class Queries:
    """The queries of a conversation up to the task's turn.

    Args:
        task: the task.
        places: positions of the task's parts in its document.

    Attributes:
        texts: the queries in order.
    """

    def __init__(self, task: Task, places: DocumentPlaces) -> None:
        self.texts = task.conversation
        self._places = places

    @cached_property
    def mentions(self) -> tuple[PlacedMention, ...]:
        """All mentions of amounts, times and dates in the queries, in order."""
        return tuple(
            PlacedMention(QueryPart(number, mention.start, mention.end), mention)
            for number, text in enumerate(self.texts)
            for mention in mentions(text)
        )

    @cached_property
    def plain(self) -> str:
        """All queries as one text in lower case, for word searches."""
        return "\n".join(plain(text) for text in self.texts)

    @cached_property
    def folded(self) -> str:
        """All queries as one text, normalized for name searches."""
        return "\n".join(folded(text) for text in self.texts)

    def folded_without(self, parts: Iterable[QueryPart]) -> str:
        """Return all queries as one text without some parts, normalized for name searches."""
        texts = [list(text) for text in self.texts]
        for part in parts:
            texts[part.query][part.start : part.end] = "\n" * (part.end - part.start)
        return "\n".join(" ".join(map(folded, "".join(text).split("\n"))) for text in texts)

    def passage(self, claim: Tell) -> QueryPart | None:
        """Return the last part of the queries with the words that a claim (an entry under `tells:`) quotes.

        Case and amounts of white space are ignored. Return None if the claim quotes no words, or if the queries do not
        contain them.
        """
        if claim.passage is None:
            return None
        words = claim.passage.casefold().split()
        for number in reversed(range(len(self.texts))):
            for start, end in _occurrences(self.texts[number], words):
                return QueryPart(number, start, end)
        return None

    def text(self, part: QueryPart) -> str:
        """Return the words of a part, on one line."""
        return " ".join(self.texts[part.query][part.start : part.end].split())

    def span(self, part: QueryPart) -> Span:
        """Return the position of a part in the document."""
        return self._places.in_query(part.query, part.start, part.end)


def _occurrences(text: str, words: list[str]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each occurrence of consecutive words, ignoring case and amounts of white space."""
    lower = text.casefold()
    if len(lower) != len(text) or not words:
        lower = "".join(c.casefold() if len(c.casefold()) == 1 else c for c in text)
    at = lower.find(words[0]) if words else -1
    while at != -1:
        end = _end_of_words(lower, at, words)
        if end is not None:
            yield at, end
        at = lower.find(words[0], at + 1)


def _end_of_words(text: str, at: int, words: list[str]) -> int | None:
    """Return the offset after the words if the text has them from offset `at` on; otherwise None."""
    for word in words:
        while at < len(text) and text[at].isspace():
            at += 1
        if not text.startswith(word, at):
            return None
        at += len(word)
    return at
