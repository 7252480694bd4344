"""Phrases for pages, from the YAML files in `phrases/`, chosen so that a city repeats them as late as possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any, TypeVar

import yaml

T = TypeVar("T")
PHRASES = files("planspec.families.worldtravel.webscape") / "phrases"
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@cache
def phrases(name: str) -> Mapping[str, Any]:
    """Return the content of a YAML file of phrases, such as `menus`."""
    content: Mapping[str, Any] = yaml.load((PHRASES / f"{name}.yaml").read_text("utf-8"), Loader=_LOADER)  # noqa: S506 `_LOADER` is one of the safe loaders
    return content


class PhraseDeck:
    """Phrases for the pages of one place, in an order drawn from a seed, like cards from a deck.

    Every phrase of a list is used once before any is used again. Places of a city with different turns therefore get
    different phrases, as long as the list has enough.

    Args:
        seed: seed of the order. The pages of a city that share phrases have the same seed.
        turn: index of the place among the city's places.
    """

    def __init__(self, seed: str, turn: int) -> None:
        self._seed = seed
        self._turn = turn
        self._next: dict[str, int] = {}

    def deal(self, name: str, bank: Sequence[T], each: int = 1) -> T:
        """Return the next phrase from a list of phrases (`bank`).

        Args:
            name: name of the bank. It determines the order, together with the seed.
            bank: the phrases.
            each: number of phrases that every page takes from the bank.
        """
        dealt_count = self._next.get(name, 0)
        self._next[name] = dealt_count + 1
        lap, position = divmod(self._turn * each + dealt_count, len(bank))
        return bank[_order(self._seed, name, len(bank), lap)[position]]

    def every(self, step: int) -> PhraseDeck:
        """Return a deck (source of phrases) for texts that only one in `step` pages has."""
        return PhraseDeck(self._seed, self._turn // step)


def article(place: Mapping[str, str]) -> str:
    """Return the English article before the name of a place, followed by a blank; empty if the name has no article."""
    return "the " if place["name"] in phrases("guides")["articles"] else ""


@cache
def _order(seed: str, name: str, count: int, lap: int) -> Sequence[int]:
    order = list(range(count))
    Random(f"{seed} {name} {lap}").shuffle(order)
    return order
