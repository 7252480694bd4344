"""A cache of replies from services in a folder, so that each request is sent, and paid for, once."""

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
"""Options of a request that are for the client and not sent."""


@dataclass(frozen=True, slots=True)
class ReplyCache:
    """A folder with the bodies of replies, each in a file named by the SHA-256 of its request.

    Several processes may share a folder: files are written atomically, and a later write replaces an earlier one.

    Attributes:
        folder: path of the folder, which is created with the first reply.
    """

    folder: Path

    def get(self, key: str) -> bytes | None:
        """Return a reply's body, or None if it is not stored or not readable."""
        with suppress(OSError):
            return read_bytes(self._file(key), RECORDS_BYTES)
        return None

    def put(self, key: str, body: bytes) -> None:
        """Store a reply's body.

        Raises:
            OSError: the file cannot be written.
        """
        file = self._file(key)
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_bytes(file, body)

    def _file(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"


@dataclass(frozen=True, slots=True)
class _ActiveCache:
    """The cache in use, and the seed of the attempt.

    The seed is part of the keys. Attempts with different seeds thus share no replies, even if the service takes no
    seed.
    """

    cache: ReplyCache
    seed: int


_CURRENT: ContextVar[_ActiveCache | None] = ContextVar("current", default=None)


@contextmanager
def use_cache(cache: ReplyCache | None, seed: int) -> Iterator[None]:
    """Make requests of this thread use a cache within a `with` block.

    Args:
        cache: the cache; None to send every request.
        seed: seed of the attempt.
    """
    token = _CURRENT.set(None if cache is None else _ActiveCache(cache, seed))
    try:
        yield
    finally:
        _CURRENT.reset(token)


def fetch_reply(
    url: str, request: Mapping[str, Any], send: Callable[[], bytes], read: Callable[[bytes], Reply]
) -> Reply:
    """Return the reply to a request from the cache or else from the service. Valid replies are stored in the cache.

    Args:
        url: address of the service.
        request: body of the request, with options of the client.
        send: function that sends the request and returns the body of the response.
        read: function that parses a body.

    Raises:
        ChatRequestError: `send` or `read` failed.
        OSError: the reply cannot be stored.
    """
    use = _CURRENT.get()
    if use is None:
        return read(send())
    sent = {name: value for name, value in request.items() if name not in NOT_SENT}
    whole = json.dumps([url, sent, use.seed], sort_keys=True, ensure_ascii=True)
    key = hashlib.sha256(whole.encode()).hexdigest()
    body = use.cache.get(key)
    if body is not None:
        with suppress(ChatRequestError):
            return replace(read(body), hit=True)
    body = send()
    reply = read(body)
    use.cache.put(key, body)
    return reply
