"""Types and units, tables and columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from planspec.dsl.model.rows import Row


class ScalarType(Enum):
    """The built-in scalar types. All except bool, decimal and text are represented by an integer.

    Units: time and duration in minutes, date in days (proleptic ordinal), moment in minutes since day 0,
    money in minor units of the world's currency, distance in metres.
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
    """A named enum. Its run-time values are the names of its members."""

    name: str
    members: tuple[str, ...] = field(compare=False)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class RowType:
    """The type of references to rows of a static table or of the plan."""

    table: str

    def __str__(self) -> str:
        return self.table


@dataclass(frozen=True, slots=True)
class SetType:
    """A set. At run time it is a tuple without duplicates, in the order of first occurrence."""

    item: Type

    def __str__(self) -> str:
        return f"set of {self.item}"


@dataclass(frozen=True, slots=True)
class ListType:
    """A list, which only givens can have. At run time it is a tuple."""

    item: Type

    def __str__(self) -> str:
        return f"list of {self.item}"


@dataclass(frozen=True, slots=True)
class ScaledType:
    """The type of an amount multiplied by a decimal, such as `1.5 * price`.

    Its values are exact fractions. They may only be compared or optimised, because other uses need integral amounts.
    """

    unit: ScalarType

    def __str__(self) -> str:
        return f"{self.unit} times a decimal"


class Special(Enum):
    """Types that cannot be written in a document."""

    NONE = "none"  # type of the literal `none`, until its context gives the type
    EMPTY = "an empty set"  # type of the literal `{}`, until its context gives the type
    UNIT_ZERO = "0"  # type of the literal `0`, which has every unit
    WRONG = "a mistake"  # type of an expression with an error; prevents further errors about it

    def __str__(self) -> str:
        return self.value


Type: TypeAlias = ScalarType | EnumType | RowType | SetType | ListType | ScaledType | Special

NUMERIC_UNITS = frozenset({ScalarType.INT, ScalarType.DURATION, ScalarType.MONEY, ScalarType.DISTANCE})
"""Types in which sums have the type of the summands, and in which `0` is a value."""
ORDERED = frozenset(ScalarType) - {ScalarType.BOOL, ScalarType.TEXT}
"""Types with `<` and `<=`."""
INTEGRAL = ORDERED - {ScalarType.DECIMAL}
"""Types represented by one integer."""


class Stage(Enum):
    """Whether a value depends on a plan table: PLANNED values do, STATIC values do not.

    A solver model may need a table of all values of a planned expression. The number of these values depends on the
    task's scope, so the lowering to solver models checks it, not the type checker.
    """

    STATIC = "static"
    PLANNED = "planned"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    `default` is the value of a cell that a row leaves out. It is meaningful only if `has_default` is true.
    """

    name: str
    type: Type
    optional: bool = False
    key: bool = False
    has_default: bool = False
    default: Any = None  # a run-time value of `type`


@dataclass(slots=True, eq=False)
class Table:
    """A table's schema, which many tasks may share. The rows of a static table are in a task's `facts`.

    `columns` has an implied `id`, if there is one, and then the declared columns in order. `key` names the key
    columns in order; it is empty for a table without a key. `plan` is true for a table of the plan, and `one` if such
    a table has exactly one row.
    """

    name: str
    columns: dict[str, Column]
    key: tuple[str, ...]
    plan: bool = False
    one: bool = False
    row_class: type[Row] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the table without its row class. Unpickling creates the class again."""
        return Table, (self.name, self.columns, self.key, self.plan, self.one)

    @property
    def type(self) -> RowType:
        """The type of a reference to one of its rows."""
        return RowType(self.name)
