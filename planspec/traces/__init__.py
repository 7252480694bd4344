"""One run of an agent on one task, whatever framework ran it; and how such runs are read."""

from planspec.families.mobilitybench.traces_reading import read_mobilitybench, trace_of_mobilitybench
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
    "read_mobilitybench",
    "read_traces",
    "trace_of_messages",
    "trace_of_mobilitybench",
    "write_traces",
]
