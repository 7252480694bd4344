"""Planning tasks in which each constraint is defined once: the verifier and the solvers agree on it."""

TYPE_CHECKING = False  # `typing` would be loaded before the program handles Ctrl-C
if TYPE_CHECKING:
    from planspec import monitor as monitor
    from planspec.api.cases.testing import CaseReport, CaseResult, test
    from planspec.api.certificates import Certificate
    from planspec.api.checking import check
    from planspec.api.comparison import SuiteComparison, TaskComparison, compare
    from planspec.api.conversation import TurnOutcome, follow
    from planspec.api.judging import Judge, encode, verify
    from planspec.api.loading import load, loads
    from planspec.api.proofs import (
        backbone,
        beyond,
        certify,
        count,
        difficulty,
        lint,
        repair,
        tighten,
        tour,
        why,
    )
    from planspec.api.solving import solve, validate
    from planspec.dsl.diagnostics.diagnostic import Diagnostic
    from planspec.dsl.model.task import Task
    from planspec.environments.environment import (
        Environment,
        EpisodeOverError,
        Outcome,
        environment,
        environments_of,
    )
    from planspec.environments.opened import UnknownSettingError
    from planspec.errors import (
        DiagnosticError,
        InexpressiblePlanError,
        InternalError,
        KeptPlanError,
        LimitReachedError,
        LostWorkerError,
        NotFoundError,
        NothingToRemoveError,
        PlanspecError,
        TourInputError,
        UnknownProfileError,
        UnremovableRowsError,
        UnsuitableAnswersError,
        UnsuitableClusterError,
        UnsuitableTaskError,
    )
    from planspec.exports.frames import Frames, frames
    from planspec.families.travelplanner.himap import rewards as rewards
    from planspec.parallel import RayCluster
    from planspec.report.plots import Plot, Plots, plots
    from planspec.runs.folder import InvalidRunError
    from planspec.scores.answers import Scores, score
    from planspec.scores.rescoring import MovedConstraint, MovedVerdict, Rescoring, rescore
    from planspec.scores.role_rewards import RewardGroup, RoleReward, RoleRewards, role_rewards
    from planspec.scores.sampling import SampleScores, score_many
    from planspec.solvers.backends.outcome import Limits, Status
    from planspec.solvers.questions.beyond_scope import Beyond
    from planspec.solvers.questions.conflicts import Conflict, Member, Relaxation
    from planspec.solvers.questions.difficulty import Difficulty
    from planspec.solvers.questions.enumerate import Backbone, Count
    from planspec.solvers.questions.prove import Solution
    from planspec.solvers.questions.repair import Repair
    from planspec.solvers.questions.tighten import Tightening
    from planspec.solvers.questions.validation import Validation
    from planspec.solvers.tour.outcome import Tour
    from planspec.verifiers.meaning.plan_rows import Plan
    from planspec.verifiers.meaning.verdict import Finding, Verdict

__all__ = [
    "Backbone",
    "Beyond",
    "CaseReport",
    "CaseResult",
    "Certificate",
    "Conflict",
    "Count",
    "Diagnostic",
    "DiagnosticError",
    "Difficulty",
    "Environment",
    "EpisodeOverError",
    "Finding",
    "Frames",
    "InexpressiblePlanError",
    "InternalError",
    "InvalidRunError",
    "Judge",
    "KeptPlanError",
    "LimitReachedError",
    "Limits",
    "LostWorkerError",
    "Member",
    "MovedConstraint",
    "MovedVerdict",
    "NotFoundError",
    "NothingToRemoveError",
    "Outcome",
    "Plan",
    "PlanspecError",
    "Plot",
    "Plots",
    "RayCluster",
    "Relaxation",
    "Repair",
    "Rescoring",
    "RewardGroup",
    "RoleReward",
    "RoleRewards",
    "SampleScores",
    "Scores",
    "Solution",
    "Status",
    "SuiteComparison",
    "Task",
    "TaskComparison",
    "Tightening",
    "Tour",
    "TourInputError",
    "TurnOutcome",
    "UnknownProfileError",
    "UnknownSettingError",
    "UnremovableRowsError",
    "UnsuitableAnswersError",
    "UnsuitableClusterError",
    "UnsuitableTaskError",
    "Validation",
    "Verdict",
    "backbone",
    "beyond",
    "certify",
    "check",
    "compare",
    "count",
    "difficulty",
    "encode",
    "environment",
    "environments_of",
    "follow",
    "frames",
    "lint",
    "load",
    "loads",
    "plots",
    "repair",
    "rescore",
    "role_rewards",
    "score",
    "score_many",
    "solve",
    "test",
    "tighten",
    "tour",
    "validate",
    "verify",
    "why",
]

_MODULES = {
    "api.certificates": ("Certificate",),
    "api.cases.testing": ("CaseReport", "CaseResult", "test"),
    "api.checking": ("check",),
    "api.comparison": ("SuiteComparison", "TaskComparison", "compare"),
    "api.conversation": ("TurnOutcome", "follow"),
    "api.judging": ("Judge", "encode", "verify"),
    "api.loading": ("load", "loads"),
    "api.proofs": (
        "backbone",
        "beyond",
        "certify",
        "count",
        "difficulty",
        "lint",
        "repair",
        "tighten",
        "tour",
        "why",
    ),
    "api.solving": ("solve", "validate"),
    "dsl.diagnostics.diagnostic": ("Diagnostic",),
    "dsl.model.task": ("Task",),
    "environments.opened": ("UnknownSettingError",),
    "environments.environment": (
        "Environment",
        "EpisodeOverError",
        "Outcome",
        "environment",
        "environments_of",
    ),
    "errors": (
        "DiagnosticError",
        "InexpressiblePlanError",
        "InternalError",
        "KeptPlanError",
        "LimitReachedError",
        "LostWorkerError",
        "UnremovableRowsError",
        "NotFoundError",
        "NothingToRemoveError",
        "PlanspecError",
        "TourInputError",
        "UnsuitableAnswersError",
        "UnsuitableClusterError",
        "UnsuitableTaskError",
        "UnknownProfileError",
    ),
    "exports.frames": ("Frames", "frames"),
    "parallel": ("RayCluster",),
    "report.plots": ("Plot", "Plots", "plots"),
    "runs.folder": ("InvalidRunError",),
    "scores.answers": ("Scores", "score"),
    "scores.sampling": ("SampleScores", "score_many"),
    "scores.role_rewards": ("RewardGroup", "RoleReward", "RoleRewards", "role_rewards"),
    "scores.rescoring": ("MovedConstraint", "MovedVerdict", "Rescoring", "rescore"),
    "solvers.backends.outcome": ("Limits", "Status"),
    "solvers.questions.beyond_scope": ("Beyond",),
    "solvers.questions.conflicts": ("Conflict", "Member", "Relaxation"),
    "solvers.questions.difficulty": ("Difficulty",),
    "solvers.questions.enumerate": ("Backbone", "Count"),
    "solvers.questions.prove": ("Solution",),
    "solvers.questions.validation": ("Validation",),
    "solvers.questions.repair": ("Repair",),
    "solvers.questions.tighten": ("Tightening",),
    "solvers.tour.outcome": ("Tour",),
    "verifiers.meaning.plan_rows": ("Plan",),
    "verifiers.meaning.verdict": ("Finding", "Verdict"),
}
"""Public names by module. A module is loaded on first use, so that the program handles Ctrl-C before that."""
_MODULE = {name: module for module, names in _MODULES.items() for name in names}
_FORMER_NAMES = {
    "BrokenRun": "InvalidRunError",
    "EpisodeOver": "EpisodeOverError",
    "UnknownSetting": "UnknownSettingError",
}
"""Names of the previous release; using one warns."""


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "monitor":
        return import_module("planspec.monitor")
    if name == "rewards":
        return import_module("planspec.families.travelplanner.himap.rewards")
    if name == "__version__":
        from importlib.metadata import version

        return version("planspec")
    if name not in _MODULE:
        from planspec.deprecation import former_names
        from planspec.errors import FORMER_NAMES

        return former_names("planspec", {**FORMER_NAMES, **_FORMER_NAMES})(name)
    value: object = getattr(import_module(f"planspec.{_MODULE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
