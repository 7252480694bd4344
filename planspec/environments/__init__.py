"""Environments in which agents meet a family's tasks: tools, materials and answer formats by setting."""

from planspec.deprecation import former_names
from planspec.environments.agent_task import AgentTask, Setting, UnknownSettingError
from planspec.environments.opened import every_setting, open_task

__all__ = ["AgentTask", "Setting", "UnknownSettingError", "every_setting", "open_task"]

_FORMER_NAMES = {
    "UnknownSetting": "UnknownSettingError",
}
"""Former names, which still work and warn."""

__getattr__ = former_names(__name__, _FORMER_NAMES)
