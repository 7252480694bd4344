"""A task's tools, served over the Model Context Protocol (MCP). This needs the extra `mcp`."""

from planspec.serving.server import require_mcp, tool_server
from planspec.serving.transports import PATH, serve_http, serve_stdio

__all__ = ["PATH", "require_mcp", "serve_http", "serve_stdio", "tool_server"]
