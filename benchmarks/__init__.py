"""How fast stacksim is: against itself, against C++, against other simulators. ``python -m benchmarks``."""
