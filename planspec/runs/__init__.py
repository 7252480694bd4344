"""Runs of agents over suites. Attempts have separate processes and are recorded when they end; runs can be resumed."""

from planspec.deprecation import former_names
from planspec.runs.folder import UNCHAINED, BusyRunError, InvalidRunError, RunFolder
from planspec.runs.record import Attempt, Failure, Run, RunLimits, Turn
from planspec.runs.running import (
    ChangedSuiteError,
    FailingAgentError,
    Progress,
    RunOptions,
    begin,
    resume_run,
)

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
    "resume_run",
]

_FORMER_NAMES = {
    "BrokenRun": "InvalidRunError",
    "BusyRun": "BusyRunError",
    "ChangedSuite": "ChangedSuiteError",
    "FailingAgent": "FailingAgentError",
    "go_on": "resume_run",
}
"""Former names, which still work and warn."""

__getattr__ = former_names(__name__, _FORMER_NAMES)
