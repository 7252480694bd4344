"""YAML's reader of events: libyaml where PyYAML was built with it, else PyYAML's own, taught to agree with it.

PyYAML's own scanner ends a plain scalar of a flow collection at every `?`, takes the colon of `{a:}` for one behind a
key, and has rules of its own for tabs. Tests compare the two on every document.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml

BEHIND_A_COLON = ",?[]{}"
"""The characters that may not follow a colon inside a plain scalar of a flow collection."""


class PureLoader(yaml.SafeLoader):  # PyYAML has no types: what it gives back is Any
    """PyYAML's own reader, which reads as libyaml does.

    The scanner asks `peek` for a character to decide by, and takes the text from elsewhere. Where libyaml decides
    otherwise, it is shown another character, so that its rules stay as they are.
    """

    def scan_plain(self) -> Any:
        """A plain scalar, in which a question mark is a letter and a tab a space."""
        token = self._shown(self._in_plain, super().scan_plain)
        if self.flow_level and self.peek() == ":" and self.peek(1) in BEHIND_A_COLON:
            self._refuse("while scanning a plain scalar", token.start_mark, "found unexpected ':'")
        if self.peek() == "\t":
            problem = "found a tab character that violates indentation"
            self._refuse("while scanning a plain scalar", token.start_mark, problem)
        return token

    def scan_to_next_token(self) -> None:
        """Spaces, comments and line ends; a tab is a space where no key of a block may begin."""
        self._shown(self._between, super().scan_to_next_token)

    def scan_block_scalar_indicators(self, start_mark: Any) -> Any:
        """The header of a block scalar, behind which a tab is a space."""
        return self._shown(self._blank, super().scan_block_scalar_indicators, start_mark)

    def scan_block_scalar_ignored_line(self, start_mark: Any) -> Any:
        """The rest of a block scalar's header, in which a tab is a space."""
        return self._shown(self._blank, super().scan_block_scalar_ignored_line, start_mark)

    def scan_block_scalar_indentation(self) -> Any:
        """The blanks before a block scalar's first line, in which no tab may stand."""
        found = super().scan_block_scalar_indentation()
        self._no_tab()
        return found

    def scan_block_scalar_breaks(self, indent: int) -> Any:
        """The blanks before a further line of a block scalar, in which no tab may stand."""
        found = super().scan_block_scalar_breaks(indent)
        if self.column < indent:
            self._no_tab()
        return found

    def _shown(self, peek: Callable[[int], str], scan: Callable[..., Any], *arguments: Any) -> Any:
        """The result of a part of the scanner that reads the characters of `peek`."""
        self.__dict__["peek"] = lambda index=0: peek(index)
        try:
            return scan(*arguments)
        finally:
            del self.__dict__["peek"]

    def _in_plain(self, index: int) -> str:
        char: str = super().peek(index)
        if char == "?":
            return "," if index and super().peek(index - 1) == ":" else "x"
        if char == "\t" and (self.column + index > self.indent or not self._is_indentation(index)):
            return " "
        return char

    def _between(self, index: int) -> str:
        return super().peek(index) if self.allow_simple_key and not self.flow_level else self._blank(index)

    def _blank(self, index: int) -> str:
        char: str = super().peek(index)
        return " " if char == "\t" else char

    def _is_indentation(self, index: int) -> bool:
        """Nothing but blanks stands before the character on its line."""
        at = self.pointer + index
        return not self.buffer[self.buffer.rfind("\n", 0, at) + 1 : at].strip(" \t")

    def _no_tab(self) -> None:
        if self.peek() == "\t":
            mark, problem = self.get_mark(), "found a tab character where an indentation space is expected"
            self._refuse("while scanning a block scalar", mark, problem)

    def _refuse(self, context: str, start: Any, problem: str) -> None:
        raise yaml.scanner.ScannerError(context, start, problem, self.get_mark())


LOADER: Any = getattr(yaml, "CSafeLoader", PureLoader)
