"""The analytic engine: answers from the same paths in milliseconds; approximate, with the methods named."""
