"""Tests. They are a package so that they can share modules. The folders mirror those of the code."""
