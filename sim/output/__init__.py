"""Pictures, pages and timelines."""
