"""Runs of agents over suites. Each attempt has its own process and is recorded when it ends. Runs can be resumed."""

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
"""Current names, by former name. Former names still work, with a warning."""

__getattr__ = former_names(__name__, _FORMER_NAMES)
