"""Data nodes on a network: cards, nodes that sleep when idle, and volumes with copies on several of them."""
