"""Worker process of the language server for cancellable long-running work."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from pathlib import Path

from planspec.live.language.shapes import Json

LONGEST = 2**28
"""Largest size of a result, in bytes."""


class Worker:
    """Process that does one piece of work at a time and starts with the first one."""

    def __init__(self) -> None:
        self._process: Process | None = None
        self._turn = asyncio.Lock()

    async def ask(self, name: str, path: Path, texts: dict[str, str], params: Json) -> Json:
        """Return the result of a piece of work.

        Cancelling the call kills the process; the next call starts another.

        Args:
            name: name of the work.
            path: file of the task.
            texts: texts of the open documents by path.
            params: further parameters of the work.
        """
        request = {"work": name, "path": str(path), "texts": texts, "params": params}
        async with self._turn:
            process = await self._started()
            assert process.stdin is not None and process.stdout is not None
            try:
                process.stdin.write(json.dumps(request).encode() + b"\n")
                await process.stdin.drain()
                line = await process.stdout.readline()
            except asyncio.CancelledError:
                self.stop()
                raise
            except OSError:
                line = b""
            if not line:
                self.stop()
                return {"error": "the worker has ended; it starts again with the next question"}
            result: Json = json.loads(line)
            return result

    def stop(self) -> None:
        """Kill the process."""
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()

    async def _started(self) -> Process:
        if self._process is None or self._process.returncode is not None:
            command = (sys.executable, "-P", "-m", "planspec.live.server.working")
            self._process = await asyncio.create_subprocess_exec(
                *command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=LONGEST
            )
        return self._process
