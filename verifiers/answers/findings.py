"""Findings on an answer as data, whatever the constraints say."""

from __future__ import annotations

from dataclasses import dataclass, field

from planspec.dsl.resources.limits import FINDINGS
from planspec.verifiers.meaning.verdict import Finding, FindingStatus


@dataclass(frozen=True, slots=True)
class ShapeFinding:
    """A fault of an answer as data, whatever the constraints say.

    Attributes:
        kind: a slug, such as `unknown-name`.
        message: a sentence without its point.
        path: where in the answer, as a JSON pointer (RFC 6901).
        table: the plan table that it concerns, if one.
        column: likewise.
        fails: it fails the plan. What is merely untidy does not.
    """

    kind: str
    message: str
    path: str
    table: str | None = None
    column: str | None = None
    fails: bool = True

    def as_finding(self) -> Finding:
        """The same in a verdict: counted nowhere, and violated if it fails the plan."""
        place = ".".join(part for part in (self.table, self.column) if part) or "answer"
        status: FindingStatus = "violated" if self.fails else "not-applicable"
        message = f"{self.message} (at {self.path})" if self.path else self.message
        return Finding(constraint=place, level="shape", kind=self.kind, status=status, message=message)


@dataclass(slots=True)
class FindingLog:
    """The findings on one answer: the first thousand, and then how many more."""

    kept: list[ShapeFinding] = field(default_factory=list)
    left_out: int = 0
    fails: bool = False  # one that was left out fails the plan

    def add(self, finding: ShapeFinding) -> None:
        """Keep or count a finding."""
        if len(self.kept) < FINDINGS:
            self.kept.append(finding)
        else:
            self.left_out += 1
            self.fails |= finding.fails

    def all(self) -> tuple[ShapeFinding, ...]:
        """The findings that were kept, and a last one for the rest."""
        if not self.left_out:
            return tuple(self.kept)
        rest = ShapeFinding("more", f"{self.left_out} more findings are left out", "", fails=self.fails)
        return (*self.kept, rest)


def pointer(path: str, part: str | int) -> str:
    """A JSON pointer, one step further."""
    return f"{path}/{str(part).replace('~', '~0').replace('/', '~1')}"
