"""Phrases of pages, from the documents in `phrases/`, dealt so that a city repeats them as late as possible."""

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
    """Return a document of phrases, such as `menus`."""
    content: Mapping[str, Any] = yaml.load((PHRASES / f"{name}.yaml").read_text("utf-8"), Loader=_LOADER)  # noqa: S506 both loaders are safe
    return content


class PhraseDeck:
    """Deals the phrases of a bank in an order drawn from a seed.

    A bank is dealt to the end before a phrase is dealt again, so places with different turns get different
    phrases as long as the bank has enough.

    Args:
        seed: seed of the order, such as that of the pages with the city.
        turn: position of the page's place among those of the city, from 0.
    """

    def __init__(self, seed: str, turn: int) -> None:
        self._seed = seed
        self._turn = turn
        self._next: dict[str, int] = {}

    def deal(self, name: str, bank: Sequence[T], each: int = 1) -> T:
        """Return the next phrase of a bank.

        Args:
            name: name of the bank; equal names have equal orders.
            bank: the phrases.
            each: number of phrases that each page takes from the bank.
        """
        taken = self._next.get(name, 0)
        self._next[name] = taken + 1
        lap, position = divmod(self._turn * each + taken, len(bank))
        return bank[_order(self._seed, name, len(bank), lap)[position]]

    def every(self, step: int) -> PhraseDeck:
        """Return a deck for texts that only each `step`-th page has."""
        return PhraseDeck(self._seed, self._turn // step)


def article(place: Mapping[str, str]) -> str:
    """Return the English article before the name of a place, with a blank; empty if the name takes none."""
    return "the " if place["name"] in phrases("guides")["articles"] else ""


@cache
def _order(seed: str, name: str, count: int, lap: int) -> Sequence[int]:
    order = list(range(count))
    Random(f"{seed} {name} {lap}").shuffle(order)
    return order
