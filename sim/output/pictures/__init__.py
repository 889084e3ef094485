"""Pictures of results as data, drawn by Matplotlib or by a page in a browser."""
