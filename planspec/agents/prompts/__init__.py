"""Prompts for models, as template files. Runs record their hashes."""

from planspec.agents.prompts.rendering import Prompts, PromptTemplateError
from planspec.deprecation import former_names

__all__ = ["PromptTemplateError", "Prompts"]

_FORMER_NAMES = {
    "PromptFault": "PromptTemplateError",
}
"""Public names of the previous release, by their new names. Using one warns."""

__getattr__ = former_names(__name__, _FORMER_NAMES)
