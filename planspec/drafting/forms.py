"""Forms of replies: instructions to the model, and a JSON schema by which a service can constrain replies.

A constrained reply has the same content as a reply in text. Its sections are strings of YAML. Services can therefore
enforce the schema strictly: every property is required, and there are no others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from textwrap import dedent, indent
from typing import Any, TypeAlias

from planspec.drafting.extraction import FENCE
from planspec.traces.json_text import load

Schema: TypeAlias = Mapping[str, Any]

DOCUMENT_BRIEF = "Reply with one YAML document in one fenced block, and nothing else."
JUDGE_BRIEF = (
    'Reply with YAML alone, a line for each plan: `1: {allowed: yes, sentence: "words of the request"}`.'
    " Quote the words that decide, or write `sentence: none`."
)
WORDS_BRIEF = "Reply with YAML alone: the name of each rule or given, and a sentence in quotes."
CASES_BRIEF = 'Reply with YAML alone: `name: {right: yes|no, sentence: "words of the request", plan: {TABLE: [ROWS]}}`.'
PARAPHRASE_BRIEF = "Reply with the new wording alone, in plain sentences."
WISHES_BRIEF = (
    'Reply with YAML alone, a line for each wish: `name: {first: "words of text 1", second: "words of text 2"}`.'
)
BOTH = "both"
"""Reply to a question about two plans if the request allows both."""
_QUOTED = "Quote the words that decide, or write `none`."


@dataclass(frozen=True, slots=True)
class ReplyForm:
    """The form of a reply.

    Attributes:
        brief: instructions for a reply in text.
        schema: JSON schema of a constrained reply; None if there is none.
        schema_brief: instructions for a constrained reply.
        in_prompt: words in the prompt that are replaced by `schema_brief`.
        converter: converts a constrained reply to text. It raises a `ValueError` for any other object.
    """

    brief: str
    schema: Schema | None = None
    schema_brief: str = ""
    in_prompt: str = ""
    converter: Callable[[dict[str, Any]], str] = field(default=json.dumps)

    def constrained(self, prompt: str) -> str:
        """Return a prompt whose instructions are those for a constrained reply."""
        return prompt.replace(self.in_prompt or self.brief, self.schema_brief)

    def is_constrained(self, reply: str) -> bool:
        """Return whether a reply is a JSON object with the schema's properties."""
        return self._object(reply) is not None

    def text(self, reply: str) -> str:
        """Return a reply as text. A constrained reply is converted; any other is returned unchanged."""
        value = self._object(reply)
        try:
            return reply if value is None else self.converter(value)
        except ValueError:
            return reply

    def _object(self, reply: str) -> dict[str, Any] | None:
        try:
            value = load(reply)
        except ValueError:
            return None
        if self.schema is None or not isinstance(value, dict):
            return None
        return value if value.keys() == self.schema["properties"].keys() else None


def document_form(sections: Collection[str], *, or_both: bool = False) -> ReplyForm:
    """Return the form of a reply that is a document.

    Args:
        sections: names of the sections that the document may have.
        or_both: whether the word `both` is also a valid reply.
    """
    brief = "Reply with JSON: for each section the YAML text below its key, or null to leave it out."
    properties: dict[str, Any] = {name: {"type": ["string", "null"]} for name in sections}
    if or_both:
        properties = {BOTH: {"type": "boolean"}, **properties}
        brief += f" Instead of the word `{BOTH}`, set `{BOTH}` to true."
    text_brief = f"{DOCUMENT_BRIEF} Or the word `{BOTH}`." if or_both else DOCUMENT_BRIEF
    return ReplyForm(text_brief, _object_schema(properties), brief, DOCUMENT_BRIEF, _document)


def opinions_form(count: int) -> ReplyForm:
    """Return the form of a reply with opinions on `count` plans, which are numbered from 1."""
    opinion = _object_schema({"allowed": {"type": "string", "enum": ["yes", "no"]}, "sentence": {"type": "string"}})
    properties = {str(number): opinion for number in range(1, count + 1)}
    return ReplyForm(JUDGE_BRIEF, _object_schema(properties), f"Reply with JSON, by plan. {_QUOTED}")


def words_form(names: Iterable[str]) -> ReplyForm:
    """Return the form of a reply with one sentence for each named rule or given."""
    properties = {name: {"type": "string"} for name in names}
    schema = _object_schema(properties) if properties else None
    return ReplyForm(WORDS_BRIEF, schema, "Reply with JSON: a sentence for each rule or given, by its name.")


def cases_form() -> ReplyForm:
    """Return the form of a reply with plans as test cases, each with its verdict."""
    fields = {
        "name": {"type": "string"},
        "right": {"type": "string", "enum": ["yes", "no"]},
        "sentence": {"type": "string"},
        "plan": {"type": "string"},
    }
    schema = _object_schema({"cases": {"type": "array", "items": _object_schema(fields)}})
    brief = f"Reply with JSON; each `plan` is YAML text, `TABLE: [ROWS]` on a line for each table. {_QUOTED}"
    return ReplyForm(CASES_BRIEF, schema, brief, converter=_cases)


def paraphrase_form() -> ReplyForm:
    """Return the form of a reply with another wording of a request."""
    schema = _object_schema({"wording": {"type": "string"}})
    brief = "Reply with JSON: the new wording, in plain sentences."
    return ReplyForm(PARAPHRASE_BRIEF, schema, brief, converter=lambda value: str(value["wording"]))


def wishes_form(names: Iterable[str]) -> ReplyForm:
    """Return the form of a reply that quotes request and wording for each wish (a soft rule or an objective)."""
    quotations = _object_schema({"first": {"type": "string"}, "second": {"type": "string"}})
    schema = _object_schema(dict.fromkeys(names, quotations))
    return ReplyForm(WISHES_BRIEF, schema, "Reply with JSON, by wish: `first` quotes text 1, and `second` text 2.")


def _object_schema(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _document(value: Mapping[str, Any]) -> str:
    """Return the YAML document in a constrained reply.

    Raises:
        ValueError: a section is not a string.
    """
    if value.get(BOTH) is True:
        return BOTH
    sections = {name: text for name, text in value.items() if name != BOTH and text is not None}
    if not all(isinstance(text, str) for text in sections.values()):
        raise ValueError("a section is not a text")
    return "".join(_section(name, text) for name, text in sections.items() if text.strip())


def _section(name: str, text: str) -> str:
    fenced = FENCE.fullmatch(text.strip())
    body = dedent(text if fenced is None else fenced["body"]).strip("\n")
    if body.startswith(f"{name}:"):
        return body + "\n"
    if name == "title":
        return f"{name}: {json.dumps(body, ensure_ascii=False)}\n"
    return f"{name}:\n{indent(body, '  ')}\n"


def _cases(value: Mapping[str, Any]) -> str:
    """Return the cases of a constrained reply as YAML.

    Raises:
        ValueError: the value does not have the form of cases.
    """
    cases = value["cases"]
    if not isinstance(cases, list) or not all(isinstance(each, dict) for each in cases):
        raise ValueError("they are not cases")
    lines = []
    for each in cases:
        name, right, sentence = (json.dumps(str(each.get(key, ""))) for key in ("name", "right", "sentence"))
        plan = indent(dedent(str(each.get("plan", ""))).strip("\n"), "    ")
        lines.append(f"{name}:\n  right: {right}\n  sentence: {sentence}\n  plan:\n{plan}\n")
    return "".join(lines)
