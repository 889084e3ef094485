"""One file a published system: the only files that wire layers together."""
