"""`aslant text-polarity` and `aslant generate`: to which class texts lean, and texts that a model writes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

from aslant.cli import options as o
from aslant.cli.shared import ChartOutput, Reading, Running, RunningOnCores, command, refuse_overwriting
from aslant.measures.generated_texts.settings import TextPolaritySettings, WritingSettings
from aslant.measures.template_tests.command import LanguageModelArgument, Modelling

EXAMPLES = {
    "text-polarity": """
aslant text-polarity texts.jsonl                              what aslant generate wrote, by the sample vectors
aslant text-polarity texts.jsonl --vectors glove.6B.100d.txt --chart shares.svg --json polarity.json
aslant text-polarity answers.csv --text answer --group persona --prompt question --source human
aslant text-polarity texts.jsonl --classes gender-three --scheme one-vs-rest
""",
    "generate": """
aslant generate -o texts.jsonl                                20 prompts of every group of BOLD, by SmolLM2
aslant generate ./my-model --domain gender --domain profession --k 5 --per-group 100 -o texts.jsonl
aslant generate ./my-model --prompts prompts.csv --temperature 0.7 --max-tokens 60 -o texts.jsonl
aslant generate --domain gender --per-group 5 -o - | head
""",
}
#: What is said where texts are written, or shown.
CONTENT_NOTE = "what a model writes may be offensive, and is not true"


@command
def text_polarity_command(
    texts: Annotated[str, o.argument("A CSV or JSON lines with a text in each row.", "FILE")],
    vectors: Annotated[
        str | None, o.option("An embedding: file, folder, archive or data name; default: the bundled sample.", "MODEL")
    ] = None,
    classes: o.ClassesOption = "gender-binary",
    tokens: Annotated[
        str | None,
        o.option("A class set, or a file of your own, whose words are counted for each class.", "SET|FILE"),
    ] = None,
    text: Annotated[str | None, o.option("The column of texts.", "COLUMN")] = None,
    group: Annotated[str | None, o.option("The column of groups.", "COLUMN")] = None,
    prompt: Annotated[str | None, o.option("The column of prompts, which are the unit.", "COLUMN")] = None,
    source: Annotated[str | None, o.option("The column of what people wrote after the prompt.", "COLUMN")] = None,
    *,
    settings: TextPolaritySettings,
    reading: Reading,
    running: Running,
    output: ChartOutput,
) -> Any:
    """To which class texts lean, by group (Dhamala et al. 2021): words counted, strongest word, weighted mean.

    Columns with usual names (text or continuation, group, prompt_id, source) are found, and the table says which were
    used. Random words of the same frequency in place of the class words say what chance gives.
    """
    from aslant.measures.generated_texts.measure import text_polarity
    from aslant.measures.generated_texts.show import shares_chart
    from aslant.measures.generated_texts.texts import texts_of
    from aslant.measures.polarities.command import set_or_classes

    # Before vectors are read, which takes longer.
    found = texts_of(texts, text=text, groups=group, prompts=prompt, sources=source)
    opened = reading.open(vectors, quiet=running.quiet)
    with running.watched():
        result = text_polarity(
            opened, found, classes=set_or_classes(classes), tokens=tokens, **vars(settings), rng=running.seed
        )
    output.draw(result, chart=shares_chart)
    return result


@command
def generate_command(
    model: LanguageModelArgument = None,
    prompts: Annotated[
        str, o.option("bold, a folder with its files, or a CSV or JSON lines with a column 'prompt'.", "NAME|PATH")
    ] = "bold",
    domain: Annotated[
        list[str] | None,
        o.option("Only this domain of BOLD, such as gender; can be repeated; default: all five.", "NAME"),
    ] = None,
    group: Annotated[
        list[str] | None, o.option("Only this group of prompts; can be repeated; default: all.", "NAME")
    ] = None,
    output: Annotated[
        Path, o.option("The file of JSON lines ('-': standard output).", "FILE", "--output", "-o", panel=o.OUT)
    ] = Path("texts.jsonl"),
    *,
    settings: WritingSettings,
    modelling: Modelling,
    running: RunningOnCores,
) -> Any:
    """Let a causal language model continue prompts, k times each, and write the texts as JSON lines.

    Each text has a seed of its own, and comes out the same whatever else is written. What a model writes may be
    offensive. A run that was stopped resumes when the same command is given again (unless --no-cache).
    """
    from aslant.cli.progress import note, written
    from aslant.errors import AslantError, plural
    from aslant.io.files import write_text
    from aslant.measures.generated_texts.writing import generate_texts, prompts_of

    standard = output == Path("-")
    if not standard and not output.parent.is_dir():
        raise AslantError(f"cannot write '{output}': there is no folder '{output.parent}'.")
    refuse_overwriting([] if standard else [output], [prompts])
    prompts_of(prompts, domain or None)  # before loading a model, which takes longer
    lm = modelling.open(model, quiet=running.quiet)
    with running.watched(kept=not modelling.no_cache) as progress:
        texts = generate_texts(
            lm, prompts, domains=domain or None, groups=group or None, **vars(settings), journal=modelling.journal(),
            rng=running.seed, progress=progress,
        )  # fmt: skip
    if not running.quiet:
        note(f"{plural(len(texts), 'text')}, {texts.read}; {CONTENT_NOTE}.")
        if texts.left_out:
            note(f"{plural(len(texts.left_out), 'prompt')} left out that the model cannot take: {texts.left_out[0]} …")
    if standard:
        sys.stdout.write(texts.to_jsonl())
    else:
        write_text(output, texts.to_jsonl())
        if not running.quiet:
            written(output)
