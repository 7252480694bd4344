"""Worker process of the language server, for long work that can be cancelled."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from pathlib import Path

from planspec.live.language.shapes import Json

MAX_RESULT_BYTES = 2**28
"""Maximum size of a result, in bytes."""


class WorkerProcess:
    """A process that runs one action at a time. It is started on first use."""

    def __init__(self) -> None:
        self._process: Process | None = None
        self._turn = asyncio.Lock()

    async def run_action(self, name: str, path: Path, texts: dict[str, str], params: Json) -> Json:
        """Run an action in the process, and return its result.

        Cancelling the coroutine kills the process. The next action then starts a new one.

        Args:
            name: key of `planspec.live.language.work.PANEL_ACTIONS`.
            path: file of the task.
            texts: texts of the open documents by path.
            params: further parameters of the action.
        """
        request = {"work": name, "path": str(path), "texts": texts, "params": params}
        async with self._turn:
            process = await self._ensure_started()
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

    async def _ensure_started(self) -> Process:
        if self._process is None or self._process.returncode is not None:
            command = (sys.executable, "-P", "-m", "planspec.live.server.working")
            self._process = await asyncio.create_subprocess_exec(
                *command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=MAX_RESULT_BYTES
            )
        return self._process
