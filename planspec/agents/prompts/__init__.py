"""The prompts of models: templates in files, each with a hash that is recorded."""

from planspec.agents.prompts.rendering import Prompts, PromptTemplateError

__all__ = ["PromptTemplateError", "Prompts"]
