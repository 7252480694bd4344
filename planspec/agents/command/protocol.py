"""Messages between planspec and a program: one JSON object on each line, UTF-8, in both directions.

planspec starts the program once for an attempt and writes a task on its standard input:

    {"type": "task", "view": {"task": "berlin-012", "query": "...", "brief": "...", "tools": [...], ...}}

The program may call tools. Each call is answered under the `id` that the program gave it, in the order of the
calls. An invalid call is answered with `{"error": {"code": ..., "message": ...}}` and is not a failure:

    {"type": "call", "id": 1, "name": "get_hotel_list", "arguments": {"city": "Berlin"}}
    {"type": "result", "id": 1, "result": {"hotels": [...]}}

Data of pictures in a result are in the field `pictures` of the line, in the same order:

    {"type": "result", "id": 2, "result": {"pictures": [{"title": "Hotels", ...}]}, "pictures":
    [{"media_type": ..., "base64": ...}]}

The program may report each request to a model after its reply (it counts as a step), and messages and notes for the
trace. These lines get no answer:

    {"type": "tokens", "input": 812, "output": 90}
    {"type": "message", "role": "assistant", "text": "..."}
    {"type": "note", "name": "plan", "value": {...}}

The program ends the turn with an answer (a text or JSON), or says why it has none:

    {"type": "answer", "answer": {"itinerary": [...]}}
    {"type": "failed", "boundary": "provider", "message": "the model is not reachable"}

The answer is the last line of a turn. In a task with several turns, the next `task` goes to the same process;
a program that exited with status 0 after its answer is started again. When the attempt is over, standard
input ends. A moment later, a program that still runs is killed with every process that it started. Standard
error is free for the program's own messages; its last 64 KB are recorded. Lines must be flushed as they are
written, since a program that waits for a result with its call in a buffer waits forever.

Failures are recorded at a boundary: `adapter` (the program cannot be started, exits or closes its output
without an answer, or writes more after it), `decode` (a line is none of the above), `limit` (a line or the
whole output is too long, or a limit of the attempt is reached), `timeout` (the time is over), or the one in a
`failed` line.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from planspec.agents.desk import Desk
from planspec.agents.failures import AttemptFailedError, Boundary
from planspec.agents.pictures import Image, images_of
from planspec.agents.tools import JsonResult
from planspec.agents.view import TaskView
from planspec.traces.json_text import load, replace_surrogates
from planspec.verifiers.answers.tables import json_kind

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

EXCERPT_CHARS = 200
"""Maximum length of an excerpt from a line in a message, in characters."""
CallId: TypeAlias = str | int | None


class ProtocolLine(BaseModel):
    """Base class of the protocol's lines. Unknown fields are errors."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        serialize_by_alias=True,
        json_schema_serialization_defaults_required=True,
    )


class Earlier(ProtocolLine):
    """An earlier query of the attempt, and its answer."""

    query: str
    answer: str | None = Field(description="null if there was none")


class ToolEntry(ProtocolLine):
    """A tool that the program may call."""

    name: str
    description: str
    parameters: dict[str, JsonValue] = Field(description="JSON schema of the arguments")


class Picture(ProtocolLine):
    """A picture, with its title and data."""

    media_type: Literal["image/png", "image/jpeg"]
    base64: str


class LimitsEntry(ProtocolLine):
    """The limits of the attempt, over all its turns; null means no limit."""

    seconds: float
    tool_calls: int | None
    steps: int | None = Field(description="requests to a model")
    tokens: int | None


class LeftEntry(ProtocolLine):
    """Remaining amounts of the limits; null means no limit."""

    seconds: float
    tool_calls: int | None
    steps: int | None


class View(ProtocolLine):
    """The task as sent to the program."""

    task: str
    family: str | None
    setting: str
    query: str = Field(description="the user's message at this turn")
    turn: int = Field(description="index of the turn, from 0")
    earlier: list[Earlier]
    brief: str = Field(description="description of the answer format")
    answer_schema: dict[str, JsonValue] | None = Field(alias="schema", description="JSON schema of answers, or null")
    materials: dict[str, str] = Field(description="texts of the setting, by title")
    images: dict[str, Picture] = Field(description="pictures of the setting, by title")
    tools: list[ToolEntry]
    given: dict[str, JsonValue] = Field(description="further data of the setting")
    limits: LimitsEntry
    left: LeftEntry
    seed: int
    role: str = Field(description="role of the agent, or empty")


class TaskLine(ProtocolLine):
    """The line with a task to answer."""

    type: Literal["task"] = "task"
    view: View


def _make_pictures_optional(schema: dict[str, Any]) -> None:
    """Make `pictures` optional in the schema, because most results have none."""
    schema["required"].remove("pictures")


class ResultLine(ProtocolLine):
    """The result of a tool call."""

    model_config = ConfigDict(json_schema_extra=_make_pictures_optional)

    type: Literal["result"] = "result"
    id: CallId
    result: dict[str, JsonValue] = Field(
        description='the result, or {"error": {"code": ..., "message": ...}} for an invalid call'
    )
    pictures: list[Picture] | None = Field(
        default=None,
        description="data of the pictures that the result names in `pictures`; absent without any",
    )


class CallLine(ProtocolLine):
    """A call of a tool."""

    type: Literal["call"]
    id: CallId = Field(default=None, description="comes back with the result")
    name: JsonValue = Field(description="name of the tool")
    arguments: JsonValue = Field(default={}, description="an object, or its text as models give it")


class TokensLine(ProtocolLine):
    """The tokens of a request to a model, reported after its reply."""

    type: Literal["tokens"]
    input: int | None = Field(default=None, ge=0, description="null if the service does not report it")
    output: int | None = Field(default=None, ge=0, description="null if the service does not report it")
    cached: int | None = Field(default=None, ge=0, description="input tokens that the service had cached")
    model: str | None = Field(default=None, description="model whose price applies")
    role: str | None = Field(default=None, description="the part of the program that has its own policy")
    stage: str | None = Field(default=None, description="the part of the program that made the request")
    seconds: float | None = Field(
        default=None, ge=0, allow_inf_nan=False, description="duration of the request, which has just ended"
    )


class MessageLine(ProtocolLine):
    """A message of a conversation with a model, for the trace."""

    type: Literal["message"]
    role: str
    text: str | None


class NoteLine(ProtocolLine):
    """A note for the trace. It replaces an earlier note with the same name."""

    type: Literal["note"]
    name: str
    value: JsonValue


class AnswerLine(ProtocolLine):
    """The answer, which ends the turn."""

    type: Literal["answer"]
    answer: str | dict[str, JsonValue] | list[JsonValue]


class FailedLine(ProtocolLine):
    """The reason why there is no answer. This line ends the attempt."""

    type: Literal["failed"]
    boundary: Boundary
    message: str


ToProgram: TypeAlias = Annotated[TaskLine | ResultLine, Field(discriminator="type")]
FromProgram: TypeAlias = Annotated[
    CallLine | TokensLine | MessageLine | NoteLine | AnswerLine | FailedLine, Field(discriminator="type")
]
_FROM: TypeAdapter[FromProgram] = TypeAdapter(FromProgram)
_TO: TypeAdapter[ToProgram] = TypeAdapter(ToProgram)


def schemas() -> dict[str, dict[str, Any]]:
    """Return the JSON schema of the lines sent to a program under `to`, and of the lines read from it under `from`."""
    return {
        "to": _TO.json_schema(by_alias=True, mode="serialization"),
        "from": _FROM.json_schema(by_alias=True),
    }


def read_line(line: bytes, number: int) -> FromProgram:
    """Parse a line that a program wrote.

    Args:
        line: the line, without its line end.
        number: number of the line in the program's output, counted from 1.

    Raises:
        AttemptFailedError: the line does not follow the protocol.
    """
    where = f"line {number} of the program's output"
    try:
        value, _ = replace_surrogates(load(line.decode("utf-8")))
    except UnicodeDecodeError:
        raise AttemptFailedError("decode", f"{where} is not UTF-8: {excerpt(line)}") from None
    except ValueError:
        raise AttemptFailedError(
            "decode",
            f"{where} is not JSON: {excerpt(line)}; text that is not for planspec belongs on standard error",
        ) from None
    try:
        return _FROM.validate_python(value)
    except ValidationError as error:
        faults = "; ".join(list(dict.fromkeys(map(_describe_fault, error.errors())))[:3])
        raise AttemptFailedError("decode", f"{where} is invalid: {faults}: {excerpt(line)}") from None


def _describe_fault(fault: ErrorDetails) -> str:
    """Return a message about an invalid value in a line, with the path of the value."""
    place = fault["loc"]
    if place[:2] == ("answer", "answer") and fault["type"] != "missing":
        return f"`answer` is {json_kind(fault['input'])}; it must be an object, a list or a text; without an answer, write a line `failed`"
    return ": ".join(filter(None, (".".join(map(str, place[1:])), fault["msg"])))


def excerpt(line: bytes) -> str:
    """Return the beginning of a line, for a message."""
    text = line.decode("utf-8", "backslashreplace").strip()
    return f"`{text[:EXCERPT_CHARS]}`" + (" ..." if len(text) > EXCERPT_CHARS else "")


def task_line(view: TaskView, desk: Desk) -> bytes:
    """Return the line that sends a task to the program."""
    program_view = View.model_validate(
        {
            "task": view.task,
            "family": view.family,
            "setting": view.setting,
            "query": view.query,
            "turn": view.turn,
            "earlier": [Earlier(query=query, answer=answer) for query, answer in view.earlier],
            "brief": view.brief,
            "schema": None if view.schema is None else dict(view.schema),
            "materials": dict(view.materials),
            "images": {title: _picture(data) for title, data in view.images.items()},
            "tools": [
                ToolEntry(name=tool.name, description=tool.description, parameters=tool.parameters)
                for tool in view.tools.tools()
            ],
            "given": dict(view.given),
            "limits": LimitsEntry(
                seconds=view.limits.seconds,
                tool_calls=view.limits.tool_calls,
                steps=view.limits.steps,
                tokens=view.limits.tokens,
            ),
            "left": LeftEntry(seconds=round(desk.left, 3), tool_calls=desk.calls_left, steps=desk.steps_left),
            "seed": view.seed,
            "role": view.role,
        }
    )
    return _encode(TaskLine(view=program_view))


def result_line(id: CallId, result: JsonResult) -> bytes:
    """Return the line that sends the result of a call."""
    images = images_of(result)
    if not images:
        return _encode(ResultLine(id=id, result=result), exclude={"pictures"})
    return _encode(ResultLine(id=id, result=result, pictures=[_picture(image.data) for image in images]))


def _picture(data: bytes) -> Picture:
    image = Image("", data)
    return Picture(media_type=image.media, base64=image.base64)


def _encode(line: ProtocolLine, *, exclude: set[str] | None = None) -> bytes:
    # ASCII is safe in every locale, and for programs that treat U+2028 as a line end
    return (
        json.dumps(line.model_dump(exclude=exclude), ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"
    )
