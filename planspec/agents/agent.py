"""The protocol of agents, and agent specs such as `openai:model=qwen`, which name an agent and its options."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from planspec.agents.desk import Desk
from planspec.agents.optional import agent_info
from planspec.agents.view import TaskView
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.errors import PlanspecError
from planspec.family.descriptor import Lazy, Part
from planspec.family.registry import families

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic_core import ErrorDetails

GROUP = "planspec.agents"
"""Name of the entry-point group for agents from other distributions."""
_BUILT_IN = {
    "command": "planspec.agents.command:Command",
    "constant": "planspec.agents.baselines:ConstantAgent",
    "echo": "planspec.agents.baselines:EchoAgent",
    "empty": "planspec.agents.baselines:EmptyAgent",
    "lazy": "planspec.agents.baselines:LazyAgent",
    "refuse": "planspec.agents.baselines:RefusingAgent",
    "greedy": "planspec.agents.baselines:greedy",
    "oracle": "planspec.agents.baselines:Oracle",
    "python": "planspec.agents.python_file:load_agent",
    "random": "planspec.agents.baselines:RandomAgent",
    "replay": "planspec.agents.replaying:Replay",
    "repair": "planspec.agents.repairing:RepairLoop",
    "minimal-repair": "planspec.agents.repairing:MinimalRepair",
    "openai": "planspec.agents.models:OpenAI",
    "anthropic": "planspec.agents.models:Anthropic",
}


@runtime_checkable
class Agent(Protocol):
    """A program or a model that answers tasks.

    An agent may also have an attribute `info` (an `AgentInfo` with its needs and limits), and any of the
    `OptionalMethods`.
    """

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """Return the answer to a task at one turn.

        Args:
            view: the task as the agent may see it.
            desk: object through which the agent calls tools, and which records the attempt.

        Returns:
            The answer: text, or JSON as Python data.

        Raises:
            AttemptFailedError: the attempt failed at a boundary.
        """


Answer: TypeAlias = str | Mapping[str, Any] | list[Any]
"""An answer: text of a model, or JSON as Python data."""
Factory: TypeAlias = Callable[..., Agent]
Planner: TypeAlias = Callable[[TaskView, Desk], Answer]
"""Function of a turn's view and the desk that returns an answer without using a model.

It raises `AttemptFailedError` if it does not understand the request.
"""
AGENTS: Part[Mapping[str, Lazy[Factory]]] = Part("agents", {})
"""Factories of agents for tasks of a single family, by name."""
GREEDY: Part[Planner | None] = Part("greedy", None)
"""The family's planner for the agent `greedy`. It uses only the tools of a setting."""


class UnknownAgentError(PlanspecError, LookupError):
    """The agent is unknown, or one of its options is unknown or malformed."""


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """The name and options of an agent: `openai:model=qwen,base_url=http://127.0.0.1:8000/v1`.

    A value with a comma is enclosed in parentheses: `repair:k=3,of=(openai:model=qwen,temperature=0)`.

    Attributes:
        name: name of the agent.
        options: values as text, keyed by option.
    """

    name: str
    options: Mapping[str, str]

    @classmethod
    def read(cls, text: str) -> AgentSpec:
        """Parse a spec such as `openai:model=qwen`.

        Raises:
            UnknownAgentError: the spec is malformed.
        """
        name, _, rest = text.partition(":")
        options: dict[str, str] = {}
        for part in _split_options(rest):
            key, equals, value = part.partition("=")
            if not equals or not key.strip():
                raise UnknownAgentError(f"`{part}` in `{text}` is not an option; write `option=value`")
            if key.strip() in options:
                raise UnknownAgentError(f"the option `{key.strip()}` occurs twice in `{text}`")
            value = value.strip()
            enclosed = value.startswith("(") and value.endswith(")")
            options[key.strip()] = value[1:-1] if enclosed else value
        return cls(name.strip(), options)

    def __str__(self) -> str:
        shown = (f"{key}={_enclose(value)}" for key, value in self.options.items())
        return f"{self.name}:{','.join(shown)}" if self.options else self.name


def _enclose(value: str) -> str:
    """Put a value in parentheses if it contains a comma or a parenthesis."""
    return f"({value})" if any(c in value for c in ",()") else value


def _split_options(text: str) -> list[str]:
    """Split a string at commas outside parentheses."""
    parts, depth, start = [], 0, 0
    for index, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            break
        if letter == "," and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    if depth:
        raise UnknownAgentError(f"the parentheses in `{text}` do not match")
    parts.append(text[start:])
    return [part for part in parts if part.strip()]


def agent(spec: AgentSpec | str) -> Agent:
    """Return the agent that a spec names.

    Raises:
        UnknownAgentError: no installed agent has the name, or an option is unknown, missing or of the wrong
            type.
        ModuleNotFoundError: the agent needs an extra that is not installed; the message names it.
    """
    from pydantic import ValidationError

    spec = AgentSpec.read(spec) if isinstance(spec, str) else spec
    factory = _load_factory(spec.name)
    try:
        options = _options_model(spec.name, factory).model_validate(dict(spec.options))
    except ValidationError as error:
        faults = "; ".join(dict.fromkeys(_describe_fault(fault, factory) for fault in error.errors()))
        raise UnknownAgentError(f"the agent `{spec.name}`: {faults}; {_usage(spec.name, factory)}") from None
    built = factory(**{name: getattr(options, name) for name in type(options).model_fields})
    assert isinstance(built, Agent), built
    return built


def _options_model(name: str, factory: Factory) -> type[BaseModel]:
    """Return a Pydantic model of a factory's parameters, which parses options from strings."""
    import inspect

    from pydantic import ConfigDict, create_model

    fields: dict[str, Any] = {
        p.name: (p.annotation, ... if p.default is p.empty else p.default)
        for p in inspect.signature(factory, eval_str=True).parameters.values()
    }
    model: type[BaseModel] = create_model(
        name,
        __config__=ConfigDict(extra="forbid", arbitrary_types_allowed=True, protected_namespaces=()),
        **fields,
    )
    return model


def why_uncontained(agent: Agent) -> str | None:
    """Return `agent_info(agent).uncontained`. Deprecated: it warns."""
    warnings.warn("`why_uncontained(agent)` is now `agent_info(agent).uncontained`", DeprecationWarning, stacklevel=2)
    return agent_info(agent).uncontained


def agent_names() -> list[str]:
    """Return the names of all installed agents, sorted."""
    from importlib.metadata import entry_points

    return sorted({*_BUILT_IN, *_family_agents(), *entry_points(group=GROUP).names})


def _family_agents() -> Mapping[str, Lazy[Factory]]:
    return {name: factory for family in families() for name, factory in AGENTS.of(family).items()}


def _load_factory(name: str) -> Factory:
    if name in _BUILT_IN:
        own: Lazy[Factory] = Lazy(_BUILT_IN[name], f"the agent `{name}`")
        return own.load()
    family_agents = _family_agents()
    if name in family_agents:
        return family_agents[name].load()
    from importlib.metadata import entry_points

    plugins = entry_points(group=GROUP)
    if name not in plugins.names:
        close = did_you_mean(name, agent_names())
        raise UnknownAgentError(f"no agent is called `{name}`; {close or 'there are ' + ', '.join(agent_names())}")
    loaded: Factory = plugins[name].load()
    return loaded


def _describe_fault(fault: ErrorDetails, factory: Factory) -> str:
    """Return a sentence for an error message about an invalid option."""
    name = ".".join(map(str, fault["loc"][:1]))
    match fault["type"]:
        case "extra_forbidden":
            close = did_you_mean(name, [option.name for option in options_of(factory)])
            return f"there is no option `{name}`" + (f", {close.removesuffix('?')}" if close else "")
        case "missing":
            return f"the option `{name}` is needed"
        case _:
            message = fault["msg"]
            return f"the option `{name}` is `{fault['input']}`, and {message[:1].lower()}{message[1:]}"


@dataclass(frozen=True, slots=True)
class Option:
    """An option of an agent.

    Attributes:
        name: name of the option.
        default: the default as text; None for a required option.
    """

    name: str
    default: str | None


def describe_agent(name: str) -> tuple[str, tuple[Option, ...]]:
    """Return an agent's docstring and options.

    Raises:
        UnknownAgentError: no installed agent has the name.
        ModuleNotFoundError: the agent needs an extra that is not installed; the message names it.
    """
    import inspect

    factory = _load_factory(name)
    return inspect.getdoc(factory) or "", tuple(options_of(factory))


def options_of(factory: Factory) -> list[Option]:
    """Return the options that a factory takes."""
    import inspect

    return [
        Option(p.name, None if p.default is p.empty else str(p.default))
        for p in inspect.signature(factory).parameters.values()
    ]


def _usage(name: str, factory: Factory) -> str:
    options = [f"{option.name}={'...' if option.default is None else option.default}" for option in options_of(factory)]
    return f"options are {', '.join(options)}" if options else f"`{name}` has no options"
