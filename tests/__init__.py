"""The tests, a package so that they can share modules; folders mirror the code."""
