"""Caches attached to a task, a plan or shared documents, with typed keys and values for each kind of result."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Kind(Generic[K, V]):
    """A kind of cached results, declared by the module that computes them. Kinds are compared by identity.

    Args:
        name: description of the results.
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<Kind: {self.name}>"


class Memory:
    """Cached results by kind. Only the module that declares a kind reads and fills its dictionary."""

    __slots__ = ("_results",)

    def __init__(self) -> None:
        self._results: dict[Kind[Any, Any], dict[Any, Any]] = {}  # the types of keys and values depend on the kind

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle an empty memory, because results can be recomputed."""
        return Memory, ()

    def of(self, kind: Kind[K, V]) -> dict[K, V]:
        """Return the dictionary with the cached results of a kind, by key. The caller may add results."""
        results: dict[K, V] | None = self._results.get(kind)
        if results is None:
            results = self._results[kind] = {}
        return results

    def sharing(self, *kinds: Kind[Any, Any]) -> Memory:
        """Return a new memory that has the dictionaries of these kinds in common with this one."""
        memory = Memory()
        memory._results = {kind: self.of(kind) for kind in kinds}
        return memory

    def __bool__(self) -> bool:
        """Return whether any result is stored."""
        return any(self._results.values())
