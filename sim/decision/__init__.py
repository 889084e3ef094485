"""Decisions: what to buy, when it is outgrown, what is better."""
