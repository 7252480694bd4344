"""The environments in which agents meet a family's tasks: the tools and materials of each setting, and the answers' form."""

from planspec.environments.opened import (
    AgentTask,
    Setting,
    UnknownSetting,
    every_setting,
    open_task,
)

__all__ = ["AgentTask", "Setting", "UnknownSetting", "every_setting", "open_task"]
