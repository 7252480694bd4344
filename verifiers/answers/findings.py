"""Findings on faults of an answer's data, such as unknown names. They do not depend on constraints."""

from __future__ import annotations

from dataclasses import dataclass, field

from planspec.dsl.resources.limits import FINDINGS
from planspec.verifiers.meaning.verdict import Finding, FindingStatus


@dataclass(frozen=True, slots=True)
class ShapeFinding:
    """A fault of an answer's data, such as a missing column. It does not depend on constraints.

    Attributes:
        kind: kind of the fault, such as `unknown-name`.
        message: a sentence without its full stop.
        path: position in the answer, as a JSON pointer (RFC 6901).
        table: plan table, if the fault concerns one.
        column: column, if the fault concerns one.
        fails: whether the fault makes the plan fail; harmless faults do not.
    """

    kind: str
    message: str
    path: str
    table: str | None = None
    column: str | None = None
    fails: bool = True

    def as_finding(self) -> Finding:
        """Return the fault as a finding of a verdict. Its status is `violated` if the fault makes the plan fail."""
        place = ".".join(part for part in (self.table, self.column) if part) or "answer"
        status: FindingStatus = "violated" if self.fails else "not-applicable"
        message = f"{self.message} (at {self.path})" if self.path else self.message
        return Finding(constraint=place, level="shape", kind=self.kind, status=status, message=message)


@dataclass(slots=True)
class FindingLog:
    """A log of the findings on one answer. The first findings are stored, up to a limit; the others are counted."""

    stored: list[ShapeFinding] = field(default_factory=list)
    left_out: int = 0
    fails: bool = False  # whether a finding among those in `left_out` makes the plan fail

    def add(self, finding: ShapeFinding) -> None:
        """Store a finding. If the limit is reached, only count it."""
        if len(self.stored) < FINDINGS:
            self.stored.append(finding)
        else:
            self.left_out += 1
            self.fails |= finding.fails

    def all(self) -> tuple[ShapeFinding, ...]:
        """Return the stored findings and, if some were only counted, a last finding with their number."""
        if not self.left_out:
            return tuple(self.stored)
        rest = ShapeFinding("more", f"{self.left_out} more findings are left out", "", fails=self.fails)
        return (*self.stored, rest)


def pointer(path: str, part: str | int) -> str:
    """Return the JSON pointer of a member or item of the value at `path`."""
    if isinstance(part, int):
        return f"{path}/{part}"
    return f"{path}/{part.replace('~', '~0').replace('/', '~1')}"
