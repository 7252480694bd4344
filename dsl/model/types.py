"""Types and units, tables and columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from planspec.dsl.model.rows import Row


class ScalarType(Enum):
    """The built-in types without parts; each but bool, decimal and text is an integer inside.

    Units inside: time and duration in minutes, date in days (proleptic ordinal), moment in minutes since
    day 0, money in minor units of the world's currency, distance in metres.
    """

    BOOL = "bool"
    INT = "int"
    DECIMAL = "decimal"
    TEXT = "text"
    DATE = "date"
    TIME = "time"
    MOMENT = "moment"
    DURATION = "duration"
    MONEY = "money"
    DISTANCE = "distance"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class EnumType:
    """A named enum; its values at run time are the members' names."""

    name: str
    members: tuple[str, ...] = field(compare=False)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class RowType:
    """A reference to a row of a table, static or plan."""

    table: str

    def __str__(self) -> str:
        return self.table


@dataclass(frozen=True, slots=True)
class SetType:
    """A set: ordered, without repetition; a tuple at run time."""

    item: Type

    def __str__(self) -> str:
        return f"set of {self.item}"


@dataclass(frozen=True, slots=True)
class ListType:
    """A list (of a given only); a tuple at run time."""

    item: Type

    def __str__(self) -> str:
        return f"list of {self.item}"


@dataclass(frozen=True, slots=True)
class ScaledType:
    """A unit times a decimal: an exact fraction of the unit, for comparisons and objectives only."""

    unit: ScalarType

    def __str__(self) -> str:
        return f"{self.unit} times a decimal"


class Special(Enum):
    """Types that no author can write."""

    NONE = "none"  # of the literal `none`, before its place says what kind of none
    EMPTY = "an empty set"  # of `{}`, likewise
    UNIT_ZERO = "0"  # of the literal `0`, which has every unit
    WRONG = "a mistake"  # of an expression with an error in it: silences follow-ups

    def __str__(self) -> str:
        return self.value


Type: TypeAlias = ScalarType | EnumType | RowType | SetType | ListType | ScaledType | Special

NUMERIC_UNITS = frozenset({ScalarType.INT, ScalarType.DURATION, ScalarType.MONEY, ScalarType.DISTANCE})
"""Types with U + U -> U and a natural zero."""
ORDERED = frozenset(ScalarType) - {ScalarType.BOOL, ScalarType.TEXT}
"""Types with < and <=."""
INTEGRAL = ORDERED - {ScalarType.DECIMAL}
"""Types that are one integer inside."""


class Stage(Enum):
    """When a value is known: STATIC mentions no plan table; PLANNED does.

    Whether a planned expression is tabular (few enough cells in the scope to be tabulated) is a question
    about a task, not about its text; the lowering decides and reports it.
    """

    STATIC = "static"
    PLANNED = "planned"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    `default` is the column's value where a row leaves it out; only meaningful if `has_default`.
    """

    name: str
    type: Type
    optional: bool = False
    key: bool = False
    has_default: bool = False
    default: Any = None  # a run-time value of `type`


@dataclass(slots=True, eq=False)
class Table:
    """A table's schema, which many tasks may share; the rows of a static one are a task's `facts`.

    `columns` holds declared columns in order, an implied `id` first where there is one. `key` names the
    key columns in order, empty for a bag.
    """

    name: str
    columns: dict[str, Column]
    key: tuple[str, ...]
    plan: bool = False
    one: bool = False
    row_class: type[Row] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Goes to another process without the class of its rows, which is made there."""
        return Table, (self.name, self.columns, self.key, self.plan, self.one)

    @property
    def type(self) -> RowType:
        """The type of a reference to one of its rows."""
        return RowType(self.name)
