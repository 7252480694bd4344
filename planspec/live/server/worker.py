"""A process beside the server for work that takes a while: what is asked of it can be taken back at any moment."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from pathlib import Path

from planspec.live.language.shapes import Json

LONGEST = 2**28
"""The most bytes of a result."""


class Worker:
    """Does one piece of work after the other, in a process that starts with the first one."""

    def __init__(self) -> None:
        self._process: Process | None = None
        self._turn = asyncio.Lock()

    async def ask(self, name: str, path: Path, texts: dict[str, str], params: Json) -> Json:
        """The result of a piece of work; whoever cancels this ends the process, and another one takes its place.

        Args:
            name: of the work.
            path: of the task.
            texts: the open documents by their paths, as they are typed.
            params: what else the work takes.
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
            made: Json = json.loads(line)
            return made

    def stop(self) -> None:
        """End the process, whatever it does."""
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
