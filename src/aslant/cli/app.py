"""The table of commands."""

from __future__ import annotations

from typing import Annotated

import typer

from aslant.cli import audit, check, data, debias, replicate, results, words
from aslant.measures.association import command as weat
from aslant.measures.association import multi_weat_command as multi_weat
from aslant.measures.association import wefat_command as wefat
from aslant.measures.enumeration import command as enumeration
from aslant.measures.geometry import command as geometry
from aslant.measures.in_context import command as contextual
from aslant.measures.polarities import command as polarity
from aslant.measures.polarities import trend_command as trend
from aslant.measures.pronouns_chosen import command as pronoun_choice
from aslant.measures.pronouns_resolved import command as pronouns
from aslant.measures.sentence_tests import ceat_command as ceat
from aslant.measures.sentence_tests import seat_command as seat
from aslant.measures.side_by_side import command as compare
from aslant.measures.template_tests import command as logprob
from aslant.measures.template_tests import masked_weat_command as masked_weat
from aslant.version import __version__

app = typer.Typer(
    name="aslant",
    help="Find, measure and explain social bias in word embeddings and language models.",
    epilog="Start with: aslant audit      (a full report on the bundled sample embedding)",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="rich",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"aslant {__version__}")
        raise typer.Exit


@app.callback()
def aslant_command(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Find, measure and explain social bias in word embeddings and language models."""


app.command("audit", epilog=audit.EXAMPLES)(audit.audit_command)
app.command("check", epilog=check.EXAMPLES)(check.check_command)
app.command("weat", epilog=weat.EXAMPLES)(weat.weat_command)
app.command("multi-weat", epilog=multi_weat.EXAMPLES)(multi_weat.multi_weat_command)
app.command("wefat", epilog=wefat.EXAMPLES)(wefat.wefat_command)
app.add_typer(enumeration.app, name="enumerate", short_help=enumeration.SHORT)
app.command("polarity", epilog=polarity.EXAMPLES)(polarity.polarity_command)
app.command("trend", epilog=trend.EXAMPLES)(trend.trend_command)
app.command("geometry", epilog=geometry.EXAMPLES)(geometry.geometry_command)
app.add_typer(logprob.app, name="logprob", short_help=logprob.SHORT)
app.command("masked-weat", epilog=masked_weat.EXAMPLES)(masked_weat.masked_weat_command)
app.command("seat", epilog=seat.EXAMPLES)(seat.seat_command)
app.command("ceat", epilog=ceat.EXAMPLES)(ceat.ceat_command)
app.command("pronoun-choice", epilog=pronoun_choice.EXAMPLES)(pronoun_choice.pronoun_choice_command)
app.command("pronoun-resolution", epilog=pronouns.EXAMPLES)(pronouns.pronouns_command)
app.command("pronouns", epilog=pronouns.EXAMPLES, hidden=True)(pronouns.pronouns_command)  # its former name
app.command("contextual", epilog=contextual.EXAMPLES)(contextual.contextual_command)
app.command("compare", epilog=compare.EXAMPLES)(compare.compare_command)
app.command("debias", epilog=debias.EXAMPLES)(debias.debias_command)
app.command("replicate", epilog=replicate.EXAMPLES)(replicate.replicate_command)
app.add_typer(results.app, name="results")
app.add_typer(words.app, name="words")
app.add_typer(data.app, name="data")
