"""The description of the package on an index: the README, with each link to a page of the checkout told as the command that shows it."""

import atexit
import re
import shutil
import tempfile
from pathlib import Path

from setuptools import setup
from setuptools.command.build import build

README = Path(__file__).with_name("README.md").read_text("utf-8")
PAGE = re.compile(r"\[([^]]+)\]\(docs/([\w-]+)\.md(#[\w-]+)?\)")
FILE = re.compile(r"\[([^]]+)\]\((?!https?:)([^)]+)\)")


def description(text: str) -> str:
    """The text without relative links, which lead nowhere on an index."""
    told = PAGE.sub(lambda link: f"{link[1]} (`planspec docs {link[2]}{link[3] or ''}`)", text)
    return FILE.sub(r"\1 (`\2`)", told)


class Build(build):
    """Builds in a folder of its own, so that nothing is packed that an earlier build left in `build`, and several may build at once."""

    def initialize_options(self) -> None:
        super().initialize_options()
        self.build_base = tempfile.mkdtemp(prefix="planspec-build-")
        atexit.register(shutil.rmtree, self.build_base, ignore_errors=True)


setup(
    long_description=description(README),
    long_description_content_type="text/markdown",
    cmdclass={"build": Build},
)
