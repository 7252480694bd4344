"""A connection to a model service through the provider's client package."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Generic, Protocol, TypeVar

from planspec.agents.agent import UnknownAgentError
from planspec.agents.models.chat import ChatRequestError, Reply
from planspec.agents.models.provider_replies import MAX_SHOWN, connection_error, redact_url, response_error
from planspec.agents.models.reply_cache import fetch_reply


class ProviderClient(Protocol):
    """A client from a provider's package."""

    @property
    def base_url(self) -> object:
        """Address of the service."""

    def close(self) -> None:
        """Close all connections."""


ClientT = TypeVar("ClientT", bound=ProviderClient)


class ServiceClient(Generic[ClientT]):
    """A connection to a service. The packages `openai` and `anthropic` have the same options and errors.

    Args:
        package: name of the provider's package.
        client: client class of the package.
        base_error: base class of the package's errors.
        base_url: address of the service; None for the address in the environment or, without one, the provider's own.
        url_env: environment variable with the address.
        api_key_env: environment variable with the key. With a `base_url`, it may be unset.
        timeout_s: seconds after which a request without a reply fails.

    Attributes:
        client: the provider's client, set to never repeat requests.
        url: address of the service.

    Raises:
        UnknownAgentError: the service needs a key and none is set.
    """

    def __init__(
        self,
        package: ModuleType,
        client: Callable[..., ClientT],
        base_error: type[Exception],
        *,
        base_url: str | None,
        url_env: str,
        api_key_env: str,
        timeout_s: float,
    ) -> None:
        key = os.environ.get(api_key_env)
        address = base_url or os.environ.get(url_env)
        if not key and not address:
            raise UnknownAgentError(f"the environment variable `{api_key_env}` holds no key")
        self.client = client(api_key=key or "none", base_url=address or None, max_retries=0, timeout=timeout_s)
        weakref.finalize(self, self.client.close)  # closes open connections once nothing refers to this object
        self.url = str(self.client.base_url)
        self._package, self._base_error, self._timeout_s = package, base_error, timeout_s

    def fetch(
        self,
        create: Callable[..., Any],
        request: Mapping[str, Any],
        parse: Callable[[bytes], Reply],
        *,
        seconds: float,
    ) -> Reply:
        """Return the reply to a request from the cache or else from the service.

        Args:
            create: method of the client that sends a request and returns its raw response.
            request: arguments of the method.
            parse: parses the body of a response.
            seconds: seconds after which the caller stops waiting.

        Raises:
            ChatRequestError: no reply came, or it is invalid.
            OSError: the reply cannot be stored in the cache.
        """
        options = {**request, "timeout": min(seconds, self._timeout_s)}
        return fetch_reply(self.url, options, lambda: self._send(create, options), parse)

    def _send(self, create: Callable[..., Any], options: Mapping[str, Any]) -> bytes:
        """Send a request and return the body of the response."""
        try:
            raw = create(**options)
        except self._package.APIStatusError as error:
            raise response_error(error) from None
        except self._package.APIConnectionError as error:
            raise connection_error(error) from None
        except self._base_error as error:
            raise ChatRequestError(f"{type(error).__name__}: {error}"[:MAX_SHOWN], transient=False) from None
        body: bytes = raw.http_response.content
        return body

    def about(self) -> dict[str, Any]:
        """Return the service's address, without secrets, and the version of the provider's package."""
        name = self._package.__name__
        return {"base_url": redact_url(self.url), "client": f"{name} {self._package.__version__}"}
