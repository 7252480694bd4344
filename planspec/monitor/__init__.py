"""A shared plan that several agents build at once, by transactions that never break a guarded rule."""

from planspec.deprecation import former_names
from planspec.monitor.guards import Guard, guards
from planspec.monitor.lock import TicketLock
from planspec.monitor.monitor import Monitor
from planspec.monitor.nights import NoNightsError
from planspec.monitor.replies import OK, Accepted, Refusal, Reply
from planspec.monitor.rpc import Client, Server, WireError, connect, serve

__all__ = [
    "OK",
    "Accepted",
    "Client",
    "Guard",
    "Monitor",
    "NoNightsError",
    "Refusal",
    "Reply",
    "Server",
    "TicketLock",
    "WireError",
    "connect",
    "guards",
    "serve",
]

_FORMER_NAMES = {
    "NoNights": "NoNightsError",
}
"""Names of the previous release; using one warns."""

__getattr__ = former_names(__name__, _FORMER_NAMES)
