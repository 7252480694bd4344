"""Requests to a model. They are counted, limited by the attempt's time, and repeated after transient failures."""

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
from planspec.agents.models.reply_cache import use_cache
from planspec.agents.tools import Tool
from planspec.traces.chat import spans_of
from planspec.traces.record import Generation, Span

FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 30.0
"""Maximum seconds to wait before the first and before any repetition, if the service does not give a time."""


@dataclass(frozen=True, slots=True)
class Talk:
    """A model, and the desk that counts the requests to it. Thread-safe.

    Attributes:
        chat: the model.
        desk: counts requests and tokens.
        seed: seed of each request; None to send none.
        retries: maximum number of repetitions of a request after transient failures.
        sleep: function that waits for a number of seconds.
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
        stage_index: int | None = None,
        role: str | None = None,
    ) -> Reply:
        """Return the model's reply, and record request and reply in the trace as a generation.

        Args:
            messages: the conversation.
            tools: tools that may be called.
            stage: name of the part of the agent for which the tokens are counted.
            schema: JSON schema of the answer, for services that can enforce one.
            context: indices of `messages` in the trace.
            stage_index: index of the stage in the trace; None for an agent without stages.
            role: name of a part of the agent with its own policy; None if the agent has a single policy.

        Returns:
            The reply, with its index in the trace's generations.

        Raises:
            AttemptFailedError: a limit is reached or the conversation is longer than the model's context
                (boundary `limit`); the time is over (`timeout`); or the service failed permanently, too often, or
                for longer than the time left (`provider`).
        """
        self.desk.step()
        start = self.desk.now()
        for attempt in range(self.retries + 1):
            match self._send_once(messages, tools, schema):
                case Reply() as reply:
                    self.desk.spend(reply.input, reply.output, cached=reply.cached, stage=stage)
                    if reply.served:
                        self.desk.note("served", reply.served)
                    generation = self._generation(reply, spans_of(context), stage_index, role).model_copy(
                        update={"time": self.desk.since(start)}
                    )
                    return replace(reply, place=self.desk.record_generation(generation, tools, reply.prompt_ids))
                case ChatRequestError() as failed:
                    if not failed.transient:
                        raise AttemptFailedError(failed.boundary, failed.message)
                    if attempt == self.retries:
                        raise AttemptFailedError("provider", f"{failed.message} (asked {self.retries + 1} times)")
                    self._wait(attempt, failed)
                case never:
                    assert_never(never)
        raise AssertionError("the last attempt returns or raises")

    def _generation(self, reply: Reply, context: tuple[Span, ...], stage: int | None, role: str | None) -> Generation:
        model = self.chat.about().get("model")
        return Generation(
            role=role,
            stage=stage,
            model=model if isinstance(model, str) else None,
            served=None if reply.served == model else reply.served,
            context=context,
            written=reply.written,
            thinking=reply.thinking,
            input=reply.input,
            cached=reply.cached,
            output=reply.output,
            stopped=reply.stopped,
            seed=self.seed,
            hit=reply.hit,
            ids=reply.ids,
            logprobs=reply.logprobs,
        )

    def _wait(self, attempt: int, failed: ChatRequestError) -> None:
        self.desk.check("waiting for the service")
        longest = min(FIRST_WAIT_S * 2**attempt, LONGEST_WAIT_S)
        # jitter spreads repetitions of requests that failed at the same time
        jittered = random.uniform(longest / 2, longest)
        wait = jittered if failed.wait_s is None else failed.wait_s
        if wait >= self.desk.left:
            too_late = f"the service requires a wait of {wait:.0f} s, and {self.desk.left:.0f} s are left"
            raise AttemptFailedError("provider", f"{failed.message} ({too_late})")
        self.desk.count("retries")
        self.sleep(wait)

    def _send_once(
        self, messages: Sequence[Message], tools: Sequence[Tool], schema: Mapping[str, Any] | None
    ) -> Reply | ChatRequestError:
        """Send one request, and wait no longer than the time left.

        A connection does not time out as long as the service sends some bytes. The request therefore runs in a separate
        thread, which is abandoned when the time is up.
        """
        self.desk.check()
        outcomes: list[Reply | ChatRequestError | BaseException] = []
        seconds = self.desk.left

        def request() -> None:
            try:
                with use_cache(self.desk.replies, self.desk.seed):
                    outcomes.append(self.chat.complete(messages, tools, seed=self.seed, seconds=seconds, schema=schema))
            except BaseException as error:  # noqa: BLE001 it is raised again in the calling thread
                outcomes.append(error)

        thread = threading.Thread(target=request, daemon=True)
        thread.start()
        thread.join(max(seconds, 0.0))
        if not outcomes:
            self.desk.check("waiting for the service")
            return ChatRequestError("the service is too slow", transient=True)
        match outcomes[0]:
            case Reply() | ChatRequestError() as outcome:
                return outcome
            case error:
                raise error
