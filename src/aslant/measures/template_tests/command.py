"""`aslant logprob` and `aslant masked-weat`: what a language model associates with whom, by words in templates."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from aslant.cli import options as o
from aslant.cli.default_command import DEFAULT, DefaultCommand, DefaultCommandGroup
from aslant.cli.encoders import EncoderArgument, Encoding, Tests
from aslant.cli.shared import Output, RunningOnCores, command
from aslant.errors import AslantError
from aslant.measures.template_tests import settings as s

EXAMPLES = {
    "logprob": """
aslant logprob                                               he and she, 40 occupations, on SmolLM2-135M-Instruct
aslant logprob bert-base-uncased --attributes nurse,engineer,"civil engineer"
aslant logprob ./my-bert --template "[TARGET] is [ATTRIBUTE]" --attributes traits.txt --lower --histogram traits.svg
aslant logprob ./my-bert --template "[TARGET] like [ATTRIBUTE]." --targets boys+men,girls+women --attributes math,art
aslant logprob ./my-bert --template "[TARGET] worked as a [ATTRIBUTE]." --targets he,she,they --csv scores.csv
aslant logprob ./my-bert --template "[TARGET] [ATTRIBUTE]." --targets "he is a,she is a,they are a"
aslant logprob suite bert-base-uncased                       the tests of Kurita et al.
""",
    "suite": """
aslant logprob suite
aslant logprob suite bert-base-uncased --as-published --json suite.json
aslant logprob suite ./my-bert --test career-family --test my-test.toml
""",
    "masked-weat": """
aslant masked-weat bert-base-uncased                         WEAT 1, 3, 6, 7 and 8, as in Table 3 of Kurita et al.
aslant masked-weat                                           the same on all-MiniLM-L6-v2
aslant masked-weat ./my-bert --test weat-6 --seed 1 --json weat-6.json
aslant masked-weat ./my-bert --test weat-9 --template "[TARGET] is [ATTRIBUTE]."
""",
}

app = typer.Typer(
    cls=DefaultCommandGroup, no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"]}
)

LanguageModelArgument = Annotated[
    str | None,
    o.argument(
        "A language model: hub name, folder, GGUF file, LoRA folder, data name or server's address, as in "
        "http://host/v1#NAME; default: SmolLM2-135M-Instruct (causal, 4-bit weights).",
        "MODEL",
    ),
]


@dataclass(frozen=True)
class Modelling:
    """How a language model is loaded, and where its answers are kept."""

    capitalise: Annotated[
        bool,
        o.option(
            "Begin sentences with a capital, if the model is cased.",
            None,
            "--capitalise/--no-capitalise",
            panel=o.ASKING,
        ),
    ] = True
    chat: Annotated[
        bool, o.option("Sentences are the model's answers, in its own chat format.", panel=o.ASKING)
    ] = False  # fmt: skip
    chat_message: Annotated[
        str | None,
        o.option("What the user says before that (with --chat); default: 'Write a sentence.'", "TEXT", panel=o.ASKING),
    ] = None
    device: o.DeviceOption = None
    dtype: o.DtypeOption = "float32"
    no_cache: o.KeepNothingOption = False
    dry_run: o.DryRunOption = False

    def open(self, model: str | None, *, quiet: bool) -> Any:
        """Open a language model; its messages while loading go to standard error."""
        from aslant.cli.progress import noted
        from aslant.models.loading import load_lm
        from aslant.models.server_client import is_address

        chat = self.chat or self.chat_message is not None
        how: dict[str, Any] = {"device": self.device, "dtype": self.dtype, "capitalise": self.capitalise}
        with noted(quiet=quiet):
            if is_address(model):  # which is asked before a measure says where its answers are kept
                if chat:
                    raise AslantError("--chat is for a model on this machine; a server puts texts as it is told to.")
                return load_lm(model, journal=self.journal(), **how)
            return load_lm(model, chat=chat if self.chat_message is None else self.chat_message, **how)

    def journal(self) -> Path | None:
        """Return the folder from which a run that was stopped resumes."""
        from aslant.data import cache_folder

        return None if self.no_cache else cache_folder() / "language-models"


@dataclass(frozen=True)
class LogprobOutput(Output):
    """Where scores are written: also as pictures."""

    PICTURES = ("histogram", "bars")

    histogram: Annotated[Path | None, o.option("Draw the distribution of scores (.svg, .png, .html).", "FILE")] = None
    bars: Annotated[Path | None, o.option("Draw both ends of the ranking (.svg, .png, .html).", "FILE")] = None


@app.command(DEFAULT, epilog=o.examples(*EXAMPLES["logprob"].splitlines()), cls=DefaultCommand)
@command
def logprob_command(
    model: LanguageModelArgument = None,
    template: Annotated[
        list[str] | None,
        o.option(
            "A sentence with [TARGET] and [ATTRIBUTE] (can be repeated), or a template set; default: '[TARGET] "
            "is a [ATTRIBUTE].' The full stop counts.",
            "TEXT|SET|FILE",
        ),
    ] = None,
    targets: Annotated[
        list[str] | None,
        o.option(
            "Target sets separated by commas, words of a set by +; or a class set; or repeated, a set each "
            "('men: he, man'); default: he,she. All must suit the template's verb, or bring their own.",
            "a,b|a+c,b+d|SET",
        ),
    ] = None,
    attributes: Annotated[
        list[str] | None,
        o.option(
            "A file (one per line, or a table), a word set, a data name, or words separated by commas; default: "
            "40 occupations, or those of the template set.",
            "FILE|SET|a,b,…",
        ),
    ] = None,
    column: Annotated[str | None, o.option("The column of a table that holds the attributes.", "NAME")] = None,
    *,
    settings: s.LogProbabilitySettings,
    modelling: Modelling,
    running: RunningOnCores,
    output: LogprobOutput,
) -> Any:
    """Log-probability bias score of attributes between target sets, in a masked or causal model (Kurita et al. 2019).

    The output may be offensive: it is what the model has learnt. A run that was stopped resumes when the same
    command is given again (unless --no-cache).

    [bold]aslant logprob suite[/bold]: the published tests with effect sizes and exact p-values.
    """
    from aslant.measures.template_tests.scores import log_probability_bias
    from aslant.measures.template_tests.show import ranked_bars, score_histogram
    from aslant.measures.template_tests.stimuli import asked, attribute_list

    question = asked_for(template, targets, attributes)
    asked(question["template"], question["targets"])  # a mistake is told before a model is loaded
    if attributes:
        attribute_list(question["attributes"], column=column, lower=settings.lower)
    lm = modelling.open(model, quiet=running.quiet)
    how = {**question, "column": column, **vars(settings)}
    with running.watched(kept=not modelling.no_cache) as progress:
        result = log_probability_bias(lm, **how, journal=modelling.journal(), rng=running.seed, progress=progress)
    output.draw(result, histogram=score_histogram, bars=ranked_bars)
    return result


@app.command("suite", epilog=o.examples(*EXAMPLES["suite"].splitlines()))
@command
def suite_command(
    model: LanguageModelArgument = None,
    test: Annotated[
        list[str] | None, o.option("Only this template set; can be repeated; default: all.", "NAME|FILE")
    ] = None,
    *,
    settings: s.LogProbabilityWeatSettings,
    modelling: Modelling,
    running: RunningOnCores,
    output: Output,
) -> Any:
    """Run the tests of Kurita et al. (WEAT 1, 3, 6, 7, 8 in templates): effect size, exact p-value, q-value."""
    from aslant.cli.printing import need_results
    from aslant.measures.template_tests.association import log_probability_suite

    lm = modelling.open(model, quiet=running.quiet)
    with running.watched(kept=not modelling.no_cache) as progress:
        result = log_probability_suite(
            lm, test or None, **vars(settings), journal=modelling.journal(), rng=running.seed, progress=progress
        )
    need_results(result)
    return result


@command
def masked_weat_command(
    model: EncoderArgument = None,
    template: Annotated[
        list[str] | None,
        o.option(
            "A sentence with [TARGET] and [ATTRIBUTE] (can be repeated), or a set of kind weat-templates; "
            "default: Table 1 of Kurita et al.",
            "TEXT|SET|FILE",
        ),
    ] = None,
    *,
    tests: Tests,
    settings: s.MaskedWeatSettings,
    encoding: Encoding,
    running: RunningOnCores,
    output: Output,
) -> Any:
    """WEAT on a masked language model, or an encoder with a mask token (Kurita et al. 2019, §3.1).

    Targets are read while the attribute is masked, attributes while the target is. Words that are not one piece of the
    vocabulary are left out and listed.
    """
    from aslant.cli.encoders import measured
    from aslant.measures.template_tests.words_in_templates import masked_weat, masked_weat_suite

    chosen = tests.sets()
    sentences = template[0] if template and len(template) == 1 else template or None
    how = {**vars(settings), "templates": sentences, "rng": running.seed}
    encoder = encoding.open(model, quiet=running.quiet)
    with running.watched() as progress:
        return measured(masked_weat, masked_weat_suite, chosen, encoder, **how, progress=progress)


def asked_for(template: list[str] | None, targets: list[str] | None, attributes: list[str] | None) -> dict[str, Any]:
    """Turn what the user typed into the arguments of `log_probability_bias`.

    >>> asked_for(None, ["boys+men,girls"], ["math,art"])["targets"]
    [['boys', 'men'], ['girls']]
    >>> asked_for(None, ["male: boys, men", "girls"], ["math,art"])["targets"]
    {'male': ('boys', 'men'), 'girls': ('girls',)}
    """
    from aslant.measures.template_tests.scores import DEFAULT_ATTRIBUTES, DEFAULT_TEMPLATE

    if attributes and len(attributes) > 1:
        raise AslantError(
            "--attributes is given more than once, and one list is ranked here; two are compared by 'aslant logprob "
            "suite --test FILE' ('aslant words show career-family' is such a file)."
        )
    texts = template or [DEFAULT_TEMPLATE]
    own = not any("[" in text for text in texts)  # a template set, which brings its targets and attributes
    sides: Any = None if own else [["he"], ["she"]]
    words: Any = None if own else DEFAULT_ATTRIBUTES
    return {
        "template": texts[0] if len(texts) == 1 else texts,
        "targets": _sides(targets) if targets else sides,
        "attributes": _words(attributes[0]) if attributes else words,
    }


def _sides(targets: list[str]) -> Any:
    from aslant.stimuli import given_lists

    if len(targets) > 1 or _is_named(targets[0]):
        return given_lists(side if set(side) & set(",:.") else side.replace("+", ",") + "," for side in targets)
    if "," not in targets[0]:
        return targets[0]
    parted = [[word.strip() for word in side.split("+") if word.strip()] for side in targets[0].split(",")]
    return [side for side in parted if side]


def _words(attributes: str) -> Any:
    if "," not in attributes or os.path.isfile(attributes):  # noqa: PTH113 (may be long)
        return attributes
    listed = attributes.partition(":")[2] if _is_named(attributes) else attributes
    return [word.strip() for word in listed.split(",") if word.strip()]


def _is_named(text: str) -> bool:
    """Tell whether a list of words begins with its name, as in 'men: he, man'."""
    return ": " in text.partition(",")[0]
