"""The environments in which agents meet a family's tasks: the tools and materials of each setting, and the answers' form."""

from planspec.environments.opened import (
    AgentTask,
    Setting,
    UnknownSettingError,
    every_setting,
    open_task,
)

__all__ = ["AgentTask", "Setting", "UnknownSettingError", "every_setting", "open_task"]
