"""How each family is put before an agent: the tools and materials of each setting, and how answers are written."""

from planspec.environments.opened import (
    Opened,
    Setting,
    UnknownSetting,
    every_setting,
    open_task,
    settings,
    tool_calls_of,
)

__all__ = ["Opened", "Setting", "UnknownSetting", "every_setting", "open_task", "settings", "tool_calls_of"]
