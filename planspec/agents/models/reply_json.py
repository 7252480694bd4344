"""JSON in the text of a reply, read strictly: the model gets the mistake back and can write it again."""

from __future__ import annotations

import re
from typing import Any

from planspec.traces.json_text import load, whole_characters

_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCED = re.compile(r"\A[^`]*```(?:json)?[ \t]*\n(.*?)\n?[ \t]*```[^`]*\Z", re.DOTALL)


class InvalidReplyError(ValueError):
    """A reply that does not hold what it should; the message is for the model."""


def json_in(text: str) -> Any:
    """The one JSON value of a reply: the whole of it, or what its one fenced block holds.

    What a model says for itself between `<think>` and `</think>` before it is not looked at. No object may say a name
    twice.

    Raises:
        InvalidReplyError: there is none, or more than one.
    """
    said = _THOUGHT.sub("", text).strip()
    try:
        value = load(said, twice=False)
    except ValueError as fault:
        fenced = _FENCED.match(said)
        if fenced is None:
            raise InvalidReplyError(
                f"it is neither JSON nor text with one fenced block of JSON ({fault})"
            ) from None
        try:
            value = load(fenced[1], twice=False)
        except ValueError as within:
            if "```" in fenced[1]:
                raise InvalidReplyError("it has more than one fenced block") from None
            raise InvalidReplyError(f"the fenced block is no JSON: {within}") from None
    return whole_characters(value)[0]
