"""Tests of the documentation: the outputs on its pages are those that planspec prints."""
