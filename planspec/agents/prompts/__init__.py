"""Prompts of models: template files, whose hashes are recorded."""

from planspec.agents.prompts.rendering import Prompts, PromptTemplateError

__all__ = ["PromptTemplateError", "Prompts"]
