"""Environments in which agents meet a family's tasks: tools, materials and answer formats by setting."""

from planspec.environments.opened import (
    AgentTask,
    Setting,
    UnknownSettingError,
    every_setting,
    open_task,
)

__all__ = ["AgentTask", "Setting", "UnknownSettingError", "every_setting", "open_task"]

_FORMER_NAMES = {
    "UnknownSetting": "UnknownSettingError",
}
"""Former names, which still work and warn."""


def __getattr__(name: str) -> object:
    from planspec.deprecation import former_name

    return former_name(__name__, name, _FORMER_NAMES)
