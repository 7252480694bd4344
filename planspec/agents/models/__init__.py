"""Agents with a language model, and the provider-neutral protocol for chats with models."""

from planspec.agents.models.asking import Talk
from planspec.agents.models.chat import (
    Assistant,
    Chat,
    ChatRequestError,
    Message,
    Reply,
    System,
    ToolCall,
    ToolResult,
    User,
)
from planspec.agents.models.factories import Anthropic, ModelAgent, OpenAI
from planspec.agents.pictures import Image
from planspec.deprecation import former_names

__all__ = [
    "Anthropic",
    "Assistant",
    "Chat",
    "ChatRequestError",
    "Image",
    "Message",
    "ModelAgent",
    "OpenAI",
    "Reply",
    "System",
    "Talk",
    "ToolCall",
    "ToolResult",
    "User",
]

_FORMER_NAMES = {
    "ChatFailed": "ChatRequestError",
}
"""Current names, by names of the previous release. Using a former name warns."""

__getattr__ = former_names(__name__, _FORMER_NAMES)
