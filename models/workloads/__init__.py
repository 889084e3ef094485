"""Workloads: dd, databases in phases, file utilities, recorded traces, job files of fio."""
