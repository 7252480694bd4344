"""Runs of agents over suites: attempts in processes of their own, recorded as they end, and gone on with at any time."""

from planspec.runs.folder import UNCHAINED, BrokenRun, BusyRun, RunFolder
from planspec.runs.record import Attempt, Failure, Run, RunLimits, Turn
from planspec.runs.running import ChangedSuite, FailingAgent, Progress, RunOptions, begin, go_on

__all__ = [
    "UNCHAINED",
    "Attempt",
    "BrokenRun",
    "BusyRun",
    "ChangedSuite",
    "FailingAgent",
    "Failure",
    "Progress",
    "Run",
    "RunFolder",
    "RunLimits",
    "RunOptions",
    "Turn",
    "begin",
    "go_on",
]
