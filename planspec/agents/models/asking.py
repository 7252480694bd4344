"""Asking a model until it answers: every request is counted and held to the attempt's time, and passing failures are repeated."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, assert_never

from planspec.agents.desk import Desk
from planspec.agents.failures import AttemptFailedError
from planspec.agents.models.chat import Chat, ChatRequestError, Message, Reply
from planspec.agents.models.kept_replies import using
from planspec.agents.tools import Tool
from planspec.traces.chat import spans_of
from planspec.traces.record import Generation, Span

FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 30.0
"""Before the first repetition, and before any where the service names no time."""


@dataclass(frozen=True, slots=True)
class Talk:
    """A model asked from one desk. Several threads may ask.

    Attributes:
        chat: the model.
        desk: where requests and tokens are counted.
        seed: sent with each request; None where none is.
        retries: times that a request is repeated after a passing failure.
        sleep: waits for seconds.
    """

    chat: Chat
    desk: Desk
    seed: int | None = None
    retries: int = 4
    sleep: Callable[[float], object] = time.sleep

    def ask(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        *,
        stage: str | None = None,
        schema: Mapping[str, Any] | None = None,
        context: Iterable[int] = (),
        place: int | None = None,
        role: str | None = None,
    ) -> Reply:
        """The model's reply, which is kept in the trace as a generation.

        Args:
            messages: the conversation.
            tools: that may be called.
            stage: under which the tokens are counted.
            schema: a JSON schema of the answer, for services that hold replies to one.
            context: the places of `messages` in the trace.
            place: of the stage in the trace.
            role: the part of the agent that a policy of its own speaks for; None where there is one policy.

        Returns:
            The reply, with its place in the trace's generations.

        Raises:
            AttemptFailedError: `limit`, also where the conversation is longer than the model's context; `timeout`; or `provider`:
                the service failed for good, as often as it is asked, or for longer than there is time.
        """
        self.desk.step()
        begun = self.desk.now()
        for attempt in range(self.retries + 1):
            match self._once(messages, tools, schema):
                case Reply() as reply:
                    self.desk.spend(reply.input, reply.output, cached=reply.cached, stage=stage)
                    if reply.served:
                        self.desk.note("served", reply.served)
                    made = self._generation(reply, spans_of(context), place, role).model_copy(
                        update={"time": self.desk.since(begun)}
                    )
                    return replace(reply, place=self.desk.generate(made, tools, reply.prompt_ids))
                case ChatRequestError() as failed:
                    if not failed.passing:
                        raise AttemptFailedError(failed.boundary, failed.message)
                    if attempt == self.retries:
                        raise AttemptFailedError(
                            "provider", f"{failed.message} (asked {self.retries + 1} times)"
                        )
                    self._wait(attempt, failed)
                case never:
                    assert_never(never)
        raise AssertionError("the last attempt returns or raises")

    def _generation(
        self, reply: Reply, context: tuple[Span, ...], stage: int | None, role: str | None
    ) -> Generation:
        model = self.chat.about().get("model")
        return Generation(
            role=role, stage=stage, model=model if isinstance(model, str) else None,
            served=None if reply.served == model else reply.served, context=context, written=reply.written,
            thinking=reply.thinking, input=reply.input, cached=reply.cached, output=reply.output, stopped=reply.stopped,
            seed=self.seed, hit=reply.hit, ids=reply.ids, logprobs=reply.logprobs,
        )  # fmt: skip

    def _wait(self, attempt: int, failed: ChatRequestError) -> None:
        self.desk.check("waiting for the service")
        most = min(FIRST_WAIT_S * 2**attempt, LONGEST_WAIT_S)
        drawn = random.uniform(
            most / 2, most
        )  # so that many that were refused at once do not come back at once
        wait = drawn if failed.wait_s is None else failed.wait_s
        if wait >= self.desk.left:
            late = f"the service wants {wait:.0f} s of patience, and {self.desk.left:.0f} s are left"
            raise AttemptFailedError("provider", f"{failed.message} ({late})")
        self.desk.count("retries")
        self.sleep(wait)

    def _once(
        self, messages: Sequence[Message], tools: Sequence[Tool], schema: Mapping[str, Any] | None
    ) -> Reply | ChatRequestError:
        """One request, which nobody waits for past the end of the time.

        A service that sends a byte now and then keeps every timeout of a connection from running out, so the request
        has a thread of its own, which is left behind.
        """
        self.desk.check()
        came: list[Reply | ChatRequestError | BaseException] = []
        seconds = self.desk.left

        def request() -> None:
            try:
                with using(self.desk.replies, self.desk.seed):
                    came.append(
                        self.chat.complete(messages, tools, seed=self.seed, seconds=seconds, schema=schema)
                    )
            except BaseException as error:  # noqa: BLE001 it is raised again where it can be seen
                came.append(error)

        thread = threading.Thread(target=request, daemon=True)
        thread.start()
        thread.join(max(seconds, 0.0))
        if not came:
            self.desk.check("waiting for the service")
            return ChatRequestError("the service is too slow", passing=True)
        match came[0]:
            case Reply() | ChatRequestError() as made:
                return made
            case error:
                raise error
