"""Traces: records of an agent's run on a task, and readers for the formats of several frameworks."""

from planspec.traces.chat import chat_of
from planspec.traces.files import Unread, read_traces, write_traces
from planspec.traces.messages import read_messages, trace_of_messages
from planspec.traces.record import (
    Call,
    Generation,
    Message,
    OfferedTool,
    PromptIds,
    Result,
    Stage,
    Timing,
    Tokens,
    Trace,
)

__all__ = [
    "Call",
    "Generation",
    "Message",
    "OfferedTool",
    "PromptIds",
    "Result",
    "Stage",
    "Timing",
    "Tokens",
    "Trace",
    "Unread",
    "chat_of",
    "read_messages",
    "read_traces",
    "trace_of_messages",
    "write_traces",
]
