"""The description of the package on an index: the README, with each link to a page of the checkout told as the command that shows it."""

import re
from pathlib import Path

from setuptools import setup

README = Path(__file__).with_name("README.md").read_text("utf-8")
PAGE = re.compile(r"\[([^]]+)\]\(docs/([\w-]+)\.md(#[\w-]+)?\)")
FILE = re.compile(r"\[([^]]+)\]\((?!https?:)([^)]+)\)")


def description(text: str) -> str:
    """The text without relative links, which lead nowhere on an index."""
    told = PAGE.sub(lambda link: f"{link[1]} (`planspec docs {link[2]}{link[3] or ''}`)", text)
    return FILE.sub(r"\1 (`\2`)", told)


setup(long_description=description(README), long_description_content_type="text/markdown")
