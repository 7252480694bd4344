"""Prompts to the model. They contain the allowed sections, the quoted request, and results of checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from planspec.drafting.bases import Base, Part
from planspec.drafting.forms import (
    BOTH,
    CASES_BRIEF,
    DOCUMENT_BRIEF,
    JUDGE_BRIEF,
    PARAPHRASE_BRIEF,
    WISHES_BRIEF,
    WORDS_BRIEF,
)
from planspec.drafting.quoting import NOTICE, quote

PARTS: dict[Part, str] = {
    "values": "Write the values of the givens that the request fixes. Leave out what it does not mention.",
    "rules": "Write the givens and the rules that the request asks for, over the tables, plan and scope below.",
    "task": "Write the whole task: tables, givens, plan, scope and rules.",
}


WITH_SCOPE: dict[Part, str] = {
    **PARTS,
    "values": f"{PARTS['values']} Write the scope of the plan, too, because nothing below has one.",
    "rules": "Write the scope of the plan, and the givens and the rules that the request asks for, over the tables and the"
    " plan below.",
}
"""Instructions to write a scope as well, by part, for drafts whose fixed sections have no scope."""


@cache
def primer() -> str:
    """Return the primer on task files for models, which `planspec docs primer` prints."""
    return (files("planspec") / "docs" / "primer.md").read_text("utf-8")


@dataclass(frozen=True, slots=True)
class Prompts:
    """Builder of prompts about one request.

    Attributes:
        base: the fixed part of the drafts.
        words: text of libraries, fixed tables and names of rows that the model may use; may be empty.
        answers: the user's answers to questions about the request. They count as part of it. Mutable.
        sentences: sentences to formalise in place of the request, such as descriptions of rules; None for the request.
    """

    base: Base
    words: str = ""
    answers: Sequence[str] = ()
    sentences: str | None = None

    def draft(self) -> str:
        """Return the prompt for a draft."""
        quotes = "" if self.sentences is not None else " Quote the query under `tells` for each given."
        return _joined(
            primer(),
            "# Your work",
            f"{(WITH_SCOPE if 'scope' in self.base.allowed else PARTS)[self.base.part]} Sections that you may write: {', '.join(self.base.allowed)}.{quotes}",
            self._facts(),
            self._request(self.base.query if self.sentences is None else self.sentences),
            DOCUMENT_BRIEF,
        )

    def revise(self, document: str, problem: str, round_: int, *, may_stay: bool) -> str:
        """Return the prompt to correct a draft.

        Args:
            document: the sections that the model wrote, or its unusable reply.
            problem: the mistake or possible mistake.
            round_: number of the correction, counted from 1.
            may_stay: whether the model may reply with the same document.
        """
        stay = " If it is no mistake, send the same document again." if may_stay else ""
        return _joined(
            self.draft(),
            "# Your last document",
            quote(document),
            f"# What was found (round {round_})",
            quote(problem),
            f"Correct the document, and change nothing else.{stay} Send the whole document.",
        )

    def question(self, rules: str, differences: str) -> str:
        """Return the prompt that asks whether the request allows both of two plans."""
        return _joined(
            self.draft(),
            "# Your document",
            quote(rules),
            "# Two plans",
            f"Both plans below keep your rules. They differ in:\n{quote(differences)}",
            f"If the request allows both, reply with the word `{BOTH}`. If it rules one of them out, send the whole"
            " corrected document.",
        )

    def judge(self, plans: Iterable[str], remarks: Iterable[str] = ()) -> str:
        """Return the prompt that asks which plans the request allows.

        Args:
            plans: plans as text.
            remarks: remarks on the plans, such as the rule by which a draft refuses one.
        """
        shown = "\n\n".join(f"Plan {number}:\n{quote(plan)}" for number, plan in enumerate(plans, 1))
        return _joined(
            self._facts(),
            self._request(self.base.query),
            "# Plans",
            shown,
            *remarks,
            "Judge each plan by the request and the facts alone: does the request allow it? A plan that is not the"
            " best, but breaks nothing that the request demands, is allowed.",
            JUDGE_BRIEF,
        )

    def say(self, rules: str) -> str:
        """Return the prompt to describe rules in natural language, without the original request."""
        return _joined(
            primer(),
            self._facts(),
            "# Rules",
            quote(rules),
            "Say each rule and each given in one exact sentence, so that someone who sees only your sentences and the"
            " tables can write the same rules again.",
            WORDS_BRIEF,
        )

    def cases(self) -> str:
        """Return the prompt to write plans as test cases, each with its verdict."""
        return _joined(
            self._facts(),
            self._request(self.base.query),
            "Write up to eight plans that test a judge of this request: two that keep everything that it demands, and"
            " others that each break exactly one demand, by as little as possible. Every plan has all tables of"
            " `plan`, with values from `scope`.",
            CASES_BRIEF,
        )

    def paraphrase(self, earlier: Iterable[tuple[str, str]] = ()) -> str:
        """Return the prompt for another wording of the request.

        Args:
            earlier: earlier wordings, each with the reason why it was refused; empty if it was accepted.
        """
        shown = [
            f"{quote(text)}\n{quote(f'Refused: {reason}') if reason else 'Accepted.'}"
            for text, reason in earlier
            if text
        ]
        return _joined(
            self._request(self.base.query),
            *(["# Earlier wordings", "\n\n".join(shown)] if shown else ()),
            "Say the request in other words: other sentences, and in another order. It must ask for the same, no more and"
            " no less. Keep every number in digits, every name, time and limit, and whether something must be or is only preferred.",
            PARAPHRASE_BRIEF,
        )

    def wishes(self, wording: str, wishes: Mapping[str, str]) -> str:
        """Return the prompt to quote, for each wish, the words for it in the request and in another wording.

        Args:
            wording: the other wording.
            wishes: soft rules and objectives, by name.
        """
        return _joined(
            self._request(self.base.query),
            "# Text 2",
            quote(wording),
            "# Wishes",
            quote("\n".join(f"{name}: {text}" for name, text in wishes.items())),
            "The request is text 1. For each wish, quote the words of each text that state it, exactly as they stand, or"
            " write `none`.",
            WISHES_BRIEF,
        )

    def _facts(self) -> str:
        if not self.words:
            return ""
        return f"# Given tables\n\nThey are fixed; do not write them again.\n\n{quote(self.words)}"

    def _request(self, text: str) -> str:
        answers = self.answers if text == self.base.query else ()
        more = ("# Answers about the request", quote("\n".join(answers))) if answers else ()
        return "\n\n".join(("# The request", NOTICE, quote(text), *more))


def _joined(*parts: str) -> str:
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"
