"""How a model is run: the reference in SimPy, and the compiled event loop, with the same completion times."""
