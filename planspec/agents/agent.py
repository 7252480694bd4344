"""Agents: what they must be able to do, and how one is named on the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from planspec.agents.desk import Desk
from planspec.agents.view import TaskView
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.errors import PlanspecError
from planspec.families.family import Lazy
from planspec.families.registry import families

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic_core import ErrorDetails

GROUP = "planspec.agents"
"""The entry-point group of agents that other distributions bring."""
_OWN = {
    "command": "planspec.agents.command:Command",
    "constant": "planspec.agents.baselines:Constant",
    "echo": "planspec.agents.baselines:Echo",
    "empty": "planspec.agents.baselines:Empty",
    "greedy": "planspec.agents.baselines:greedy",
    "oracle": "planspec.agents.baselines:Oracle",
    "python": "planspec.agents.python_file:own",
    "random": "planspec.agents.baselines:Random",
    "replay": "planspec.agents.replaying:Replay",
    "repair": "planspec.agents.repairing:RepairLoop",
    "minimal-repair": "planspec.agents.repairing:MinimalRepair",
    "openai": "planspec.agents.models:OpenAI",
    "anthropic": "planspec.agents.models:Anthropic",
}


@runtime_checkable
class Agent(Protocol):
    """Answers tasks.

    An agent that is `privileged = True` is given the task itself as well, by its method `privilege`: the
    oracle and other references are; what they earn is no model's merit. One that is `referees = True` is
    given the task for the referee between its parts, never for the parts that answer. Two more methods are
    optional: `about()` gives what goes into the record, such as a model's name, and `close()` ends what was
    kept open for the turns of an attempt. One that has `families` answers tasks of these alone. One that cannot
    work at a site says by `siteless` why, one that sees no pictures by `sightless`; neither is asked where there is nothing else. One that
    starts programs has `conceal(folders)`, which hides folders and files from them, and `uncontained`, the reason why
    they could see them all the same (None if they cannot). See `uncontained` for agents without it.
    """

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """The answer to a task, at one turn.

        Args:
            view: the task as the agent may see it.
            desk: the place to call tools and to record what was done.

        Returns:
            The answer: text, or JSON.

        Raises:
            AttemptFailedError: there is none, at a boundary.
        """


Answer: TypeAlias = str | Mapping[str, Any] | list[Any]
"""Text as a model gives it, or JSON."""
Factory: TypeAlias = Callable[..., Agent]
Planner: TypeAlias = Callable[[TaskView, Desk], Answer]
"""Answers what an agent sees, at one turn, without a model; it raises `AttemptFailedError` where it does not understand what is asked."""


class UnknownAgentError(PlanspecError, LookupError):
    """No agent has the name, or it has no such option."""


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """An agent by its name, with options: `openai:model=qwen,base_url=http://127.0.0.1:8000/v1`.

    A value that holds a comma stands in parentheses: `repair:k=3,of=(openai:model=qwen,temperature=0)`.

    Attributes:
        name: by which it is known.
        options: as texts.
    """

    name: str
    options: Mapping[str, str]

    @classmethod
    def read(cls, text: str) -> AgentSpec:
        """A spec as it is written.

        Raises:
            UnknownAgentError: it cannot be read.
        """
        name, _, rest = text.partition(":")
        options: dict[str, str] = {}
        for part in _parts(rest):
            key, given, value = part.partition("=")
            if not given or not key.strip():
                raise UnknownAgentError(f"`{part}` in `{text}` is no option; write `option=value`")
            if key.strip() in options:
                raise UnknownAgentError(f"the option `{key.strip()}` is there twice in `{text}`")
            value = value.strip()
            enclosed = value.startswith("(") and value.endswith(")")
            options[key.strip()] = value[1:-1] if enclosed else value
        return cls(name.strip(), options)

    def __str__(self) -> str:
        shown = (f"{key}={_enclosed(value)}" for key, value in self.options.items())
        return f"{self.name}:{','.join(shown)}" if self.options else self.name


def _enclosed(value: str) -> str:
    return f"({value})" if any(c in value for c in ",()") else value


def _parts(text: str) -> list[str]:
    """The parts of a text between commas, except commas in parentheses."""
    parts, depth, begun = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            break
        if letter == "," and depth == 0:
            parts.append(text[begun:place])
            begun = place + 1
    if depth:
        raise UnknownAgentError(f"the parentheses in `{text}` do not match")
    parts.append(text[begun:])
    return [part for part in parts if part.strip()]


def agent(spec: AgentSpec | str) -> Agent:
    """The agent of a spec.

    Raises:
        UnknownAgentError: nothing that is installed has the name, or an option is unknown, missing or of the wrong type.
        ModuleNotFoundError: it needs an extra that is not installed; the message names it.
    """
    from pydantic import ValidationError

    spec = AgentSpec.read(spec) if isinstance(spec, str) else spec
    factory = _factory(spec.name)
    try:
        options = _options(spec.name, factory).model_validate(dict(spec.options))
    except ValidationError as error:
        faults = "; ".join(dict.fromkeys(_fault(fault, factory) for fault in error.errors()))
        raise UnknownAgentError(f"the agent `{spec.name}`: {faults}; {_usage(spec.name, factory)}") from None
    made = factory(**{name: getattr(options, name) for name in type(options).model_fields})
    assert isinstance(made, Agent), made
    return made


def _options(name: str, factory: Factory) -> type[BaseModel]:
    """The parameters of a factory as a model that reads texts."""
    import inspect

    from pydantic import ConfigDict, create_model

    fields: dict[str, Any] = {
        p.name: (p.annotation, ... if p.default is p.empty else p.default)
        for p in inspect.signature(factory, eval_str=True).parameters.values()
    }
    made: type[BaseModel] = create_model(
        name,
        __config__=ConfigDict(extra="forbid", arbitrary_types_allowed=True, protected_namespaces=()),
        **fields,
    )
    return made


def uncontained(made: Agent) -> str | None:
    """Return why an agent could see more than it is given, such as references; None if it cannot.

    An agent says so by its attribute `uncontained`. One without it runs in planspec's own process: None if it is a part of
    planspec.
    """
    if hasattr(made, "uncontained"):
        reason: str | None = made.uncontained
        return reason
    own = type(made).__module__.partition(".")[0] == __name__.partition(".")[0]
    return None if own else "it runs in planspec's own process"


def known() -> list[str]:
    """The names of all agents that are installed."""
    from importlib.metadata import entry_points

    return sorted({*_OWN, *_of_families(), *entry_points(group=GROUP).names})


def _of_families() -> Mapping[str, Lazy[Factory]]:
    """The agents that families bring, by name."""
    return {name: factory for family in families() for name, factory in family.agents.items()}


def _factory(name: str) -> Factory:
    if name in _OWN:
        own: Lazy[Factory] = Lazy(_OWN[name], f"the agent `{name}`")
        return own.load()
    of_families = _of_families()
    if name in of_families:
        return of_families[name].load()
    from importlib.metadata import entry_points

    plugins = entry_points(group=GROUP)
    if name not in plugins.names:
        close = did_you_mean(name, known())
        raise UnknownAgentError(f"no agent is called `{name}`; {close or 'there are ' + ', '.join(known())}")
    loaded: Factory = plugins[name].load()
    return loaded


def _fault(fault: ErrorDetails, factory: Factory) -> str:
    """The fault of an option, in plain words."""
    name = ".".join(map(str, fault["loc"][:1]))
    match fault["type"]:
        case "extra_forbidden":
            close = did_you_mean(name, [option.name for option in options_of(factory)])
            return f"there is no option `{name}`" + (f", {close.removesuffix('?')}" if close else "")
        case "missing":
            return f"the option `{name}` is needed"
        case _:
            said = fault["msg"]
            return f"the option `{name}` is `{fault['input']}`, and {said[:1].lower()}{said[1:]}"


@dataclass(frozen=True, slots=True)
class Option:
    """An option of an agent.

    Attributes:
        default: as it is written; None for one that must be given.
    """

    name: str
    default: str | None


def described(name: str) -> tuple[str, tuple[Option, ...]]:
    """An agent's description, from its docstring, and its options.

    Raises:
        UnknownAgentError: nothing that is installed has the name.
        ModuleNotFoundError: it needs an extra that is not installed; the message names it.
    """
    import inspect

    factory = _factory(name)
    return inspect.getdoc(factory) or "", tuple(options_of(factory))


def options_of(factory: Factory) -> list[Option]:
    """The options of the agents that a factory makes."""
    import inspect

    return [
        Option(p.name, None if p.default is p.empty else str(p.default))
        for p in inspect.signature(factory).parameters.values()
    ]


def _usage(name: str, factory: Factory) -> str:
    options = [
        f"{option.name}={'...' if option.default is None else option.default}"
        for option in options_of(factory)
    ]
    return f"options are {', '.join(options)}" if options else f"`{name}` has no options"
