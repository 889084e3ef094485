"""The analytic engine: from the same paths, an answer in milliseconds; approximate, and it says by what method."""
