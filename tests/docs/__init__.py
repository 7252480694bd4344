"""Tests of the documentation. Every output on its pages is what planspec prints."""
