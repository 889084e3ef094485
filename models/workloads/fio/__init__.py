"""fio: job files as loads of a stack, and results in the format of fio."""

from models.workloads.fio.job import Job
from models.workloads.fio.job_file import JobFile, read_jobs
from models.workloads.fio.kind import Fio
from models.workloads.fio.load import loads
from models.workloads.fio.output import fio_json
from models.workloads.fio.scenario import scenario

__all__ = ["Fio", "Job", "JobFile", "fio_json", "loads", "read_jobs", "scenario"]
