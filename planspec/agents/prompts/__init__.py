"""Prompts for models, as template files. Runs record their hashes."""

from planspec.agents.prompts.rendering import Prompts, PromptTemplateError
from planspec.deprecation import former_names

__all__ = ["PromptTemplateError", "Prompts"]

_FORMER_NAMES = {
    "PromptFault": "PromptTemplateError",
}
"""Current names, by names of the previous release. Using a former name warns."""

__getattr__ = former_names(__name__, _FORMER_NAMES)
