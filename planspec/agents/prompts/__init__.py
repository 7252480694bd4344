"""Prompts for models: template files, whose hashes are recorded."""

from planspec.agents.prompts.rendering import Prompts, PromptTemplateError
from planspec.deprecation import former_names

__all__ = ["PromptTemplateError", "Prompts"]

_FORMER_NAMES = {
    "PromptFault": "PromptTemplateError",
}
"""Names of the previous release; using one warns."""

__getattr__ = former_names(__name__, _FORMER_NAMES)
