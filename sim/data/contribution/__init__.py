"""A folder of a user's measurements: its description, its split into fitted and held-out figures, its figures."""
