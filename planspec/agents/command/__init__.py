"""Programs as agents. They exchange JSON lines with planspec over standard input and output."""

from planspec.agents.command.agent import Command
from planspec.agents.command.protocol import schemas

__all__ = ["Command", "schemas"]
