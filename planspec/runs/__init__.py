"""Runs of agents over suites: attempts in processes of their own, recorded as they end, and gone on with at any time."""

from planspec.runs.folder import UNCHAINED, BusyRunError, InvalidRunError, RunFolder
from planspec.runs.record import Attempt, Failure, Run, RunLimits, Turn
from planspec.runs.running import ChangedSuiteError, FailingAgentError, Progress, RunOptions, begin, go_on

__all__ = [
    "UNCHAINED",
    "Attempt",
    "BusyRunError",
    "ChangedSuiteError",
    "FailingAgentError",
    "Failure",
    "InvalidRunError",
    "Progress",
    "Run",
    "RunFolder",
    "RunLimits",
    "RunOptions",
    "Turn",
    "begin",
    "go_on",
]
