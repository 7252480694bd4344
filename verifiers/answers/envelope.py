"""The JSON in the text that an agent returned, or the reason why there is none."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial, reduce
from typing import Any, TypeAlias

from planspec.dsl.resources.limits import ANSWER_BYTES, ANSWER_ITEMS, ANSWER_NAME, ANSWER_VALUES, DEPTH
from planspec.dsl.resources.reading import size
from planspec.dsl.yaml.json_text import NoJson, decoder, has_half
from planspec.verifiers.answers.findings import FindingLog, ShapeFinding, pointer

_Path: TypeAlias = "tuple[_Path, str | int] | None"
"""The path of a value: the path of its container, and its place there."""
_COLLECTION = (Mapping, list, tuple)
Fits: TypeAlias = Callable[[Any], bool]
"""Says whether JSON without an envelope is an answer to the task."""
OTHER_ANSWERS = frozenset({"infeasible", "turns"})
"""The keys that an envelope may have in place of a plan: rules that cannot hold together, or a plan for each
turn."""
ADDRESS = frozenset({"task", "sample"})
"""The keys by which an envelope says which answer it holds: of which task, and which of several."""

_OPENERS = {
    lists: (re.compile(form), re.compile(f"^(?:{form})", re.MULTILINE))
    for lists, form in ((False, r"\{(?=\s*+\")"), (True, r"\{(?=\s*+\")|\[(?=\s*+\{\s*+\")"))
}
_BEGUN = re.compile(r'(?:\[\s*+)?\{\s*+"(?:[^"\\]|\\.){0,200}+"\s*+:')
_MOST_ANSWERS = 50
"""The last objects in prose of which the answer is one."""
_MOST_BROKEN = (
    100  # after that many objects that break off, prose is not searched on: each costs a walk over all of it
)
_SHORT_HEAD = 200
_TASK_IN_HEAD = re.compile(rb'"task"\s*+:\s*+"?+([^",]*+)')
_HEAD = 2_000
"""The most characters of a text that cannot be read in which its address is looked for."""
_OPENED = re.compile(r"\ufeff?\s*+\{?+")
_TEXT = r'"(?:[^"\\]|\\.)*+"'
_MEMBER = re.compile(rf"\s*+({_TEXT})\s*+:\s*+({_TEXT}|-?\d++|true|false|null)\s*+,")
_LONGEST_WHOLE = 400  # digits; more are kept as a Decimal, since Python refuses to make an int of thousands


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer whose JSON was read, not yet decoded.

    Attributes:
        task: the task it says it answers, None if it does not say.
        plan: the answer itself, without its envelope; numbers are int or Decimal. A mapping, or where lists
            were asked for a list.
        findings: what is wrong with the JSON although it could be read.
        beside: what the envelope says beside its plan, such as `sample`; empty where there is no envelope.
        alone: nothing but the answer's JSON, in its envelope or bare, stood in the text.
    """

    task: str | None
    plan: Any
    findings: tuple[ShapeFinding, ...] = ()
    beside: Mapping[str, Any] = field(default_factory=dict)
    alone: bool = field(default=True, compare=False)


@dataclass(frozen=True, slots=True)
class Undelivered:
    """There is no answer to judge.

    Attributes:
        reason: why, in a sentence without its point.
        task: the task it was meant for, where that much could be read.
        beside: what the envelope says beside its plan, as far as it could be read.
    """

    reason: str
    task: str | None = None
    beside: Mapping[str, Any] = field(default_factory=dict)


def read_answer(
    data: bytes | str, *, lists: bool = False, bare: bool = False, fits: Fits | None = None
) -> Answer | Undelivered:
    """The answer in what an agent returned: bare JSON, fenced JSON, or JSON within prose.

    Of several objects the last one that is an answer counts, fenced or not, since drafts stand before the answer: an envelope, a
    refusal, or what `fits` says. If none is, the last object counts.
    The envelope `{"task": ..., "plan": ...}` is opened; the plan in it may be such a text again.

    Args:
        data: the text, or its UTF-8.
        lists: a list can be an answer too.
        bare: an object with nothing but a `plan` is the answer itself, since the task has a table of that name.
        fits: says of the JSON of an object or list whether it is a bare answer to the task.

    Returns:
        The answer, or why there is none. Nothing is raised, whatever the data.
    """
    if len(data) > ANSWER_BYTES:
        return _addressed(Undelivered(f"the answer is larger than {size(ANSWER_BYTES)}"), data)
    if isinstance(data, bytes):
        try:
            data = data.decode("utf-8")
        except UnicodeDecodeError as error:
            return _addressed(Undelivered(f"the answer is not UTF-8 (byte {error.start})"), data)
    read = _parsed(data.removeprefix("\ufeff"), lists=lists, fits=fits)
    if isinstance(read, Undelivered):
        return _addressed(read, data)
    return _opened(read, lists=lists, bare=bare)


def _addressed(read: Undelivered, data: bytes | str) -> Undelivered:
    """What cannot be read, with the address that its envelope begins with: `{"task": "a", "sample": 3, "plan": ...`.

    Args:
        read: why there is no answer.
        data: its text.
    """
    found = _head(data)
    if not found.keys() & ADDRESS:
        return read
    return replace(read, task=_named(found), beside=_beside(found))


def _head(data: bytes | str) -> dict[str, Any]:
    """The scalar members that a text begins with, if it begins as an object."""
    head = data[:_HEAD] if isinstance(data, str) else data[:_HEAD].decode("utf-8", "replace")
    found: dict[str, Any] = {}
    member = _MEMBER.match(head, _OPENED.match(head).end())  # type: ignore[union-attr]
    while member is not None:
        name, value = (_scalar(part) for part in member.groups())
        found[name] = value
        member = _MEMBER.match(head, member.end())
    return found


def task_in_head(data: bytes) -> str:
    """The task that the beginning of a text seems to say, found at little cost; empty where it says none."""
    found = _TASK_IN_HEAD.search(data, 0, _SHORT_HEAD)
    return "" if found is None else found[1].decode("utf-8", "replace")


def _scalar(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except ValueError:
        return None


def open_answer(data: Any, *, lists: bool = False, bare: bool = False) -> Answer | Undelivered:
    """The answer in JSON that was decoded already; an envelope is opened as that of a text is.

    Args:
        data: what `json.loads` gives.
        lists: a list can be an answer too.
        bare: as for a text.
    """
    try:
        read = _plain(data)
    except _Refused as error:
        return Undelivered(str(error))
    return _opened(read, lists=lists, bare=bare)


class _Refused(ValueError):
    """The text is JSON or nearly so, and is not taken."""


@dataclass(frozen=True, slots=True)
class _Read:
    value: Any
    findings: tuple[ShapeFinding, ...]
    alone: bool = field(default=True, compare=False)


class _Object(dict[str, Any]):
    """An object in which names stand more than once: those names."""

    repeated: tuple[str, ...] = ()


def _plain_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object with nothing to tell about its names.

    Raises:
        ValueError: there is.
    """
    made = dict(pairs)
    if len(made) < len(pairs) or max(map(len, made), default=0) > ANSWER_NAME:
        raise ValueError("a name stands twice, or is long")
    return made


def _plainly(text: str) -> _Read | None:
    """The value of a text that is nothing but JSON, and about which there is nothing to tell; None of any other."""
    if not _is_bounded(text):
        return None
    try:
        return _Read(_PLAIN_DECODER.decode(text), ())
    except (ValueError, RecursionError, ArithmeticError):
        return None


class _Parser:
    """Reads the JSON of one text.

    Args:
        text: all of it.
    """

    def __init__(self, text: str) -> None:
        self._repeats: list[_Object] = []
        self._decoder = decoder(exact=True, pairs=partial(_object, self._repeats), whole=_whole)
        self._plain = _is_plain(text)

    def whole(self, text: str) -> _Read:
        """The value of a text that is JSON.

        Raises:
            ValueError: it is none, or is not taken.
            RecursionError: it nests too deep.
            ArithmeticError: it has a number that cannot be read.
        """
        return self._read(self._decoder.decode(text))

    def part(self, text: str, start: int) -> tuple[_Read, int]:
        """The value that begins at a place of a text, and its end; raises as `whole` does."""
        value, end = self._decoder.raw_decode(text, start)
        return self._read(value), end

    def _read(self, value: Any) -> _Read:
        return _Read(value, ()) if self._plain and not self._repeats else _plain(value)


def _object(repeats: list[_Object], pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of its names and values; one with repeated names is told."""
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    told = _Object(made)
    told.repeated = tuple(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
    repeats.append(told)
    return told


def _is_plain(text: str) -> bool:
    """The JSON of a text can pass no bound and spell no half of a character, so that its values need not be walked over.

    Without escapes no text has a quote within, and none is longer than what stands between two quotes.
    """
    return _is_bounded(text) and (len(text) <= ANSWER_NAME or max(map(len, text.split('"'))) <= ANSWER_NAME)


def _is_bounded(text: str) -> bool:
    """The same but for the length of names."""
    return (
        len(text) < min(ANSWER_ITEMS, ANSWER_VALUES)
        and text.count("[") + text.count("{") <= DEPTH
        and "\\" not in text
        and not has_half(text)
    )


def _whole(text: str) -> int | Decimal:
    return int(text) if len(text) <= _LONGEST_WHOLE else Decimal(text)


_PLAIN_DECODER = decoder(exact=True, pairs=_plain_object, whole=_whole)


def _parsed(text: str, *, lists: bool, fits: Fits | None = None) -> _Read | Undelivered:
    """The JSON of a text, or the one in it that is the answer."""
    if (plain := _plainly(text)) is not None:
        return plain
    if not text or text.isspace():
        return Undelivered("the answer is empty")
    parser = _Parser(text)
    try:
        return parser.whole(text)
    except json.JSONDecodeError as error:
        broken = error
    except (ValueError, RecursionError, ArithmeticError) as error:
        return Undelivered(_reason(error))
    found = _last(parser, text, lists=lists, fits=fits)
    if found is not None:
        return Undelivered(found) if isinstance(found, str) else replace(found, alone=False)
    return Undelivered(_broken(broken))


def _last(parser: _Parser, text: str, *, lists: bool, fits: Fits | None) -> _Read | str | None:
    """The last complete object in prose that is an answer, or the last one if none is; why the last one cannot be read; None if there is none.

    A text that begins like an object and breaks off ends the search there: no part of an answer is taken for the whole. The next one then begins at the start of a line. Each character is read about once.
    """
    anywhere, line_start = _OPENERS[lists]
    found: list[_Read] = []
    why: str | None = None
    broken = 0
    at = anywhere.search(text)
    while at is not None and broken < _MOST_BROKEN:
        start = at.start()
        opener, end = anywhere, start + 1
        if _BEGUN.match(text, start):
            try:
                read, end = parser.part(text, start)
                found, why = [*found[-_MOST_ANSWERS:], read], None
            except json.JSONDecodeError as error:
                found, why = [], _broken(error)
                opener, end = line_start, max(error.pos, start + 1)
                broken += 1
            except (ValueError, RecursionError, ArithmeticError) as error:
                return _reason(error)
        at = opener.search(text, end)
    if not found:
        return why
    return next((read for read in reversed(found) if _is_answer(read.value, fits)), found[-1])


def _is_answer(value: Any, fits: Fits | None) -> bool:
    """The value is an envelope, a refusal, or fits the task's answers."""
    if isinstance(value, Mapping) and value:
        if value.keys() <= OTHER_ANSWERS or (
            value.keys() & ADDRESS and value.keys() & {"plan", *OTHER_ANSWERS}
        ):
            return True
        if value.keys() == {"plan"} and isinstance(value["plan"], _COLLECTION):
            return True
    return fits is not None and fits(value)


def _broken(error: json.JSONDecodeError) -> str:
    return f"the answer is not JSON: {error.msg} (line {error.lineno}, column {error.colno})"


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return f"the answer nests deeper than {DEPTH} levels"
    if isinstance(error, NoJson):
        return f"the answer has {error}, which is no JSON"
    return str(error) if isinstance(error, _Refused) else "the answer has a number that cannot be read"


def _plain(value: Any) -> _Read:
    """The value, with a finding for each repeated name.

    Raises:
        _Refused: it is too deep or too much, or has half of a surrogate pair, which no other program could be given.
    """
    findings = FindingLog()
    level: list[tuple[Any, _Path]] = [(value, None)] if isinstance(value, _COLLECTION) else []
    count = 0
    for _ in range(DEPTH):
        inner: list[tuple[Any, _Path]] = []
        for item, path in level:
            count += len(item)
            if count > ANSWER_VALUES:
                raise _Refused(f"the answer has more than {ANSWER_VALUES:,} values")
            if isinstance(item, _Object):
                for name in item.repeated:
                    message = f"`{name[:60]}` stands twice in one object; the last counts"
                    findings.add(ShapeFinding("duplicate-name", message, _pointer((path, name))))
            elif not isinstance(item, Mapping) and len(item) > ANSWER_ITEMS:
                raise _Refused(f"the answer has a list of more than {ANSWER_ITEMS:,} items")
            parts: Iterable[tuple[str | int, Any]] = (
                item.items() if isinstance(item, Mapping) else enumerate(item)
            )
            for place, part in parts:
                _check_text(place)
                _check_text(part)
                if isinstance(place, str) and len(place) > ANSWER_NAME:
                    raise _Refused(f"the answer has a name of more than {ANSWER_NAME:,} characters")
                if isinstance(part, _COLLECTION):
                    inner.append((part, (path, place)))
        level = inner
    if level:
        raise _Refused(f"the answer nests deeper than {DEPTH} levels")
    return _Read(value, findings.all())


def _pointer(path: _Path) -> str:
    """The JSON pointer of a path, which is written out only where something is found."""
    parts = []
    while path is not None:
        path, part = path
        parts.append(part)
    return reduce(pointer, reversed(parts), "")


def _check_text(text: object) -> None:
    if isinstance(text, str) and has_half(text):
        raise _Refused("the answer has half of a surrogate pair, which is no Unicode")


def _opened(
    read: _Read | Undelivered, *, lists: bool, bare: bool = False, inner: bool = False
) -> Answer | Undelivered:
    """The plan without its envelope."""
    if isinstance(read, Undelivered):
        return read
    value, findings = read.value, read.findings
    envelope = None if inner or not isinstance(value, Mapping) else value
    if envelope is not None and "task" in envelope and len(envelope.keys() - ADDRESS) == 1:
        other = envelope.keys() & OTHER_ANSWERS
        if other:
            return Answer(
                _named(envelope),
                {key: envelope[key] for key in other},
                findings,
                _beside(envelope),
                alone=read.alone,
            )
    if envelope is None or "plan" not in envelope or not _encloses(envelope, bare=bare):
        what = _no_answer(value, lists=lists)
        return (
            Undelivered(f"the answer is {what}") if what else Answer(None, value, findings, alone=read.alone)
        )
    named, beside = _named(envelope), _beside(envelope)
    plan = envelope["plan"]
    if isinstance(plan, str):
        opened = _opened(_parsed(plan, lists=lists), lists=lists, inner=True)
        if isinstance(opened, Undelivered):
            return Undelivered(opened.reason, named, beside)
        return Answer(
            named, opened.plan, findings + opened.findings, beside, alone=read.alone and opened.alone
        )
    what = _no_answer(plan, lists=lists)
    if what:
        return Undelivered(f"the answer's plan is {what}", named, beside)
    return Answer(named, plan, findings, beside, alone=read.alone)


def _encloses(value: Mapping[str, Any], *, bare: bool) -> bool:
    """An object with a `plan` is an envelope: it has an address, or nothing else."""
    return "task" in value or (not bare and ("sample" in value or len(value) == 1))


def _beside(envelope: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in envelope.items() if name not in ("plan", "task", *OTHER_ANSWERS)}


def _named(value: Mapping[str, Any]) -> str | None:
    """The task that an envelope is for."""
    task = value.get("task")
    return str(task) if isinstance(task, str | int) and not isinstance(task, bool) else None


def _no_answer(value: object, *, lists: bool) -> str | None:
    """The reason why a value cannot be an answer."""
    match value:
        case None:
            return "null"
        case bool():
            return "a truth"
        case str():
            return "a text"
        case Mapping():
            return None if value else "an empty object"
        case list():
            return (None if value else "an empty list") if lists else "a list, not an object"
        case _:
            return "a number"
