"""Results that are kept with a task, with a plan, or for all tasks that use the same, each kind by keys and values of its own types."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Kind(Generic[K, V]):
    """One kind of results, declared by the module that works them out; told from other kinds by identity.

    Args:
        name: what the results are.
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<Kind: {self.name}>"


class Memory:
    """Results by their kind. Who has a kind reads and fills the dictionary of it, and no other."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: dict[Kind[Any, Any], dict[Any, Any]] = {}  # each of the types of its kind

    def __reduce__(self) -> tuple[Any, ...]:
        """Goes to another process empty: what is kept can be worked out again."""
        return Memory, ()

    def of(self, kind: Kind[K, V]) -> dict[K, V]:
        """The results of a kind, which the caller adds to."""
        found: dict[K, V] | None = self._kept.get(kind)
        if found is None:
            found = self._kept[kind] = {}
        return found

    def sharing(self, *kinds: Kind[Any, Any]) -> Memory:
        """A memory that has these kinds in common with this one, and nothing else."""
        made = Memory()
        made._kept = {kind: self.of(kind) for kind in kinds}
        return made

    def __bool__(self) -> bool:
        """Something was kept."""
        return any(self._kept.values())
