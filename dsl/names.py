"""What the names of a task mean: one flat space of givens, definitions, tables, types and builtins."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from planspec.dsl.builtins import BUILTINS
from planspec.dsl.diagnostics import Label, Report
from planspec.dsl.source import Span
from planspec.dsl.syntax import SignatureTree, Tree
from planspec.dsl.tree import Definition, Given
from planspec.dsl.types import EnumType, Scalar, Table, Type

SCALARS = {scalar.value: scalar for scalar in Scalar}


@dataclass(slots=True, eq=False)
class Pending:
    """A definition whose body may not be checked yet.

    `body` None: its text could not be parsed, and its uses are not to be blamed.
    """

    definition: Definition
    signature: SignatureTree
    body: Tree | None
    message: object = None
    state: str = "new"  # "new", "open" (being checked), "done"


@dataclass(slots=True, eq=False)
class Names:
    """The names of one document with all that it uses.

    Attributes:
        rows_known: tables have their rows (a task or world), so a row's key can be checked.
        used: names that something referred to.
    """

    enums: dict[str, EnumType] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    givens: dict[str, Given] = field(default_factory=dict)
    definitions: dict[str, Pending] = field(default_factory=dict)
    places: dict[str, tuple[str, Span]] = field(default_factory=dict)  # name -> (what it is, where)
    currency: str | None = None
    currency_known: bool = False
    rows_known: bool = False
    used: set[str] = field(default_factory=set)

    def declare(self, name: str, what: str, span: Span, report: Report) -> bool:
        """Claim a name of the flat space; False (and a report) if it is taken."""
        if name in BUILTINS or name in SCALARS:
            kind = "a builtin" if name in BUILTINS else "a type"
            report.error("PS202", f"the name `{name}` is taken", span, f"{kind} has this name")
            return False
        if name in self.places:
            other, where = self.places[name]
            report.error(
                "PS202", f"the name `{name}` is taken", span, f"{what} of the same name",
                secondary=[Label(where, f"{other} of this name")],
            )  # fmt: skip
            return False
        self.places[name] = (what, span)
        return True

    def type_named(self, name: str) -> Type | None:
        """The type of that name: built in, an enum, or a table (a reference to a row of it)."""
        if name in SCALARS:
            return SCALARS[name]
        if name in self.enums:
            self.used.add(name)
            return self.enums[name]
        if name in self.tables:
            self.used.add(name)
            return self.tables[name].type
        return None

    def values(self) -> list[str]:
        """Names that may stand as a value or collection."""
        return [*self.givens, *self.definitions, *self.tables, *self.enums]


def suggestion(name: str, candidates: Iterable[str]) -> str | None:
    """The most similar candidate, if its similarity is above 0.6."""
    from rapidfuzz import process, utils  # only where something is wrong already
    from rapidfuzz.distance import Indel

    found = process.extractOne(
        name, list(candidates), scorer=Indel.normalized_similarity, processor=utils.default_process, score_cutoff=0.601
    )
    return found[0] if found else None


def did_you_mean(name: str, candidates: Iterable[str]) -> str | None:
    """The help text for a near miss."""
    best = suggestion(name, candidates)
    return f"did you mean `{best}`?" if best else None
