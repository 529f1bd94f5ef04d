"""`aslant relative-norm`."""

from __future__ import annotations

from aslant.cli import options as o
from aslant.cli.shared import Output, Reading, Running, command

EXAMPLES = """
[bold]Examples[/bold]

aslant relative-norm                 on the sample
"""


@command
def command_line(model: o.ModelArgument = None, *, reading: Reading, running: Running, output: Output) -> None:
    """Relative norm distance (Garg et al. 2018): how much nearer words lie to one group than to another."""
    from aslant.measures.relative_norms.measure import relative_norm

    from aslant.cli.loading import open_vectors
    from aslant.cli.printing import deliver

    deliver(relative_norm(open_vectors(model, reading, quiet=running.quiet)), output, quiet=running.quiet)
