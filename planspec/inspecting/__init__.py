"""The families as tasks of Inspect (the extra `inspect`): `inspect eval planspec/worldtravel --model ...`.

Raises:
    ModuleNotFoundError: on import, where the extra is not installed.
"""

try:
    import inspect_ai  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "tasks of Inspect need an extra: pip install 'planspec[inspect]'", name=error.name
    ) from None

from planspec.inspecting.scoring import verdict
from planspec.inspecting.solving import give_tools, take_turns
from planspec.inspecting.tasks import mobilitybench, suite, travelplanner, veritrip, worldtravel

__all__ = [
    "give_tools",
    "mobilitybench",
    "suite",
    "take_turns",
    "travelplanner",
    "verdict",
    "veritrip",
    "worldtravel",
]
