"""planspec's tasks on websites as tasks of BrowserGym."""

from planspec_browsergym.browser import NoBrowserError, use_chromium
from planspec_browsergym.registering import environment, register
from planspec_browsergym.task import SiteTask

__all__ = ["NoBrowserError", "SiteTask", "environment", "register", "use_chromium"]
