"""The monitor: a plan that several agents build concurrently, without ever violating a guarded rule."""

from planspec.monitor.guards import Guard, guards
from planspec.monitor.lock import TicketLock
from planspec.monitor.monitor import Monitor
from planspec.monitor.replies import OK, Accepted, Refusal, Reply
from planspec.monitor.rpc import Client, Server, WireError, connect, serve

__all__ = [
    "OK",
    "Accepted",
    "Client",
    "Guard",
    "Monitor",
    "Refusal",
    "Reply",
    "Server",
    "TicketLock",
    "WireError",
    "connect",
    "guards",
    "serve",
]
