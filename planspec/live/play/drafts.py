"""Drafts of tasks started from the page of `planspec play`, one at a time, each in a process.

The process is ended when the page closes its stream of events.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any

from planspec.files import replace_text
from planspec.live.loopback import HEARTBEAT_S, Message
from planspec.live.play.jobs import DraftJob, DraftSettings
from planspec.live.play.record import DraftShown, EndShown
from planspec.report.texts import line

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
"""Valid name of a draft, which is the name of its file without the suffix."""
MOST_NAME = 60
MOST_REQUEST = 1_000_000
"""Maximum length of a request, in characters."""
MOST_DRAFTS = 9
EXIT_GRACE_S = 2.0
"""Seconds that a stopped process has to exit by itself before it is killed."""
BUSY = "Another draft is being written; stop it first."
STOPPED = "Stopped. The replies so far are in {log}; a draft of the same words and name goes on from them."


class InvalidRequestError(ValueError):
    """The message from the page is invalid, or refers to something that does not exist."""


class DraftProcess:
    """A process that drafts a task.

    Args:
        job: the request.
    """

    def __init__(self, job: DraftJob) -> None:
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "planspec.live.play"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        Thread(target=self._read, daemon=True).start()
        self._write(job.model_dump_json())

    def answer(self, text: str) -> None:
        """Send the user's answer to the process."""
        self._write(json.dumps(text))

    def events(self) -> Iterator[str | None]:
        """Yield events as JSON until the process ends, and None as a heartbeat while there are none."""
        while True:
            try:
                text = self._lines.get(timeout=HEARTBEAT_S)
            except Empty:
                yield None
                continue
            if text is None:
                return
            yield text.rstrip("\n")

    def stop(self) -> None:
        """End the process and the programs started by it."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()  # when its input ends, the process exits together with its programs
        try:
            self._process.wait(EXIT_GRACE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _write(self, text: str) -> None:
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):  # if the process has ended, its events say so
            self._process.stdin.write(text + "\n")
            self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            for text in stream:
                self._lines.put(text)
        self._lines.put(None)


class Drafts:
    """The drafts started on one server.

    Args:
        settings: options of the command; None if no model was given, so that drafting is off.
        folder: folder of the drafts.
        add_task: takes the name and the file of a finished draft, and returns the number of its task on the page.
        is_ending: returns whether the server is shutting down.
    """

    def __init__(
        self,
        settings: DraftSettings | None,
        folder: Path,
        add_task: Callable[[str, Path], int],
        is_ending: Callable[[], bool],
    ) -> None:
        self._settings, self._folder, self._add_task, self._is_ending = settings, folder, add_task, is_ending
        self._jobs: dict[str, DraftJob] = {}
        self._lock = Lock()
        self._number = 0
        self._running: tuple[str, DraftProcess] | None = None
        self._stopped: set[str] = set()

    def start(self, message: Message, like: Callable[[Any], Path | None]) -> dict[str, Any]:
        """Prepare a draft, which begins when the page opens its stream of events.

        Args:
            message: `query`, `name`, and optional `library`, `world`, `like` and `drafts`.
            like: function from the value of `like` in the message to the file of that task, or None.

        Returns:
            The number of the draft, or an error.
        """
        try:
            job = self._job(message, like)
        except InvalidRequestError as error:
            return {"error": str(error)}
        with self._lock:
            self._number += 1
            number = str(self._number)
            self._jobs = {number: job}
        return {"draft": number}

    def _job(self, message: Message, like: Callable[[Any], Path | None]) -> DraftJob:
        """Return the job described by a message.

        Raises:
            InvalidRequestError: the message is invalid.
        """
        if self._settings is None:
            raise InvalidRequestError("`planspec play` was started without --model")
        if self._running is not None:
            raise InvalidRequestError(BUSY)
        query, name, drafts = message.get("query"), message.get("name"), message.get("drafts", 2)
        if not isinstance(query, str) or not query.strip() or len(query) > MOST_REQUEST:
            raise InvalidRequestError("Write the request first.")
        if not isinstance(name, str) or not NAME.fullmatch(name) or len(name) > MOST_NAME:
            raise InvalidRequestError("The name has small letters, digits and hyphens, such as `town-walk`.")
        if not isinstance(drafts, int) or not 1 <= drafts <= MOST_DRAFTS:
            raise InvalidRequestError(f"The number of drafts is from 1 to {MOST_DRAFTS}.")
        out = self._folder / f"{name}.task.yaml"
        if out.exists():
            raise InvalidRequestError(f"{out.name} exists; choose another name.")
        path = like(message.get("like"))
        return DraftJob(
            query=query,
            out=str(out),
            library=_word(message, "library"),
            world=_word(message, "world"),
            like=None if path is None else str(path),
            drafts=drafts,
            settings=self._settings,
        )

    def events(self, number: str) -> Iterator[str | None] | None:
        """Return the events of a prepared draft; None if there is no draft with this number.

        The draft starts with the first event and is stopped when the iterator is closed.
        """
        with self._lock:
            job = self._jobs.pop(number, None)
        return None if job is None else self._stream(number, job)

    def _stream(self, number: str, job: DraftJob) -> Iterator[str | None]:
        with self._lock:
            process = DraftProcess(job) if self._running is None else None
            if process is not None:
                self._running = number, process
        if process is None:
            yield EndShown(ended=BUSY).model_dump_json()
            return
        last = None
        try:
            for event in process.events():
                if self._is_ending():
                    return
                if event is not None and self._is_last(event):
                    last = event
                    break
                yield event
        finally:  # the next draft may begin once the page has received the last event
            process.stop()
            with self._lock:
                self._running = None
        if last is None:
            yield self._end(number, job).model_dump_json(exclude_defaults=True)
        else:
            yield self._with_task(last, job)

    @staticmethod
    def _is_last(event: str) -> bool:
        fields = json.loads(event)
        return "ended" in fields or ("finished" in fields and not fields.get("asks"))

    def _with_task(self, event: str, job: DraftJob) -> str:
        """Return the last event as JSON, with the number of the new task if a file was written."""
        if not json.loads(event).get("file"):
            return event
        path = Path(job.out)
        task = self._add_task(path.name.removesuffix(".task.yaml"), path)
        shown = DraftShown.model_validate_json(event).model_copy(update={"task": task})
        return shown.model_dump_json(exclude_defaults=True)

    def _end(self, number: str, job: DraftJob) -> EndShown:
        if number in self._stopped:
            log = line(Path(job.out).name.replace(".task.yaml", ".replies.jsonl"))
            return EndShown(ended=STOPPED.format(log=log), stopped=True)
        return EndShown(ended="The process that drafts has ended, possibly for lack of memory.")

    def answer(self, message: Message) -> dict[str, Any]:
        """Pass a user's answer on to the draft that waits for it."""
        text = message.get("answer")
        process = self._process(message)
        if process is None or not isinstance(text, str) or len(text) > MOST_REQUEST:
            return {"error": "The draft has ended."}
        process.answer(text)
        return {}

    def stop(self, message: Message) -> dict[str, Any]:
        """Stop a draft."""
        process = self._process(message)
        if process is not None:
            self._stopped.add(str(message["draft"]))
            process.stop()
        return {}

    def _process(self, message: Message) -> DraftProcess | None:
        running = self._running
        return running[1] if running is not None and running[0] == message.get("draft") else None


def _word(message: Message, name: str) -> str | None:
    """Return an optional string from a message; None if it is absent or empty.

    Raises:
        InvalidRequestError: the value is not a string.
    """
    value = message.get(name)
    if value is None or value == "":
        return None
    if not isinstance(value, str) or len(value) > 1_000 or not value.isprintable():
        raise InvalidRequestError(f"The {name} is an id or a path.")
    return value.strip() or None


def save_text(path: Path, message: Mapping[str, Any]) -> dict[str, Any]:
    """Replace the text of a file, except if the file has changed since the page received it.

    Args:
        path: the file.
        message: the new `text`, and `before`, the text that the page received.

    Returns:
        An empty object, or one with an `error` if the file was not written.
    """
    text, before = message.get("text"), message.get("before")
    if not isinstance(text, str) or not isinstance(before, str):
        return {"error": "There is no text."}
    try:
        if path.read_text("utf-8") != before:
            return {"error": f"{line(path.name)} was changed by another program; reload the page."}
        replace_text(path, text)
    except (OSError, UnicodeDecodeError) as error:
        return {"error": line(error)}
    return {}
