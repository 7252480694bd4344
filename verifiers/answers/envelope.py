"""Extraction of an answer's JSON from the text that an agent returned.

An answer may be wrapped in an envelope, `{"task": ..., "plan": ...}`, which names the task.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from planspec.dsl.resources.limits import ANSWER_BYTES, DEPTH
from planspec.dsl.resources.reading import size_text
from planspec.dsl.yaml.json_text import InvalidJsonError
from planspec.verifiers.answers.answer_json import (
    COLLECTION,
    JsonParser,
    ParsedJson,
    RefusedTextError,
    check_json,
    parse_plain,
)
from planspec.verifiers.answers.findings import ShapeFinding

Fits: TypeAlias = Callable[[Any], bool]
"""Function that returns whether a JSON value without an envelope looks like an answer in the task's format."""
OTHER_ANSWERS = frozenset({"infeasible", "turns"})
"""Keys that an envelope may have instead of `plan`: for the answer that no plan exists, or for several turns."""
ADDRESS = frozenset({"task", "sample"})
"""Keys of an envelope for the id of the task and for the number of the sample (attempt)."""

_FENCE = re.compile(r"^[ \t]*+(```++|~~~++)[^\n`]*+\n", re.MULTILINE)
_LINE_OF_MARKS = re.compile(r"\n[ \t]*+([`~]{3,}+)[ \t]*+$", re.MULTILINE)
"""Pattern of a line that can close a Markdown code fence, with the line break before it."""
_OPENERS = {
    lists: (re.compile(form), re.compile(f"^(?:{form})", re.MULTILINE))
    for lists, form in ((False, r"\{(?=\s*+\")"), (True, r"\{(?=\s*+\")|\[(?=\s*+\{\s*+\")"))
}
_PROSE = re.compile(r'[ \t\n\r]*+[^ \t\n\r{\["\-0-9tfnNI]')
"""Pattern of the start of text that is no JSON, since no JSON value begins with this character."""
_OBJECT = re.compile(r'[ \t\n\r]*+\{(?=\s*+")')
_FIRST_KEY = re.compile(r'(?:\[\s*+)?\{\s*+"(?:[^"\\]|\\.){0,200}+"\s*+:')
_MAX_CUT_OFF = 100  # maximum number of incomplete objects, since each costs a pass over the whole text
_MAX_OBJECTS = 1_000
"""Maximum number of JSON objects in a text that are tested for being an answer, beginning with the last one."""
_CALL = frozenset({"name", "arguments", "id", "type"})
"""Possible keys of a tool call that a model wrote as text instead of calling the tool."""
_SHORT_HEAD = 200
_TASK_IN_HEAD = re.compile(rb'"task"\s*+:\s*+"?+([^",]*+)')
_HEAD = 2_000
"""Number of characters at the start of unreadable text that are searched for its task and sample."""
_OPENING = re.compile(r"\ufeff?\s*+\{?+")
_TEXT = r'"(?:[^"\\]|\\.)*+"'
_MEMBER = re.compile(rf"\s*+({_TEXT})\s*+:\s*+({_TEXT}|-?\d++|true|false|null)\s*+,")


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer whose JSON was parsed, but not yet decoded into rows.

    Attributes:
        task: task id in the envelope; None if there is none.
        plan: the answer without its envelope: a mapping or, if the format allows it, a list. Numbers are int or
            Decimal.
        findings: faults of the JSON that did not prevent parsing.
        beside: members of the envelope other than the plan, such as `sample`; empty if there is no envelope.
        alone: whether the text contained nothing but the JSON of the answer.
    """

    task: str | None
    plan: Any
    findings: tuple[ShapeFinding, ...] = ()
    beside: Mapping[str, Any] = field(default_factory=dict)
    alone: bool = field(default=True, compare=False)


@dataclass(frozen=True, slots=True)
class Undelivered:
    """A missing answer.

    Attributes:
        reason: reason why the answer is missing, as a sentence without its full stop.
        task: task id in the text; None if it could not be read.
        beside: other members of the envelope that could be read.
    """

    reason: str
    task: str | None = None
    beside: Mapping[str, Any] = field(default_factory=dict)


def read_answer(
    data: bytes | str, *, lists: bool = False, bare: bool = False, fits: Fits | None = None, opens_text: bool = True
) -> Answer | Undelivered:
    """Extract the answer from an agent's text: JSON with nothing else, in a code fence, or within prose.

    If there are several JSON objects, the last one that is an answer counts, since drafts come first. An object
    is an answer if it is an envelope or a refusal (`{"infeasible": ...}`), or if `fits` returns True. If no object is
    an answer, the last one counts. An envelope is `{"task": ..., "plan": ...}`; its plan may be a string that again
    contains the answer. A tool call that a model wrote as text, `{"name": ..., "arguments": {...}}`, is an answer if
    its arguments, or its only argument, are an answer.

    Args:
        data: the text, or its bytes in UTF-8.
        lists: whether an answer can be a list.
        bare: whether `{"plan": ...}` is an answer and not an envelope, because the task has a table `plan`.
        fits: recognises answers without an envelope; None if the task is unknown.
        opens_text: whether a plan that is a string in an envelope is parsed, too. If this is False and the envelope
            names a task, `Answer.plan` is the string, and `Answer.alone` is False, because the string may contain more
            than JSON.

    Returns:
        The answer, or the reason why there is none. Bad data never raises an exception.
    """
    options = _Form(lists, bare, fits, opens_text=opens_text)
    if len(data) > ANSWER_BYTES:
        return _with_leading_members(Undelivered(f"the answer is larger than {size_text(ANSWER_BYTES)}"), data)
    if isinstance(data, bytes):
        try:
            data = data.decode("utf-8")
        except UnicodeDecodeError as error:
            return _with_leading_members(Undelivered(f"the answer is not UTF-8 (byte {error.start})"), data)
    result = _parse_text(data.removeprefix("\ufeff"), options)
    if isinstance(result, Undelivered):
        return _with_leading_members(result, data)
    return _open_envelope(result, options)


def _with_leading_members(missing: Undelivered, data: bytes | str) -> Undelivered:
    """Return a copy of `missing` with the task and other members at the start of an incomplete envelope.

    For example, `{"task": "a", "sample": 3, "plan": {"vis` belongs to sample 3 of task `a`. If the start of the text
    names neither a task nor a sample, return `missing` unchanged.

    Args:
        missing: the reason why there is no answer.
        data: the text that the agent returned.
    """
    members = _leading_members(data)
    if not members.keys() & ADDRESS:
        return missing
    return replace(missing, task=_task_of(members), beside=_other_members(members))


def _leading_members(data: bytes | str) -> dict[str, Any]:
    """Return the first members of a JSON object that may be incomplete, up to the first list or object."""
    head = data[:_HEAD] if isinstance(data, str) else data[:_HEAD].decode("utf-8", "replace")
    members: dict[str, Any] = {}
    member = _MEMBER.match(head, _OPENING.match(head).end())  # type: ignore[union-attr]
    while member is not None:
        name, value = (_parse_scalar(part) for part in member.groups())
        members[name] = value
        member = _MEMBER.match(head, member.end())
    return members


def task_in_head(data: bytes) -> str:
    """Return the task id in the first characters of a text, without parsing them; empty if there is none."""
    match = _TASK_IN_HEAD.search(data, 0, _SHORT_HEAD)
    return "" if match is None else match[1].decode("utf-8", "replace")


def _parse_scalar(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except ValueError:
        return None


def open_answer(
    data: Any, *, lists: bool = False, bare: bool = False, fits: Fits | None = None
) -> Answer | Undelivered:
    """Return the answer in parsed JSON. An envelope is opened as in `read_answer`.

    Args:
        data: result of `json.loads`.
        lists: whether an answer can be a list.
        bare: whether `{"plan": ...}` is an answer and not an envelope, because the task has a table `plan`.
        fits: recognises answers without an envelope; None if the task is unknown.
    """
    try:
        read = check_json(data)
    except RefusedTextError as error:
        return Undelivered(str(error))
    return _open_envelope(read, _Form(lists, bare, fits))


@dataclass(frozen=True, slots=True)
class _Form:
    """The expected form of an answer. The other attributes are arguments of `read_answer`.

    Attributes:
        inner: whether the text was read from the plan of an envelope. It is then not read as an envelope again.
    """

    lists: bool
    bare: bool
    fits: Fits | None
    inner: bool = False
    opens_text: bool = True

    def is_answer(self, value: Any) -> bool:
        """Return whether JSON is an answer: an envelope, a refusal, or a value that `fits` recognises."""
        if isinstance(value, Mapping):
            if value and value.keys() <= OTHER_ANSWERS:
                return True
            if not self.inner and (_has_no_plan(value) or _is_envelope(value, bare=self.bare)):
                return True
        return self.fits is not None and self.fits(value)

    def answer_in_tool_call(self, value: Any) -> Any:
        """Return the answer in the arguments of a tool call that a model wrote as text; any other value unchanged."""
        if (
            not isinstance(value, Mapping)
            or not {"name", "arguments"} <= value.keys() <= _CALL
            or self.is_answer(value)
        ):
            return value
        arguments = value["arguments"]
        only = arguments.values() if isinstance(arguments, Mapping) and len(arguments) == 1 else ()
        parts = (part for part in (arguments, *only) if isinstance(part, COLLECTION))
        return next((part for part in parts if self.is_answer(part)), value)


def _parse_text(text: str, form: _Form) -> ParsedJson | Undelivered:
    """Return the last answer in a text or, if there is none, the last JSON object.

    If an object is incomplete, the objects before it do not count, because they may be drafts or parts of the answer.
    An object in a code fence still counts if the incomplete object is in the prose after the fence. A refusal within
    a sentence does not override an answer in a fence, since agents quote the instructions in such sentences.
    """
    prose = _PROSE.match(text)
    if prose is None and (plain := parse_plain(text)) is not None:
        return plain
    if not text or text.isspace():
        return Undelivered("the answer is empty")
    parser, reason = JsonParser(text), ""
    if prose is None:
        try:
            return parser.whole(text)
        except json.JSONDecodeError as error:
            reason = _error_reason(error)
        except (ValueError, RecursionError, ArithmeticError) as error:
            return Undelivered(_rejection_reason(error))
    last: ParsedJson | None = None
    tries, breaks_off, only_fenced = _MAX_OBJECTS, False, False
    for part, fenced in reversed(list(_parts(text))):
        only = _only_object(part) if fenced else None
        objects, broken = (
            (deque([(only, True)]), None) if only is not None else _objects(parser, part, lists=form.lists)
        )
        if broken is not None:
            if fenced:
                return Undelivered(broken)
            reason, breaks_off, only_fenced = (reason if breaks_off else broken), True, True
        while objects and tries and (fenced or not only_fenced):
            read, begins_line = objects.pop()
            last = last or read
            tries -= 1
            if not fenced and not begins_line and _is_refusal_or_turns(read.value):
                only_fenced = True
            elif form.is_answer(read.value) or form.answer_in_tool_call(read.value) is not read.value:
                return replace(read, alone=False)
    if last is not None:
        return replace(last, alone=False)
    if not reason and prose is not None:
        reason = _error_reason(json.JSONDecodeError("Expecting value", text, prose.end() - 1))
    return Undelivered(reason)


def _only_object(text: str) -> ParsedJson | None:
    """Return the JSON object if a text is short and consists of exactly one object without faults.

    Otherwise return None. The text may still contain objects, which `_objects` returns.
    """
    opened = _OBJECT.match(text)
    return parse_plain(text) if opened is not None and _FIRST_KEY.match(text, opened.end() - 1) else None


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a text in order, each with whether it is the content of a Markdown code fence."""
    at = 0
    while (opened := _FENCE.search(text, at)) is not None:
        yield text[at : opened.start()], False
        lines = _LINE_OF_MARKS.finditer(text, opened.end() - 1)
        closed = next((line for line in lines if line[1].startswith(opened[1])), None)
        yield text[opened.end() : len(text) if closed is None else closed.start() + 1], True
        at = len(text) if closed is None else closed.end()
    yield text[at:], False


def _objects(parser: JsonParser, text: str, *, lists: bool) -> tuple[deque[tuple[ParsedJson, bool]], str | None]:
    """Return the complete JSON objects that follow the last incomplete object in a text.

    After an incomplete object, only an object at the start of a line is recognised. The time is roughly linear in the
    length of the text.

    Returns:
        (objects, reason). `objects` are the complete objects, each with whether it is at the start of a line. If there
        are many, only the last ones are returned. If the last object of the text is incomplete, or an object is
        refused (for example because it nests too deep), there are no objects, and `reason` says why it cannot be
        parsed. Otherwise `reason` is None.
    """
    anywhere, line_start = _OPENERS[lists]
    objects: deque[tuple[ParsedJson, bool]] = deque(maxlen=_MAX_OBJECTS)
    reason: str | None = None
    broken = 0
    at = anywhere.search(text)
    while at is not None and broken < _MAX_CUT_OFF:
        start = at.start()
        opener, end = anywhere, start + 1
        if _FIRST_KEY.match(text, start):
            try:
                read, end = parser.part(text, start)
            except json.JSONDecodeError as error:
                objects.clear()
                reason = _error_reason(error)
                opener, end = line_start, max(error.pos, start + 1)
                broken += 1
            except (ValueError, RecursionError, ArithmeticError) as error:
                return deque(), _rejection_reason(error)
            else:
                objects.append((read, line_start.match(text, start) is not None))
                reason = None
        at = opener.search(text, end)
    return objects, reason


def _error_reason(error: json.JSONDecodeError) -> str:
    return f"the answer is not JSON: {error.msg} (line {error.lineno}, column {error.colno})"


def _rejection_reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return f"the answer nests deeper than {DEPTH} levels"
    if isinstance(error, InvalidJsonError):
        return f"the answer has {error}, which is not JSON"
    return str(error) if isinstance(error, RefusedTextError) else "the answer has a number that cannot be read"


def _open_envelope(parsed: ParsedJson | Undelivered, form: _Form) -> Answer | Undelivered:
    """Return the answer in parsed JSON without its envelope, or the reason why there is none."""
    if isinstance(parsed, Undelivered):
        return parsed
    value, findings = form.answer_in_tool_call(parsed.value), parsed.findings
    envelope = None if form.inner or not isinstance(value, Mapping) else value
    if envelope is not None and _has_no_plan(envelope):
        return Answer(
            _task_of(envelope),
            {key: envelope[key] for key in envelope.keys() & OTHER_ANSWERS},
            findings,
            _other_members(envelope),
            alone=parsed.alone,
        )
    if envelope is None or not _is_envelope(envelope, bare=form.bare):
        what = _unusable_kind(value, lists=form.lists)
        return Undelivered(f"the answer is {what}") if what else Answer(None, value, findings, alone=parsed.alone)
    task, beside = _task_of(envelope), _other_members(envelope)
    plan = envelope["plan"]
    if isinstance(plan, str) and task is not None and not form.opens_text:
        return Answer(task, plan, findings, beside, alone=False)
    if isinstance(plan, str):
        inner = replace(form, inner=True)
        inner_answer = _open_envelope(_parse_text(plan, inner), inner)
        if isinstance(inner_answer, Undelivered):
            return Undelivered(inner_answer.reason, task, beside)
        return Answer(
            task,
            inner_answer.plan,
            findings + inner_answer.findings,
            beside,
            alone=parsed.alone and inner_answer.alone,
        )
    what = _unusable_kind(plan, lists=form.lists)
    if what:
        return Undelivered(f"the answer's plan is {what}", task, beside)
    return Answer(task, plan, findings, beside, alone=parsed.alone)


def _is_envelope(value: Mapping[str, Any], *, bare: bool) -> bool:
    """Return whether an object is an envelope: it has the keys `plan` and `task`.

    Unless `bare`, it is also an envelope if it has the keys `plan` and `sample`, or only the key `plan`.
    """
    return "plan" in value and ("task" in value or (not bare and ("sample" in value or len(value) == 1)))


def _is_refusal_or_turns(value: Any) -> bool:
    """Return whether a value is an object with a refusal or with answers to several turns.

    Its only other members may be a task and a sample.
    """
    return isinstance(value, Mapping) and len(value.keys() - ADDRESS) == 1 and not OTHER_ANSWERS.isdisjoint(value)


def _has_no_plan(value: Mapping[str, Any]) -> bool:
    """Return whether an object is an envelope with a refusal, or with answers to several turns, instead of a plan."""
    return "task" in value and _is_refusal_or_turns(value)


def _other_members(envelope: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in envelope.items() if name not in ("plan", "task", *OTHER_ANSWERS)}


def _task_of(value: Mapping[str, Any]) -> str | None:
    """Return the task id in an envelope; None if there is none."""
    task = value.get("task")
    return str(task) if isinstance(task, str | int) and not isinstance(task, bool) else None


def _unusable_kind(value: object, *, lists: bool) -> str | None:
    """Return what a value is, such as `a number`, if it cannot be an answer; None if it can be one."""
    match value:
        case None:
            return "null"
        case bool():
            return "a Boolean"
        case str():
            return "text"
        case Mapping():
            return None if value else "an empty object"
        case list():
            return (None if value else "an empty list") if lists else "a list, not an object"
        case _:
            return "a number"
