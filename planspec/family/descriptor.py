"""Family descriptor with lazily loaded parts.

A family is a kind of benchmark, with its answer format, metrics and environments. The descriptor names each part as
`package.module:attribute`. It is therefore cheap to load, and code that uses a part need not import the family.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from planspec.errors import PlanspecError

if TYPE_CHECKING:  # loading a descriptor must not load the verifier
    from planspec.dsl.model.task import Task
    from planspec.verifiers.answers.format import AnswerCheck, PlanFormat
    from planspec.verifiers.meaning.verdict import Verdict
    from planspec.verifiers.metrics import Metrics
    from planspec.verifiers.official.protocol import Official

T = TypeVar("T")


class BrokenFamilyError(PlanspecError):
    """A family does not match its descriptor or distribution.

    The message names the distribution and the field at fault.
    """


@dataclass(frozen=True, slots=True)
class Lazy(Generic[T]):
    """A reference to an object that is loaded on demand.

    Attributes:
        name: `package.module:attribute`.
        owner: family and field that have the reference, for error messages. A `Family` sets it.
    """

    name: str
    owner: str = ""

    def load(self) -> T:
        """Load and return the object.

        Raises:
            BrokenFamilyError: there is no object with the name.
            ModuleNotFoundError: a package that the object needs is not installed.
        """
        try:
            part: T = resolve_name(self.name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{self.name.partition(':')[0]}.".startswith(f"{error.name}."):
                raise
            raise self._broken(error) from error
        except (AttributeError, ValueError) as error:
            raise self._broken(error) from error
        return part

    def _broken(self, error: Exception) -> BrokenFamilyError:
        return BrokenFamilyError(f"{self.owner or 'a family'}: `{self.name}` cannot be loaded: {error}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A family of tasks. Omitted fields default to those of tasks without a family.

    Attributes:
        name: identifier used in libraries and suites.
        title: name for display.
        format: decoder and encoder of answers. By default, answers are the plan's tables as JSON.
        metrics: metrics computed from the verdicts of a run.
        official: function that returns a task's profile `official`, if the benchmark has a public evaluator.
        checks: function that decodes answers and runs checks that are not constraints.
        verdict: type of the verdicts: `Verdict`, or a subclass with fields for the results of `checks`.
        parts: further parts, by name. A part is a reference, a plain value, or a mapping of references. Each name is
            declared by a `Part` in the module that uses the part.
    """

    name: str
    title: str = ""
    format: Lazy[PlanFormat] = Lazy("planspec.verifiers.answers.format:TABLES")
    metrics: Lazy[type[Metrics]] = Lazy("planspec.verifiers.metrics.generic:GenericMetrics")
    official: Lazy[Callable[[Task], Official]] | None = None
    checks: Lazy[AnswerCheck] | None = None
    verdict: Lazy[type[Verdict]] = Lazy("planspec.verifiers.meaning.verdict:Verdict")
    parts: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            owned = (
                {name: self._owned(name, part) for name, part in value.items()}
                if each.name == "parts"
                else self._owned(each.name, value)
            )
            object.__setattr__(self, each.name, owned)

    def _owned(self, name: str, value: Any) -> Any:
        return _with_owner(value, f"the family `{self.name}`, `{name}`")


@dataclass(frozen=True, slots=True)
class Part(Generic[T]):
    """Declaration of an optional part of families, in the module that uses the part.

    Attributes:
        name: key in `Family.parts`.
        default: value for families without the part. A reference is loaded on use.
    """

    name: str
    default: T | Lazy[T]

    def of(self, family: Family) -> T:
        """Return a family's part, loaded if it is a reference.

        Raises:
            BrokenFamilyError: the object to which the family refers does not exist.
            ModuleNotFoundError: a package that the part needs is not installed.
        """
        value: T | Lazy[T] = family.parts.get(self.name, self.default)
        return value.load() if isinstance(value, Lazy) else value

    def is_in(self, family: Family) -> bool:
        """Return whether a family has the part, without loading it."""
        return self.name in family.parts


def _with_owner(value: Any, owner: str) -> Any:
    """Return a value in which references have an owner."""
    match value:
        case Lazy():
            return replace(value, owner=owner)
        case Mapping():
            return {key: _with_owner(part, f"{owner}[`{key}`]") for key, part in value.items()}
        case _:
            return value
