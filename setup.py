"""Build of the package, with the README as description.

Links to pages of the checkout are replaced by the commands that show these pages.
"""

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
    """Return a text without relative links, which lead nowhere on a package index."""
    without_pages = PAGE.sub(lambda link: f"{link[1]} (`planspec docs {link[2]}{link[3] or ''}`)", text)
    return FILE.sub(r"\1 (`\2`)", without_pages)


class Build(build):
    """A build in a temporary folder.

    Files left in `build` by an earlier build are not packed, and several builds can run at once.
    """

    def initialize_options(self) -> None:
        super().initialize_options()
        self.build_base = tempfile.mkdtemp(prefix="planspec-build-")
        atexit.register(shutil.rmtree, self.build_base, ignore_errors=True)


setup(
    long_description=description(README),
    long_description_content_type="text/markdown",
    cmdclass={"build": Build},
)
