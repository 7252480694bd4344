"""Cases of a task, parsed on request: answers with the verdicts that the author expects."""

from __future__ import annotations

from collections.abc import Mapping as MappingOf
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.documents.task_sections import answer_data
from planspec.dsl.documents.turns import turn_count
from planspec.dsl.model.case import (
    REFERENCE,
    Case,
    CaseAnswer,
    CaseSection,
    ChangedAnswer,
    ExpectedConflict,
    GivenAnswer,
)
from planspec.dsl.model.task import Task
from planspec.dsl.resources.limits import ANSWER_BYTES
from planspec.dsl.resources.paths import is_file
from planspec.dsl.resources.reading import read_bytes
from planspec.dsl.structure import document_keys
from planspec.dsl.structure.document import Document
from planspec.dsl.structure.sections import flag_of, known_entries, texts
from planspec.dsl.yaml.reader import Mapping, Node, Scalar

VERDICTS = ("passes", "violates", "shape", "undelivered", "refuses")
"""Keys that declare the expected verdict; a case needs at least one."""
NOT_JUDGED = ("passes", "violates", "soft", "shape", "margin", "refuses", "conflict")
"""Keys that a case with `undelivered` must not have, because its answer contains no plan to judge."""

_Entries: TypeAlias = MappingOf[str, tuple[Scalar, Node]]


def case_section(document: Document) -> CaseSection | None:
    """Return the section `cases` of a document without parsing it; None if there is none."""
    node, key = document.sections.get("cases"), document.keys.get("cases")
    if node is None or key is None:
        return None
    source, start = key.span.source, key.span.start
    following = [
        other.span.start
        for other, _ in document.root.entries
        if other.span.source is source and other.span.start > start
    ]
    end = min(following, default=len(source.text))
    return CaseSection(node, document.path.parent if document.path else Path(), key.span.start, end)


def turns_with_cases(document: Document) -> tuple[int | None, ...]:
    """Return the turns to which the cases of a document belong.

    A case without a valid turn belongs to the last turn.

    Args:
        document: a task.

    Returns:
        Numbers of turns, counted from 1, in ascending order; `(None,)` for a task without turns; empty if
        there are no cases.
    """
    node = document.sections.get("cases")
    if not isinstance(node, Mapping):
        return () if node is None or (isinstance(node, Scalar) and not node.text) else (None,)
    if not node.entries:
        return ()
    last = turn_count(document)
    if not last:
        return (None,)
    named = {_named_turn(entry) for _, entry in node.entries}
    turns = {str(turn): turn for turn in range(1, last + 1)}
    return tuple(sorted({turns.get(text, last) for text in named}))


def _named_turn(entry: Node) -> str:
    """Return the turn that a case names; empty if it names none."""
    values = [value for key, value in entry.entries if key.text == "at"] if isinstance(entry, Mapping) else []
    return values[0].text if values and isinstance(values[0], Scalar) else ""


def read_cases(task: Task, report: Report) -> tuple[Case, ...]:
    """Return the cases of a task in order. For a turn of a task with turns, return only the cases of that turn.

    Args:
        task: the task.
        report: receives the mistakes in the cases; a case with a mistake is left out.
    """
    if task.cases is None:
        return ()
    node = task.cases.node
    if not isinstance(node, Mapping):
        if not (isinstance(node, Scalar) and not node.text):
            report.error(
                "PS011",
                "`cases` must be a mapping",
                node.span,
                "not a mapping",
                help="write `name: {answer: ...}`",
            )
        return ()
    reader = _CaseReader(task, task.cases.folder, report)
    read = (reader.case(name, entry) for name, entry in node.entries)
    return tuple(case for case in read if case is not None)


@dataclass(frozen=True, slots=True)
class _CaseReader:
    task: Task
    folder: Path
    report: Report

    def case(self, name: Scalar, node: Node) -> Case | None:
        """Return the case in an entry of `cases`; None for a case of another turn, or if it has a mistake."""
        if not isinstance(node, Mapping):
            self.report.error(
                "PS011",
                "a case must be a mapping",
                node.span if node.span.text else name.span,
                "not a mapping",
                help="write `answer: ...` in it",
            )
            return None
        before = len(self.report.diagnostics)
        entries = known_entries(node, document_keys.CASE, "a case", self.report)
        turn = self._turn(entries)
        if turn != self.task.turn:
            return None
        self._check_verdict(name, entries)
        case_ = Case(
            name=name,
            answer=self._answer(name, entries),
            passes=self._flag(entries, "passes"),
            undelivered=self._flag(entries, "undelivered"),
            violates=self._constraints(entries, "violates", hard=True) or (),
            soft=self._constraints(entries, "soft", hard=False),
            shape=tuple(self._texts(entries, "shape")),
            margins=self._margins(entries),
            refuses=self._flag(entries, "refuses"),
            conflict=self._conflict(entries),
            turn=turn,
        )
        return case_ if len(self.report.diagnostics) == before else None

    def _turn(self, entries: _Entries) -> int | None:
        """Return the number of the turn at which a case is judged: the turn in `at`, by default the last.

        Return None if the task has no turns and the case names none. Report a turn that the task lacks, and return 0.
        """
        most = self.task.turns or None
        if "at" not in entries:
            return most
        _, node = entries["at"]
        text = node.text if isinstance(node, Scalar) else ""
        if most is not None and text in map(str, range(1, most + 1)):
            return int(text)
        label = "the task has no turns" if most is None else f"it has the turns 1 to {most}"
        self.report.error("PS608", f"the task has no turn {text}".rstrip(), node.span, label)
        return 0

    def _flag(self, entries: _Entries, key: str) -> bool:
        return key in entries and flag_of(entries[key][1], f"`{key}`", self.report)

    def _texts(self, entries: _Entries, key: str) -> list[Scalar]:
        return texts(entries[key][1], f"`{key}`", self.report) if key in entries else []

    # -- the verdict ------------------------------------------------------------------------------

    def _check_verdict(self, name: Scalar, entries: _Entries) -> None:
        """Report a case without a verdict or with contradictory ones."""
        if not any(key in entries for key in VERDICTS):
            self.report.error(
                "PS603",
                f"the case `{name.text}` declares no verdict",
                name.span,
                "passes, or violates what?",
                help="write `passes: true`, `violates: [...]`, `shape: [...]` or `undelivered: true`",
            )
        for key in ("passes", "undelivered", "refuses"):
            if key in entries and isinstance(node := entries[key][1], Scalar) and node.text == "false":
                self.report.error(
                    "PS603",
                    f"`{key}: false` declares no verdict",
                    node.span,
                    "not which constraints",
                    help="say which constraints are violated, under `violates`",
                )
        excluded = {
            "passes": ("violates", "shape"),
            "undelivered": NOT_JUDGED,
            "refuses": ("violates", "soft", "shape", "margin"),
        }
        for key, others in excluded.items():
            for other in others if key in entries else ():
                if other in entries and not _is_empty(entries[other][1]):
                    self.report.error(
                        "PS603",
                        f"a case with `{key}` has no `{other}`",
                        entries[other][0].span,
                        "one of the two is too many",
                    )

    def _conflict(self, entries: _Entries) -> ExpectedConflict | None:
        """Return the constraints under `conflict: {any: [...]}` or `{exactly: [...]}`; None if there are none."""
        if "conflict" not in entries:
            return None
        key, node = entries["conflict"]
        if "refuses" not in entries:
            self.report.error("PS603", "`conflict` belongs to a case with `refuses`", key.span, "of which refusal?")
        parts = node.entries if isinstance(node, Mapping) else ()
        words = texts(parts[0][1], f"`{parts[0][0].text}`", self.report) if len(parts) == 1 else []
        if not words or parts[0][0].text not in ("any", "exactly"):
            self.report.error(
                "PS011",
                "`conflict` is `any` or `exactly` with a list of rules",
                node.span if node.span.text else key.span,
                "neither, or no rule",
                help="write `conflict: {any: [budget]}`",
            )
            return None
        rules = tuple(word for word in words if self._is_constraint(word, hard=True))
        return ExpectedConflict(rules, parts[0][0].text == "exactly")

    def _constraints(self, entries: _Entries, key: str, *, hard: bool) -> tuple[Scalar, ...] | None:
        """Return the names of constraints and instances under a key; None if the key is missing."""
        if key not in entries:
            return None
        return tuple(word for word in self._texts(entries, key) if self._is_constraint(word, hard=hard))

    def _is_constraint(self, word: Scalar, *, hard: bool | None) -> bool:
        """Return whether a word is the name of a constraint or of an instance in the task; report it otherwise."""
        levels = {constraint.id: constraint.hard for constraint in self.task.constraints}
        rule = rule_of(word.text)
        if rule not in levels:
            close = did_you_mean(rule, [name for name, level in levels.items() if hard in (None, level)])
            self.report.error(
                "PS605", f"the task has no constraint `{rule}`", word.span, "unknown constraint", help=close
            )
        elif hard is not None and levels[rule] is not hard:
            actual, expected = ("hard", "soft") if levels[rule] else ("soft", "hard")
            key = "violates" if levels[rule] else "soft"
            self.report.error(
                "PS605",
                f"`{rule}` is {actual}, not {expected}",
                word.span,
                f"a {actual} constraint",
                help=f"it belongs under `{key}`",
            )
        else:
            return True
        return False

    def _margins(self, entries: _Entries) -> tuple[tuple[Scalar, Scalar], ...]:
        if "margin" not in entries:
            return ()
        _, node = entries["margin"]
        if not isinstance(node, Mapping):
            self.report.error(
                "PS011",
                "`margin` must be a mapping",
                node.span,
                "not a mapping",
                help="write `margin: {purse: -14.00 EUR}`",
            )
            return ()
        margins = []
        for word, value in node.entries:
            if not isinstance(value, Scalar):
                self.report.error("PS607", "a margin is a number with its unit", value.span, "a collection")
            elif self._is_constraint(word, hard=None):
                margins.append((word, value))
        return tuple(margins)

    # -- the answer -------------------------------------------------------------------------------

    def _answer(self, name: Scalar, entries: _Entries) -> CaseAnswer:
        """Return the answer to judge; None for the task's reference answer, or if a mistake was reported."""
        if "answer" in entries:
            for other in ("from", "change"):
                if other in entries:
                    self._report_word(
                        f"a case with `answer` has no `{other}`",
                        entries[other][0],
                        "one of the two is too many",
                        "an answer is changed by `from:` and `change:`",
                    )
            return self._given_answer(entries["answer"][1])
        if "from" not in entries and "change" not in entries:
            if name.text != REFERENCE:
                self._report_word(
                    f"the case `{name.text}` has no answer",
                    name,
                    "what is judged?",
                    "write `answer: ...`, or `from: reference` and `change: ...`",
                )
            elif self.task.reference is None:
                self._report_no_reference(name)
            return None
        if "change" not in entries:
            self._report_word(
                "a case with `from` has a `change`",
                entries["from"][0],
                "what is changed?",
                "an answer that is judged as it is stands under `answer:`",
            )
            return None
        key, change = entries["change"]
        if not isinstance(change, Mapping):
            self.report.error(
                "PS011",
                "`change` must be a mapping",
                change.span if change.span.text else key.span,
                "not a mapping",
                help="write `change: {table: ...}`",
            )
            return None
        if "from" not in entries:
            self._report_word(
                "a `change` needs an answer that is changed",
                key,
                "of which answer?",
                "write `from: reference`, or the name of a file",
            )
            return None
        return ChangedAnswer(self._given_answer(entries["from"][1]), change)

    def _given_answer(self, node: Node) -> GivenAnswer | None:
        """Return the answer in a node or in its file; None for the reference answer, or if a mistake was reported."""
        if not isinstance(node, Scalar):
            return GivenAnswer(answer_data(node), node.span)
        if node.style in ("literal", "folded"):
            return GivenAnswer(node.text, node.span)
        if node.text == REFERENCE:
            if self.task.reference is None:
                self._report_no_reference(node)
            return None
        path = self.folder / node.text
        if not node.text or not is_file(path):
            self._report_word(
                f"the file `{node.text[:80]}` is not there",
                node,
                "an answer",
                "a path begins in the folder of the task's file; the text of an answer stands in a block, behind `|`",
            )
            return None
        try:
            return GivenAnswer(read_bytes(path, ANSWER_BYTES), node.span)
        except OSError as error:
            self._report_word(f"the file `{node.text[:80]}` cannot be read", node, error.strerror or "unfit", None)
        return None

    def _report_no_reference(self, word: Scalar) -> None:
        earlier = self.task.turn is not None and self.task.turn < self.task.turns
        label = "the reference answers the last turn" if earlier else "`reference:` is missing"
        self._report_word(
            "the task has no reference here" if earlier else "the task has no reference", word, label, None
        )

    def _report_word(self, message: str, word: Scalar, label: str, help: str | None) -> None:
        self.report.error("PS604", message, word.span, label, help=help)


def rule_of(instance: str) -> str:
    """Return the id of the constraint of an instance: `slot` for the instance `slot[tv_tower]`."""
    return instance.partition("[")[0]


def _is_empty(node: Node) -> bool:
    return not (
        node.items
        if not isinstance(node, Scalar | Mapping)
        else node.text
        if isinstance(node, Scalar)
        else node.entries
    )
