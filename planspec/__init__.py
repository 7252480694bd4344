"""planspec: planning tasks that are right. One source for a constraint; verifier, CP-SAT and Z3 agree on it."""

TYPE_CHECKING = (
    False  # what the program loads before it hears Ctrl-C is as good as nothing: not `typing` either
)
if TYPE_CHECKING:
    from planspec import monitor as monitor
    from planspec.api.checking import check
    from planspec.api.conversation import follow
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
    from planspec.errors import (
        DiagnosticError,
        Inexpressible,
        InternalError,
        KeepFails,
        LimitReached,
        NoPlaceFor,
        NotFound,
        NothingToRemove,
        PlanspecError,
        TourInputError,
        UnfitAnswers,
        UnfitTask,
        UnknownProfile,
    )
    from planspec.families.travelplanner.himap import rewards as rewards
    from planspec.scores.answers import Scores, score
    from planspec.solvers.backends.outcome import Limits

__all__ = [
    "DiagnosticError",
    "Inexpressible",
    "InternalError",
    "Judge",
    "KeepFails",
    "LimitReached",
    "Limits",
    "NoPlaceFor",
    "NotFound",
    "NothingToRemove",
    "PlanspecError",
    "Scores",
    "TourInputError",
    "UnfitAnswers",
    "UnfitTask",
    "UnknownProfile",
    "backbone",
    "beyond",
    "certify",
    "check",
    "count",
    "difficulty",
    "encode",
    "follow",
    "lint",
    "load",
    "loads",
    "repair",
    "score",
    "solve",
    "tighten",
    "tour",
    "validate",
    "verify",
    "why",
]

_MODULES = {
    "api.checking": ("check",),
    "api.judging": ("Judge", "encode", "verify"),
    "api.loading": ("load", "loads"),
    "api.solving": ("solve", "validate"),
    "api.conversation": ("follow",),
    "errors": (
        "DiagnosticError",
        "Inexpressible",
        "InternalError",
        "KeepFails",
        "LimitReached",
        "NoPlaceFor",
        "NotFound",
        "NothingToRemove",
        "PlanspecError",
        "TourInputError",
        "UnfitAnswers",
        "UnfitTask",
        "UnknownProfile",
    ),
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
    "scores.answers": ("Scores", "score"),
    "solvers.backends.outcome": ("Limits",),
}
"""The modules of the names above, loaded by the first use of one: the program hears Ctrl-C before it loads them."""
_MODULE = {name: module for module, names in _MODULES.items() for name in names}


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
        raise AttributeError(f"module `planspec` has no attribute `{name}`")
    found: object = getattr(import_module(f"planspec.{_MODULE[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
