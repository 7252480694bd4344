"""One run of an agent on one task, whatever framework ran it; and how such runs are read."""

from planspec.traces.files import Unread, read_traces, write_traces
from planspec.traces.messages import read_messages, trace_of_messages
from planspec.traces.record import Call, Message, Result, Stage, Tokens, Trace

__all__ = [
    "Call",
    "Message",
    "Result",
    "Stage",
    "Tokens",
    "Trace",
    "Unread",
    "read_messages",
    "read_traces",
    "trace_of_messages",
    "write_traces",
]
