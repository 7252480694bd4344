"""Opinions on whether the request allows a plan, and plans that the model writes as test cases."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planspec.api.judging import Judge
from planspec.drafting.extraction import UnusableReplyError, document_text, mapping_of, scalar_fields
from planspec.dsl.model.task import Task
from planspec.dsl.yaml.nodes import Mapping as YamlMapping
from planspec.dsl.yaml.nodes import Node, Scalar
from planspec.dsl.yaml.nodes import Sequence as YamlSequence
from planspec.verifiers.answers.format import TABLES, plain_json
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.verdict import Finding, Verdict

Rows = Mapping[str, Any]
"""A plan as the rows of its tables, as JSON."""
YES, NO = frozenset({"yes", "true", "allowed", "right"}), frozenset({"no", "false", "forbidden", "wrong"})
EMPTY = frozenset({"", "none", "null", "~"})
MOST_NAMES = 5
"""Maximum number of names from a reply in a message about it."""
WHOLE = re.compile(r"-?\d{1,15}")


@dataclass(frozen=True, slots=True)
class Opinion:
    """The model's opinion on a plan: whether the request allows it, and the decisive words, if quoted."""

    allowed: bool
    sentence: str = ""

    def __str__(self) -> str:
        words = f', by its words "{self.sentence}"' if self.sentence else ""
        return f"the request {'allows' if self.allowed else 'forbids'} this plan{words}"


@dataclass(frozen=True, slots=True)
class JudgedPlan:
    """A plan with a name and an opinion on it."""

    name: str
    rows: Rows
    opinion: Opinion


def read_opinions(reply: str, count: int, query: str) -> dict[int, Opinion]:
    """Return the opinions in a reply, by plan number from 1.

    Raises:
        UnusableReplyError: the reply is not a mapping, or lacks the opinion on a plan.
    """
    root = mapping_of(document_text(reply))
    opinions = {}
    for key, node in root.entries:
        fields = scalar_fields(node)
        allowed = _yes_or_no(fields.get("allowed", node.text if isinstance(node, Scalar) else ""))
        if key.text.isdecimal() and allowed is not None:
            opinions[int(key.text)] = Opinion(allowed, quotation(fields.get("sentence", ""), query))
    missing = [str(number) for number in range(1, count + 1) if number not in opinions]
    if missing:
        raise UnusableReplyError(f"your reply has no `allowed: yes` or `allowed: no` for plan {', '.join(missing)}")
    return opinions


def read_cases(reply: str, query: str) -> list[JudgedPlan]:
    """Return the test cases in a reply: plans, each with the model's opinion.

    Raises:
        UnusableReplyError: the reply is not a mapping, or has no case.
    """
    cases = []
    for key, node in mapping_of(document_text(reply)).entries:
        fields = scalar_fields(node)
        right = _yes_or_no(fields.get("right", ""))
        plan = next((value for name, value in _entries(node) if name == "plan"), None)
        rows = None if plan is None else plain(plan)
        if right is not None and isinstance(rows, dict):
            cases.append(JudgedPlan(key.text, rows, Opinion(right, quotation(fields.get("sentence", ""), query))))
    if not cases:
        raise UnusableReplyError("your reply has no case with `right: yes` or `right: no` and a `plan:`")
    return cases


def read_sentences(reply: str, rules: Sequence[str]) -> dict[str, str]:
    """Return the sentences in a reply, by rule.

    Args:
        reply: the model's reply.
        rules: names of the rules and givens.

    Raises:
        UnusableReplyError: the reply is not a mapping of sentences, or names none of the rules.
    """
    root = mapping_of(document_text(reply))
    sentences = {name: " ".join(text.split()) for name, text in scalar_fields(root).items() if text.strip()}
    if not sentences:
        raise UnusableReplyError("your reply has no sentences, one for each rule")
    if rules and sentences.keys().isdisjoint(rules):
        named = ", ".join(f"`{name}`" for name in list(sentences)[:MOST_NAMES])
        raise UnusableReplyError(f"your reply has sentences for {named}, and the rules are {', '.join(rules)}")
    return sentences


def quotation(sentence: str, query: str) -> str:
    """Return the sentence if the request contains it, otherwise an empty string."""
    words, text = (" ".join(each.split()).casefold() for each in (sentence, query))
    return " ".join(sentence.split()) if words and words in text else ""


def plain(node: Node) -> Any:
    """Return a node as JSON data. Integers, Booleans and null keep their types; all other scalars become strings."""
    match node:
        case Scalar(text=text, style=style):
            return _plain_scalar(text) if style == "plain" else text
        case YamlSequence():
            return [plain(item) for item in node.items]
        case YamlMapping():
            return {key.text: plain(value) for key, value in node.entries}


def _plain_scalar(text: str) -> Any:
    if text in EMPTY:
        return None
    if text in ("true", "false"):
        return text == "true"
    return int(text) if WHOLE.fullmatch(text) else text


def _entries(node: Node) -> Iterator[tuple[str, Node]]:
    if isinstance(node, YamlMapping):
        yield from ((key.text, value) for key, value in node.entries)


def _yes_or_no(text: str) -> bool | None:
    word = text.strip().casefold()
    return True if word in YES else False if word in NO else None


def verdict_on(judge: Judge, rows: Rows) -> Verdict:
    """Judge a plan by the rules of a draft."""
    plan, wrong = TABLES.decode(judge.task, rows)
    return judge.plan(plan, [each.as_finding() for each in wrong], details="violated")


def violations(verdict: Verdict) -> list[Finding]:
    """Return the violations of hard constraints in a verdict."""
    return [each for each in verdict.findings if each.status == "violated" and each.level != "soft"]


def violations_text(task: Task, found: Iterable[Finding]) -> str:
    """Return the violated rules, each with its text."""
    texts = {each.id: each.body.span.text for each in task.constraints}
    lines = []
    for each in found:
        rule = each.constraint.partition("[")[0]
        text = " ".join(texts[rule].split()) if rule in texts else each.message
        lines.append(f"  {each.constraint}: {text}")
    return "\n".join(lines)


def plan_text(rows: Rows) -> str:
    """Return a plan as text: a line for each row."""
    lines: list[str] = []
    for table, content in rows.items():
        lines += [f"{table}: {json.dumps(row, ensure_ascii=False)}" for row in _as_list(content)]
        if content == []:
            lines.append(f"{table}: no row")
    return "\n".join(lines) or "no row"


def _as_list(content: Any) -> Sequence[Any]:
    """Return the rows of a table as a list. A table of multiplicity `one` holds a row without a list around it."""
    return content if isinstance(content, list) else [content]


def rows_of(task: Task, plan: Plan) -> Rows:
    """Return a plan as JSON rows, by table."""
    rows: Rows = plain_json(TABLES.encode(task, plan))
    return rows


def cases_section(judge: Judge, plans: Sequence[JudgedPlan]) -> str:
    """Return a `cases` section with the plans that the draft and the opinions judge alike; empty if there are none."""
    lines = []
    names: set[str] = set()
    for each in plans:
        verdict = verdict_on(judge, each.rows)
        found = violations(verdict)
        if (verdict.status == "pass") != each.opinion.allowed or any(one.level == "shape" for one in found):
            continue
        name = _case_name(each.name, names)
        ids = [one.constraint for one in found]
        expected = "passes: true" if each.opinion.allowed else f"violates: {json.dumps(ids, ensure_ascii=False)}"
        lines += [f"  {name}:", f"    answer: {json.dumps(each.rows, ensure_ascii=False)}", f"    {expected}"]
    return "".join(f"{line}\n" for line in ("cases:", *lines)) if lines else ""


def _case_name(name: str, names: set[str]) -> str:
    base = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:40] or "case"
    unique, number = base, 2
    while unique in names:
        unique, number = f"{base}-{number}", number + 1
    names.add(unique)
    return unique
