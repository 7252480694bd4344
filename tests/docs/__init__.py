"""Tests of the documentation: every output on its pages is what the tool prints."""
