"""Shipped documents and right answers, spoilt at random: whatever comes of it is told, and nothing crashes."""
