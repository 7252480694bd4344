"""The JSON in the text that an agent returned, or the reason why there is none."""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial, reduce
from typing import Any, TypeAlias

from planspec.dsl.resources.limits import ANSWER_BYTES, ANSWER_ITEMS, ANSWER_NAME, ANSWER_VALUES, DEPTH
from planspec.dsl.resources.reading import size
from planspec.dsl.yaml.json_text import InvalidJsonError, decoder, has_half
from planspec.verifiers.answers.findings import FindingLog, ShapeFinding, pointer

_Path: TypeAlias = "tuple[_Path, str | int] | None"
"""The path of a value: the path of its container, and its place there."""
Fits: TypeAlias = Callable[[Any], bool]
"""Whether JSON, without an envelope, has what answers in a task's format have."""
_COLLECTION = (Mapping, list, tuple)
OTHER_ANSWERS = frozenset({"infeasible", "turns"})
"""The keys that an envelope may have in place of a plan: rules that cannot hold together, or a plan for each
turn."""
ADDRESS = frozenset({"task", "sample"})
"""The keys by which an envelope says which answer it holds: of which task, and which of several."""

_FENCE = re.compile(
    r"^[ \t]*+(```++|~~~++)[^\n`]*+\n(.*?)(?:^[ \t]*+\1[`~]*+[ \t]*+$|\Z)", re.DOTALL | re.MULTILINE
)
_OPENERS = {
    lists: (re.compile(form), re.compile(f"^(?:{form})", re.MULTILINE))
    for lists, form in ((False, r"\{(?=\s*+\")"), (True, r"\{(?=\s*+\")|\[(?=\s*+\{\s*+\")"))
}
_BEGUN = re.compile(r'(?:\[\s*+)?\{\s*+"(?:[^"\\]|\\.){0,200}+"\s*+:')
_MOST_BROKEN = (
    100  # after that many objects that break off, prose is not searched on: each costs a walk over all of it
)
_MOST_TRIED = 1_000
"""So many objects of a text, from its end, are looked at for an answer among them."""
_CALL = frozenset({"name", "arguments", "id", "type"})
"""The keys of a tool call that a model writes out."""
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

    The last of several objects that is an answer counts, since drafts stand before the answer: an envelope, a refusal, or
    what fits. If none is one, the last object counts. The envelope `{"task": ..., "plan": ...}` is opened; the plan in it
    may be such a text again. A tool call that a model wrote out, `{"name": ..., "arguments": {...}}`, is an answer if its
    arguments, or the only one of them, are.

    Args:
        data: the text, or its UTF-8.
        lists: a list can be an answer too.
        bare: an object with nothing but a `plan` is the answer itself, since the task has a table of that name.
        fits: tells answers from other JSON; None if the task is not known, whose answers fit its format.

    Returns:
        The answer, or why there is none. Nothing is raised, whatever the data.
    """
    form = _Form(lists, bare, fits)
    if len(data) > ANSWER_BYTES:
        return _addressed(Undelivered(f"the answer is larger than {size(ANSWER_BYTES)}"), data)
    if isinstance(data, bytes):
        try:
            data = data.decode("utf-8")
        except UnicodeDecodeError as error:
            return _addressed(Undelivered(f"the answer is not UTF-8 (byte {error.start})"), data)
    read = _parsed(data.removeprefix("\ufeff"), form)
    if isinstance(read, Undelivered):
        return _addressed(read, data)
    return _opened(read, form)


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


def open_answer(
    data: Any, *, lists: bool = False, bare: bool = False, fits: Fits | None = None
) -> Answer | Undelivered:
    """The answer in JSON that was decoded already; an envelope is opened as that of a text is.

    Args:
        data: what `json.loads` gives.
        lists: a list can be an answer too.
        bare: as for a text.
        fits: likewise.
    """
    try:
        read = _plain(data)
    except _RefusedTextError as error:
        return Undelivered(str(error))
    return _opened(read, _Form(lists, bare, fits))


class _RefusedTextError(ValueError):
    """The text is JSON or nearly so, and is not taken."""


@dataclass(frozen=True, slots=True)
class _Read:
    value: Any
    findings: tuple[ShapeFinding, ...]
    alone: bool = field(default=True, compare=False)


@dataclass(frozen=True, slots=True)
class _Form:
    """The form of answers to a task: the arguments of `read_answer`.

    Attributes:
        inner: the text stands in an envelope already, so that it can hold no other.
    """

    lists: bool
    bare: bool
    fits: Fits | None
    inner: bool = False

    def has(self, value: Any) -> bool:
        """JSON that is an answer: an envelope, a refusal, or what fits."""
        if isinstance(value, Mapping):
            if value and value.keys() <= OTHER_ANSWERS:
                return True
            if not self.inner and (_is_other(value) or _encloses(value, bare=self.bare)):
                return True
        return self.fits is not None and self.fits(value)

    def submitted(self, value: Any) -> Any:
        """The answer in a tool call that a model wrote out; the value itself if it is no such call."""
        if (
            not isinstance(value, Mapping)
            or not {"name", "arguments"} <= value.keys() <= _CALL
            or self.has(value)
        ):
            return value
        arguments = value["arguments"]
        only = arguments.values() if isinstance(arguments, Mapping) and len(arguments) == 1 else ()
        parts = (part for part in (arguments, *only) if isinstance(part, _COLLECTION))
        return next((part for part in parts if self.has(part)), value)


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

    Where the only escapes are those of whole characters by their numbers, no text has a quote within, and none is longer
    than what stands between two quotes.
    """
    return _is_bounded(text) and (len(text) <= ANSWER_NAME or max(map(len, text.split('"'))) <= ANSWER_NAME)


def _is_bounded(text: str) -> bool:
    """The same but for the length of names."""
    return (
        len(text) < min(ANSWER_ITEMS, ANSWER_VALUES)
        and text.count("[") + text.count("{") <= DEPTH
        and not _has_hidden(text)
        and not has_half(text)
    )


def _has_hidden(text: str) -> bool:
    """An escape in a text is none by a number, or spells half of a character."""
    escapes = text.count("\\")
    return escapes > 0 and (escapes != text.count("\\u") or "\\ud" in text or "\\uD" in text)


def _whole(text: str) -> int | Decimal:
    return int(text) if len(text) <= _LONGEST_WHOLE else Decimal(text)


_PLAIN_DECODER = decoder(exact=True, pairs=_plain_object, whole=_whole)


def _parsed(text: str, form: _Form) -> _Read | Undelivered:
    """The answer in a text; if none of its objects is one, the last of them.

    No object counts that stands before one that breaks off, or no part of an answer would be the whole; but in a
    fence it counts if what breaks off is prose behind it. Neither does a refusal in the midst of a sentence take back what is fenced:
    briefs say in one how to refuse.
    """
    if (plain := _plainly(text)) is not None:
        return plain
    if not text or text.isspace():
        return Undelivered("the answer is empty")
    parser = _Parser(text)
    try:
        return parser.whole(text)
    except json.JSONDecodeError as error:
        reason = _broken(error)
    except (ValueError, RecursionError, ArithmeticError) as error:
        return Undelivered(_reason(error))
    last: _Read | None = None
    tries, breaks_off, only_fenced = _MOST_TRIED, False, False
    for part, fenced in reversed(list(_parts(text))):
        found, broken = _objects(parser, part, lists=form.lists)
        if broken is not None:
            if fenced:
                return Undelivered(broken)
            reason, breaks_off, only_fenced = (reason if breaks_off else broken), True, True
        while found and tries and (fenced or not only_fenced):
            read, begins_line = found.pop()
            last = last or read
            tries -= 1
            if not fenced and not begins_line and _refuses(read.value):
                only_fenced = True
            elif form.has(read.value) or form.submitted(read.value) is not read.value:
                return replace(read, alone=False)
    return Undelivered(reason) if last is None else replace(last, alone=False)


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """What stands in the fences of a text and what stands between them, in order, and whether it is fenced."""
    at = 0
    for block in _FENCE.finditer(text):
        yield text[at : block.start()], False
        yield block.group(2), True
        at = block.end()
    yield text[at:], False


def _objects(parser: _Parser, text: str, *, lists: bool) -> tuple[deque[tuple[_Read, bool]], str | None]:
    """The last complete objects in prose, each with whether it begins a line, and why what follows the last of them cannot be read.

    A text that begins like an object and breaks off is no part of an answer, and neither is what stands before it. The next
    object then begins at the start of a line. Each character is read about once.
    """
    anywhere, line_start = _OPENERS[lists]
    found: deque[tuple[_Read, bool]] = deque(maxlen=_MOST_TRIED)
    reason: str | None = None
    broken = 0
    at = anywhere.search(text)
    while at is not None and broken < _MOST_BROKEN:
        start = at.start()
        opener, end = anywhere, start + 1
        if _BEGUN.match(text, start):
            try:
                read, end = parser.part(text, start)
            except json.JSONDecodeError as error:
                found.clear()
                reason = _broken(error)
                opener, end = line_start, max(error.pos, start + 1)
                broken += 1
            except (ValueError, RecursionError, ArithmeticError) as error:
                return deque(), _reason(error)
            else:
                found.append((read, line_start.match(text, start) is not None))
                reason = None
        at = opener.search(text, end)
    return found, reason


def _broken(error: json.JSONDecodeError) -> str:
    return f"the answer is not JSON: {error.msg} (line {error.lineno}, column {error.colno})"


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return f"the answer nests deeper than {DEPTH} levels"
    if isinstance(error, InvalidJsonError):
        return f"the answer has {error}, which is no JSON"
    return (
        str(error) if isinstance(error, _RefusedTextError) else "the answer has a number that cannot be read"
    )


def _plain(value: Any) -> _Read:
    """The value, with a finding for each repeated name.

    Raises:
        _RefusedTextError: it is too deep or too much, or has half of a surrogate pair, which no other program could be given.
    """
    findings = FindingLog()
    level: list[tuple[Any, _Path]] = [(value, None)] if isinstance(value, _COLLECTION) else []
    count = 0
    for _ in range(DEPTH):
        inner: list[tuple[Any, _Path]] = []
        for item, path in level:
            count += len(item)
            if count > ANSWER_VALUES:
                raise _RefusedTextError(f"the answer has more than {ANSWER_VALUES:,} values")
            if isinstance(item, _Object):
                for name in item.repeated:
                    message = f"`{name[:60]}` stands twice in one object; the last counts"
                    findings.add(ShapeFinding("duplicate-name", message, _pointer((path, name))))
            elif not isinstance(item, Mapping) and len(item) > ANSWER_ITEMS:
                raise _RefusedTextError(f"the answer has a list of more than {ANSWER_ITEMS:,} items")
            parts: Iterable[tuple[str | int, Any]] = (
                item.items() if isinstance(item, Mapping) else enumerate(item)
            )
            for place, part in parts:
                _check_text(place)
                _check_text(part)
                if isinstance(place, str) and len(place) > ANSWER_NAME:
                    raise _RefusedTextError(f"the answer has a name of more than {ANSWER_NAME:,} characters")
                if isinstance(part, _COLLECTION):
                    inner.append((part, (path, place)))
        level = inner
    if level:
        raise _RefusedTextError(f"the answer nests deeper than {DEPTH} levels")
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
        raise _RefusedTextError("the answer has half of a surrogate pair, which is no Unicode")


def _opened(read: _Read | Undelivered, form: _Form) -> Answer | Undelivered:
    """The plan without its envelope."""
    if isinstance(read, Undelivered):
        return read
    value, findings = form.submitted(read.value), read.findings
    envelope = None if form.inner or not isinstance(value, Mapping) else value
    if envelope is not None and _is_other(envelope):
        return Answer(
            _named(envelope),
            {key: envelope[key] for key in envelope.keys() & OTHER_ANSWERS},
            findings,
            _beside(envelope),
            alone=read.alone,
        )
    if envelope is None or not _encloses(envelope, bare=form.bare):
        what = _no_answer(value, lists=form.lists)
        return (
            Undelivered(f"the answer is {what}") if what else Answer(None, value, findings, alone=read.alone)
        )
    named, beside = _named(envelope), _beside(envelope)
    plan = envelope["plan"]
    if isinstance(plan, str):
        inner = replace(form, inner=True)
        opened = _opened(_parsed(plan, inner), inner)
        if isinstance(opened, Undelivered):
            return Undelivered(opened.reason, named, beside)
        return Answer(
            named, opened.plan, findings + opened.findings, beside, alone=read.alone and opened.alone
        )
    what = _no_answer(plan, lists=form.lists)
    if what:
        return Undelivered(f"the answer's plan is {what}", named, beside)
    return Answer(named, plan, findings, beside, alone=read.alone)


def _encloses(value: Mapping[str, Any], *, bare: bool) -> bool:
    """An object with a `plan` is an envelope: it has an address, or nothing else."""
    return "plan" in value and ("task" in value or (not bare and ("sample" in value or len(value) == 1)))


def _refuses(value: Any) -> bool:
    """A refusal, or answers to turns, with nothing besides but an address."""
    return (
        isinstance(value, Mapping)
        and len(value.keys() - ADDRESS) == 1
        and not OTHER_ANSWERS.isdisjoint(value)
    )


def _is_other(value: Mapping[str, Any]) -> bool:
    """An envelope that has something else in place of a plan, and nothing besides."""
    return "task" in value and _refuses(value)


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
