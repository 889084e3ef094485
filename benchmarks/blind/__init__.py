"""``stacksim measure`` asked for fio jobs that it has not seen, beside curves through the very same runs."""
