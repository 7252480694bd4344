"""Strict parsing of JSON in the text of a reply. Error messages are sent to the model, which can correct its reply."""

from __future__ import annotations

import re
from typing import Any

from planspec.traces.json_text import load, replace_surrogates

_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCED = re.compile(r"\A[^`]*```(?:json)?[ \t]*\n(.*?)\n?[ \t]*```[^`]*\Z", re.DOTALL)


class InvalidReplyError(ValueError):
    """The reply lacks the required content. The error's message is sent to the model."""


def extract_json(text: str) -> Any:
    """Return the only JSON value in a reply: the whole text, or the content of a single fenced block.

    Reasoning between `<think>` and `</think>` at the beginning is ignored. Objects must not repeat a name.

    Raises:
        InvalidReplyError: there is no JSON value, or more than one.
    """
    answer = _THOUGHT.sub("", text).strip()
    try:
        value = load(answer, twice=False)
    except ValueError as fault:
        fenced = _FENCED.match(answer)
        if fenced is None:
            raise InvalidReplyError(f"it is neither JSON nor text with one fenced block of JSON ({fault})") from None
        try:
            value = load(fenced[1], twice=False)
        except ValueError as within:
            if "```" in fenced[1]:
                raise InvalidReplyError("it has more than one fenced block") from None
            raise InvalidReplyError(f"the fenced block is not JSON: {within}") from None
    return replace_surrogates(value)[0]
