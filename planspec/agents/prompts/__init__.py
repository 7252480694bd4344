"""The prompts of models: templates in files, each with a hash that is recorded."""

from planspec.agents.prompts.rendering import PromptFault, Prompts

__all__ = ["PromptFault", "Prompts"]
