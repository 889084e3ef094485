"""The engine of stacksim: places, steps, workloads and the solvers that read them. It knows no word of storage."""
