"""Checks of names, types, units and stages, which turn syntax trees into checked trees and report every mistake."""
