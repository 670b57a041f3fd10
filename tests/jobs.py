"""Jobs driven by hand, as far as a test needs them."""

from typing import Any

from model.job import Job


def run_until(job: Job[Any], n_done: int) -> None:
    """Run a job pass by pass until it has done so much, or has ended."""
    while job.is_running and job.progress.n_done < n_done:
        job.run_for(1e-5)
