"""Planning tasks in which each constraint is defined once, for both the verifier and the solvers."""

_MODULES = {
    "api.certificates": ("Certificate",),
    "api.cases.report": ("CaseReport", "CaseResult"),
    "api.cases.testing": ("test",),
    "api.checking": ("check",),
    "api.outputs.audits": ("AuditOutput", "TaskAudit"),
    "api.comparison": ("compare",),
    "api.comparison_report": ("SuiteComparison", "TaskComparison"),
    "api.conversation": ("TurnOutcome", "follow"),
    "api.judging": ("Judge", "encode", "verify"),
    "api.loading": ("load", "loads", "task"),
    "api.task_files": ("write_answers", "write_tasks"),
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
    "api.requests.writing": ("WrittenRequest", "request"),
    "api.solving": ("solve", "validate"),
    "dsl.diagnostics.diagnostic": ("Diagnostic", "DiagnosticError"),
    "dsl.model.task": ("Task",),
    "agents.agent": ("UnknownAgentError",),
    "drafting.calls": ("InvalidReplyLogError", "ModelFailedError"),
    "drafting.output": ("DraftCheckOutput", "DraftOutput", "ParaphrasesOutput"),
    "drafting.verbs": ("check_text", "draft", "paraphrase"),
    "environments.agent_task": ("UnknownSettingError",),
    "environments.environment": (
        "Environment",
        "EpisodeOverError",
        "Outcome",
        "environment",
        "environments_of",
    ),
    "errors": (
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
    "scores.auditing": ("audit",),
    "scores.sampling": ("SampleScores", "score_many"),
    "scores.role_rewards": ("RewardGroup", "RoleReward", "RoleRewards", "role_rewards"),
    "scores.rescoring": ("rescore",),
    "scores.rescoring_report": ("MovedConstraint", "MovedVerdict", "Rescoring"),
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
"""Public names, by module. A module is loaded when one of its names is first used.

Before that, the program can already handle Ctrl-C. `__init__.pyi` lists the same names for type checkers.
"""
_MODULE = {name: module for module, names in _MODULES.items() for name in names}
__all__ = sorted(_MODULE)  # noqa: PLE0605 one table has the names
_FORMER_NAMES = {
    "BrokenRun": "InvalidRunError",
    "EpisodeOver": "EpisodeOverError",
    "UnknownSetting": "UnknownSettingError",
}
"""Current names, by names of the previous release. Using a former name warns."""


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "monitor":
        return import_module("planspec.monitor")
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
