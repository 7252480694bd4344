"""Environments in which agents solve tasks. A setting determines the tools, materials and answer format."""

from planspec.deprecation import former_names
from planspec.environments.agent_task import AgentTask, Setting, UnknownSettingError
from planspec.environments.opened import every_setting, open_task

__all__ = ["AgentTask", "Setting", "UnknownSettingError", "every_setting", "open_task"]

_FORMER_NAMES = {
    "UnknownSetting": "UnknownSettingError",
}
"""Current names, by names of the previous release. Using a former name warns."""

__getattr__ = former_names(__name__, _FORMER_NAMES)
