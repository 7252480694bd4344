"""A deterministic model that makes one mistake.

It inserts the mistake into the right document, and corrects it if feedback names the place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import planspec
from planspec.agents import Desk, TaskView
from planspec.api.judging import Judge
from planspec.drafting.bases import query_section
from planspec.drafting.extraction import mapping_of, section_texts
from planspec.drafting.opinions import plain, verdict_on
from planspec.dsl.yaml.nodes import Mapping as YamlMapping

ALLOWED = re.compile(r"Sections that you may write: ([^.]*)\.")
FOUND = re.compile(r"# What was found \(round \d+\)\n\n(.*)\n\nCorrect", re.DOTALL)
PLAN = re.compile(r"^Plan (\d+):\n((?:>.*\n?)+)", re.MULTILINE)
RULES = re.compile(r"# Rules\n\n((?:>.*\n)+)")


@dataclass(frozen=True)
class Spoiling:
    """A mistake that can be inserted into a document.

    Attributes:
        kind: kind of the mistake.
        old: text in the right document.
        new: text in its place.
        names: strings (a position, a rule or a name). The model understands feedback that contains one of them.
    """

    kind: str
    old: str
    new: str
    names: tuple[str, ...]

    def __call__(self, document: str) -> str:
        assert self.old in document, self.old
        return document.replace(self.old, self.new)


@dataclass
class FaultyModel:
    """A model that inserts a mistake into its right document.

    Attributes:
        query: the request.
        right: the right document: all sections that a model writes.
        spoil: the mistake; None for a model without mistakes.
        drafts: numbers of the drafts with the mistake.
        learns: whether feedback that names the mistake is understood.
        shared: whether the model's opinions and cases have the same mistake, as if it always misread the request.
        load: function that returns the task of a document; None if the document is a whole task.
    """

    query: str
    right: str
    spoil: Spoiling | None = None
    drafts: tuple[int, ...] = (1,)
    learns: bool = True
    shared: bool = False
    load: Callable[[str], planspec.Task] | None = None

    def __post_init__(self) -> None:
        self._spoiled = dict.fromkeys(self.drafts, True) if self.spoil else {}
        self._rules: Mapping[str, str] = {}

    def answer(self, view: TaskView, desk: Desk) -> str:
        """Answer a prompt by its kind."""
        prompt, draft = view.query, view.seed
        kinds: dict[str, Callable[[], str]] = {
            "draft": lambda: self._document(prompt, draft),
            "revise": lambda: self._revised_document(prompt, draft),
            "question": lambda: "both",
            "judge": lambda: self._opinions(prompt),
            "words": lambda: self._rules_in_words(prompt),
            "again": lambda: self._document_from_rules(prompt),
            "cases": self._cases,
        }
        return kinds[view.given["kind"]]()

    @cached_property
    def task(self) -> planspec.Task:
        """Return the task according to the model's understanding of the request."""
        if self.shared and self.spoil is not None:
            with suppress(planspec.DiagnosticError):
                return self._load(self.spoil(self.right))
        return self._load(self.right)

    def _load(self, document: str) -> planspec.Task:
        """Return the task of a document."""
        if self.load is not None:
            return self.load(document)
        return planspec.loads(f"planspec: task/1\nid: right\n{query_section(self.query)}{document}")

    def _document(self, prompt: str, draft: int) -> str:
        """Return a reply with the document of a draft, wrong or right."""
        document = self.spoil(self.right) if self.spoil and self._spoiled.get(draft) else self.right
        return f"Here it is.\n\n```yaml\n{self._allowed_part(prompt, document)}```\n"

    def _allowed_part(self, prompt: str, document: str) -> str:
        """Return the sections of a document that the prompt permits."""
        match = ALLOWED.search(prompt)
        assert match is not None
        names = match[1].split(", ")
        return "".join(text for name, text in section_texts(mapping_of(document)) if name in names)

    def _revised_document(self, prompt: str, draft: int) -> str:
        """Return a reply to feedback. The mistake is corrected if the feedback names its place."""
        match = FOUND.search(prompt)
        assert match is not None
        if self.spoil and self.learns and any(name in match[1] for name in self.spoil.names):
            self._spoiled[draft] = False
        return self._document(prompt, draft)

    def _opinions(self, prompt: str) -> str:
        """Return whether the request allows each plan in the prompt, according to the model."""
        judge = Judge(self.task)
        lines = []
        for number, quoted in PLAN.findall(prompt):
            verdict = verdict_on(judge, _rows(quoted))
            lines.append(f"{number}: {{allowed: {'yes' if verdict.status == 'pass' else 'no'}, sentence: none}}\n")
        return "".join(lines)

    def _rules_in_words(self, prompt: str) -> str:
        """Return a sentence for each rule in the prompt."""
        match = RULES.search(prompt)
        assert match is not None
        rules = "".join(f"{line[2:]}\n" for line in match[1].splitlines())
        self._rules = dict(section_texts(mapping_of(rules)))
        sentences: dict[str, str] = {}
        for section, text in self._rules.items():
            ((_, node),) = mapping_of(text).entries
            names = [key.text for key, _ in node.entries] if isinstance(node, YamlMapping) else [section]
            sentences |= {name.partition("(")[0]: " ".join(text.split()) for name in names}
        return json.dumps(sentences)

    def _document_from_rules(self, prompt: str) -> str:
        """Return the document that the sentences express."""
        right = dict(section_texts(mapping_of(self.right)))
        document = "".join(
            self._rules.get(name, text)
            for name, text in right.items()
            if name in self._rules or name in ("tells", "scope")
        )
        return self._allowed_part(prompt, document)

    def _cases(self) -> str:
        """Return plans with the verdicts that the model expects, as JSON."""
        suggestions = planspec.test([self.task], suggest=True, limits=10).suggestions
        assert suggestions is not None
        cases = {}
        for case in suggestions.cases:
            ((_, node),) = mapping_of(case.text).entries
            fields: dict[str, Any] = plain(node)
            cases[case.name] = {"right": "yes" if case.passes else "no", "sentence": "none", "plan": fields["answer"]}
        witness = planspec.solve(self.task).plan
        assert witness is not None
        cases["good"] = {"right": "yes", "sentence": "none", "plan": planspec.encode(self.task, witness)}
        return json.dumps(dict(list(cases.items())[-8:]))


def _rows(quoted: str) -> dict[str, Any]:
    """Return the rows of a plan that a prompt quotes, by table."""
    rows: dict[str, Any] = {}
    for line in quoted.splitlines():
        table, _, row = line.removeprefix("> ").partition(": ")
        if row.startswith("{"):
            rows.setdefault(table, []).append(json.loads(row))
    return rows
