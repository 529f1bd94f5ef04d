"""`aslant group-distance`."""

from __future__ import annotations

from typing import Any

from aslant.cli import options as o
from aslant.cli.shared import Output, Reading, Running, command

EXAMPLES = """
[bold]Examples[/bold]

aslant group-distance                 on the sample
"""


@command
def command_line(model: o.ModelArgument = None, *, reading: Reading, running: Running, output: Output) -> Any:
    """Distance to groups (Garg et al. 2018): how much nearer words lie to one group than to another."""
    from aslant.measures.group_distances.measure import group_distance

    return group_distance(reading.open(model, quiet=running.quiet))
