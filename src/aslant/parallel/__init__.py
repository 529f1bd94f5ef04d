"""The one way to use several cores, or several machines; what comes out depends on neither.

`spread` runs tasks on the workers in use: threads of this process unless `use_workers` names a Dask or a Ray cluster.
What is large is given apart from the items (`shared`) and goes to each worker once. `in_order` is for tasks that cannot
leave this process. Either way each task has one thread (`one_thread_each`).
"""

from __future__ import annotations

from aslant.parallel.spreading import as_finished, spread, use_workers, workers_in_use
from aslant.parallel.threads import cores, in_order, is_worker, one_thread_each

__all__ = [
    "as_finished",
    "cores",
    "in_order",
    "is_worker",
    "one_thread_each",
    "spread",
    "use_workers",
    "workers_in_use",
]
