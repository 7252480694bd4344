"""Replies of services that are kept in a folder, so that the same request is sent, and paid for, once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from planspec.agents.models.chat import ChatRequestError, Reply
from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import read_bytes
from planspec.files import replace_bytes

NOT_SENT = ("timeout",)
"""Options of a request that are the client's own."""


@dataclass(frozen=True, slots=True)
class KeptReplies:
    """The bodies of replies in a folder, each in a file that is called by the SHA-256 of its request.

    Several processes may use one folder: a file is whole as soon as it is there, and whoever comes second replaces it.

    Attributes:
        folder: is made with the first reply.
    """

    folder: Path

    def get(self, key: str) -> bytes | None:
        """A reply's body; None if there is none that can be read."""
        with suppress(OSError):
            return read_bytes(self._file(key), RECORDS_BYTES)
        return None

    def put(self, key: str, body: bytes) -> None:
        """Keep a reply's body.

        Raises:
            OSError: it cannot be written.
        """
        file = self._file(key)
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_bytes(file, body)

    def _file(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"


@dataclass(frozen=True, slots=True)
class _Use:
    """Kept replies, and the seed of the attempt that asks: attempts are drawn anew, also where a service takes no seed."""

    kept: KeptReplies
    seed: int


_USED: ContextVar[_Use | None] = ContextVar("used", default=None)


@contextmanager
def using(kept: KeptReplies | None, seed: int) -> Iterator[None]:
    """Let the services that are asked in the block by this thread answer from what is kept.

    Args:
        kept: the replies; None to ask the services.
        seed: of the attempt.
    """
    token = _USED.set(None if kept is None else _Use(kept, seed))
    try:
        yield
    finally:
        _USED.reset(token)


def reply_to(
    url: str, request: Mapping[str, Any], ask: Callable[[], bytes], read: Callable[[bytes], Reply]
) -> Reply:
    """The reply that is kept for a request, else the service's, which is kept if it can be read.

    Args:
        url: of the service.
        request: all that is sent, and options of the client.
        ask: sends the request and returns the body of what came.
        read: a body.

    Raises:
        ChatRequestError: `ask` or `read` does.
        OSError: the reply cannot be kept.
    """
    use = _USED.get()
    if use is None:
        return read(ask())
    sent = {name: value for name, value in request.items() if name not in NOT_SENT}
    whole = json.dumps([url, sent, use.seed], sort_keys=True, ensure_ascii=True)
    key = hashlib.sha256(whole.encode()).hexdigest()
    body = use.kept.get(key)
    if body is not None:
        with suppress(ChatRequestError):
            return replace(read(body), hit=True)
    body = ask()
    reply = read(body)
    use.kept.put(key, body)
    return reply
