"""YAML's event reader: libyaml if PyYAML was built with it, otherwise PyYAML's own, adapted to agree with libyaml.

PyYAML's own scanner ends a plain scalar in a flow collection at every `?`, reads the colon in `{a:}` as the
end of a key, and has other rules for tabs. Tests compare both readers on every document.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml

NOT_AFTER_COLON = ",?[]{}"
"""The characters that may not follow a colon inside a plain scalar of a flow collection."""


class PureLoader(yaml.SafeLoader):  # PyYAML has no types, so its results are Any
    """PyYAML's own reader, adapted to read as libyaml does.

    PyYAML's scanner calls `peek` to decide how to continue, and reads the text of scalars in another way. So if libyaml
    would decide differently, `peek` returns a character that makes the scanner decide as libyaml does.
    """

    def scan_plain(self) -> Any:
        """Scan a plain scalar. A question mark in it counts as a letter, and a tab as a space."""
        token = self._with_peek(self._peek_in_plain, super().scan_plain)
        if self.flow_level and self.peek() == ":" and self.peek(1) in NOT_AFTER_COLON:
            self._refuse("while scanning a plain scalar", token.start_mark, "found unexpected ':'")
        if self.peek() == "\t":
            problem = "found a tab character that violates indentation"
            self._refuse("while scanning a plain scalar", token.start_mark, problem)
        return token

    def scan_to_next_token(self) -> None:
        """Skip spaces, comments and line ends.

        A tab counts as a space unless a key of a block may begin there.
        """
        self._with_peek(self._peek_between, super().scan_to_next_token)

    def scan_block_scalar_indicators(self, start_mark: Any) -> Any:
        """Scan the header of a block scalar. A tab after the header counts as a space."""
        return self._with_peek(self._peek_tab_as_space, super().scan_block_scalar_indicators, start_mark)

    def scan_block_scalar_ignored_line(self, start_mark: Any) -> Any:
        """Scan the rest of a block scalar's header. A tab in it counts as a space."""
        return self._with_peek(self._peek_tab_as_space, super().scan_block_scalar_ignored_line, start_mark)

    def scan_block_scalar_indentation(self) -> Any:
        """Scan the blanks before the first line of a block scalar. Tabs are refused."""
        indentation = super().scan_block_scalar_indentation()
        self._refuse_tab()
        return indentation

    def scan_block_scalar_breaks(self, indent: int) -> Any:
        """Scan the blanks before a further line of a block scalar. Tabs are refused."""
        breaks = super().scan_block_scalar_breaks(indent)
        if self.column < indent:
            self._refuse_tab()
        return breaks

    def _with_peek(self, peek: Callable[[int], str], scan: Callable[..., Any], *arguments: Any) -> Any:
        """Run a method of the scanner while `peek` is replaced."""
        self.__dict__["peek"] = lambda index=0: peek(index)
        try:
            return scan(*arguments)
        finally:
            del self.__dict__["peek"]

    def _peek_in_plain(self, index: int) -> str:
        # A `?` is replaced by a character with the effect it has in libyaml: `,` ends a plain scalar, and `x` continues it.
        char: str = super().peek(index)
        if char == "?":
            return "," if index and super().peek(index - 1) == ":" else "x"
        if char == "\t" and (self.column + index > self.indent or not self._is_indentation(index)):
            return " "
        return char

    def _peek_between(self, index: int) -> str:
        return super().peek(index) if self.allow_simple_key and not self.flow_level else self._peek_tab_as_space(index)

    def _peek_tab_as_space(self, index: int) -> str:
        char: str = super().peek(index)
        return " " if char == "\t" else char

    def _is_indentation(self, index: int) -> bool:
        """Return whether only blanks precede the character on its line."""
        at = self.pointer + index
        return not self.buffer[self.buffer.rfind("\n", 0, at) + 1 : at].strip(" \t")

    def _refuse_tab(self) -> None:
        if self.peek() == "\t":
            mark, problem = self.get_mark(), "found a tab character where an indentation space is expected"
            self._refuse("while scanning a block scalar", mark, problem)

    def _refuse(self, context: str, start: Any, problem: str) -> None:
        raise yaml.scanner.ScannerError(context, start, problem, self.get_mark())


LOADER: Any = getattr(yaml, "CSafeLoader", PureLoader)
