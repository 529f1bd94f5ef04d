"""`aslant relative-norm`."""

from __future__ import annotations

from typing import Any

from aslant.cli import options as o
from aslant.cli.shared import Output, Reading, Running, command

EXAMPLES = """
[bold]Examples[/bold]

aslant relative-norm                 on the sample
"""


@command
def command_line(model: o.ModelArgument = None, *, reading: Reading, running: Running, output: Output) -> Any:
    """Relative norm distance (Garg et al. 2018): how much nearer words lie to one group than to another."""
    from aslant.measures.relative_norms.measure import relative_norm

    return relative_norm(reading.open(model, quiet=running.quiet))
