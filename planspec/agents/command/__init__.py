"""Any program as an agent, over JSON lines on its standard input and output."""

from planspec.agents.command.agent import Command
from planspec.agents.command.protocol import schemas

__all__ = ["Command", "schemas"]
