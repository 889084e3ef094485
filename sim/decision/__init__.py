"""Decisions: what to buy, what breaks, what is better."""
