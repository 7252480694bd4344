"""Scorers behind an HTTP endpoint on this machine."""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any
from urllib.parse import urlsplit

from planspec.foreign_scorers.scorer import (
    MOST_RESULT,
    TIMEOUT_S,
    Score,
    ScorerFailedError,
    UnknownScorerError,
    excerpt,
    parse_score,
    request_line,
)

_CHUNK = 1 << 16


class HttpScorer:
    """A scorer behind a URL. Each request is the body of a POST, and the response has the result as JSON.

    Args:
        name: address of the scorer: `http://127.0.0.1:PORT/PATH`.
        timeout_s: time limit for one answer, in seconds.

    Raises:
        UnknownScorerError: the address is malformed, or not on this machine.
    """

    def __init__(self, name: str, *, timeout_s: float = TIMEOUT_S) -> None:
        self.name = name
        self._timeout_s = timeout_s
        try:
            parts = urlsplit(name)
            host, port = parts.hostname or "", parts.port or 80
        except ValueError as error:
            raise UnknownScorerError(f"`{name}` is no address: {error}") from None
        if not _is_loopback(host):
            raise UnknownScorerError(
                f"a scorer over HTTP must run on this machine: http://127.0.0.1:PORT/PATH, not `{name}`"
            )
        self._host, self._port = "127.0.0.1" if host == "localhost" else host, port
        self._path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")

    def score(self, request: Mapping[str, Any]) -> Score:
        """Return the score of one answer.

        Raises:
            ScorerFailedError: there is no score.
        """
        end = time.monotonic() + self._timeout_s
        connection = HTTPConnection(self._host, self._port, timeout=self._timeout_s)
        try:
            connection.request("POST", self._path, request_line(request), {"Content-Type": "application/json"})
            response = connection.getresponse()
            body = self._body(connection, response, end)
        except TimeoutError:
            raise ScorerFailedError(f"no result in {self._timeout_s:g} s") from None
        except (OSError, HTTPException) as error:
            raise ScorerFailedError(f"the service does not answer: {str(error) or type(error).__name__}") from None
        finally:
            connection.close()
        if not 200 <= response.status < 300:
            raise ScorerFailedError(f"the service answers with status {response.status}: {excerpt(body)}")
        return parse_score(body)

    def _body(self, connection: HTTPConnection, response: HTTPResponse, end: float) -> bytes:
        body = bytearray()
        while chunk := response.read1(_CHUNK):
            body += chunk
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError
            if len(body) > MOST_RESULT:
                raise ScorerFailedError(f"the result is larger than {MOST_RESULT >> 20} MB")
            if connection.sock is not None:
                connection.sock.settimeout(left)
        return bytes(body)

    def close(self) -> None:
        """Do nothing, because each request closes its connection."""


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
