"""The environments in which agents meet a family's tasks: the tools and materials of each setting, and the answers' form."""

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
"""Names of the release before, which warn."""


def __getattr__(name: str) -> object:
    from planspec.deprecation import former_name

    return former_name(__name__, name, _FORMER_NAMES)
