"""Tests. They are a package so that they can share modules. Their folders mirror the folders of the code."""
