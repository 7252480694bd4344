"""Tests with randomly mutated documents and answers: faults are reported, and nothing crashes."""
