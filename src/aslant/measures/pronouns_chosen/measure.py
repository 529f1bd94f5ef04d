"""Which pronoun a language model prefers: WinoBias (Zhao et al. 2018) and Winogender (Rudinger et al. 2018).

Both sets were made for coreference. A language model resolves nothing: what can be tested is whether it prefers the
pronoun that the stereotype of the occupation expects, with the pronoun masked (docs/definitions.md §14).
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from typing import TYPE_CHECKING, Any

from aslant.data import given_path
from aslant.errors import MeasureError, StimuliError, plural
from aslant.io.journal import Journal
from aslant.measures.pronouns_chosen.result import PronounChoiceResult, UntrainedChoice
from aslant.measures.pronouns_chosen.scoring import Drawing, choose, groups_of, occupations_of
from aslant.measures.pronouns_chosen.settings import PronounChoiceSettings
from aslant.measures.shared.open_subject import opening
from aslant.measures.shared.settings import keywords
from aslant.measures.shared.wordsets import provenance
from aslant.measures.template_tests.scoring import WHOLE, Model
from aslant.measures.template_tests.step import twins_in
from aslant.models.protocols import CausalLM, MaskedLM, Progress
from aslant.results.codec import MeasuredResult
from aslant.statistics import seed_of
from aslant.stimuli.pronoun_sets import FILE, SENTENCES, PronounSet, read_winobias, read_winogender

if TYPE_CHECKING:
    from aslant.auditing.step_context import Results, Work


@opening("lm")
@keywords
def pronoun_choice(
    lm: Model,
    source: str | PathLike[str] = "winobias",
    *,
    split: str | None = None,
    settings: PronounChoiceSettings,
    journal: str | PathLike[str] | Journal | None = None,
    rng: Any = 0,
    progress: Progress | None = None,
) -> PronounChoiceResult:
    """Ask a language model which pronoun it prefers in each sentence of WinoBias or of Winogender.

    `source`: "winobias", "winogender", a folder with the files of one of them, or one file. `split`: "dev" or "test"
    of WinoBias; None: both. A masked model is asked at the masked pronoun, also with the occupation masked (corrected
    scores); a causal one by the likelihoods of the whole sentences. The unit of intervals (`bootstrap` draws) and of
    p-values (`n_resamples`) is the occupation, which many sentences share. `twins` untrained models of the same
    architecture are asked the same: what they show needs no training. `journal` is a folder from which a run resumes.
    Sentences that cannot be used are left out and listed.

    >>> import aslant, pathlib, tempfile  # here, any_lm is a small model; aslant.load_lm(…) opens real ones
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "pro_stereotyped_type1.txt.dev"
    >>> _ = file.write_text("1 [The cook] met the nurse because [he] was late.\\n", encoding="utf-8")
    >>> r = aslant.pronoun_choice(any_lm, file, bootstrap=0)
    >>> r.scores[0].sentence, r.scores[0].stereotype
    ('The cook met the nurse because [he/she] was late.', 'male')
    """
    if not isinstance(lm, MaskedLM | CausalLM):
        raise MeasureError(f"{lm!r:.60} is not a language model; open one with aslant.load_lm(…) first.")
    seed = seed_of(rng)
    asked = pronoun_set(source, split)
    scores, refused, method = choose(lm, asked.items, journal, progress)
    left_out = (*asked.left_out, *refused)
    record = {"split": split, **settings.record()}
    made_from = provenance(lm, asked.id, tuple(remark.id for remark in left_out), seed, record)
    groups = groups_of(asked, scores, Drawing(settings, seed))
    return PronounChoiceResult(
        asked.id, asked.title, method, asked.figure, scores, groups, occupations_of(asked, scores), left_out, asked.odd,
        _notes(asked, method), made_from, tuple(_untrained(lm, asked, settings.twins, progress)),
    )  # fmt: skip


def _untrained(lm: Any, asked: PronounSet, twins: int, progress: Progress | None) -> Iterator[UntrainedChoice]:
    """Ask untrained models the same, one at a time; none where the architecture cannot be rebuilt."""
    for seed in range(twins if hasattr(lm, "untrained") else 0):
        scores, _, _ = choose(lm.untrained(seed), asked.items, None, progress)
        first = groups_of(asked, scores, Drawing(PronounChoiceSettings(bootstrap=0, n_resamples=1), seed))[0]
        p, c, r = first.preference, first.contrast, first.correlation
        yield UntrainedChoice(p.share if p else None, c.difference if c else None, r.pearson if r else None)


def pronoun_set(source: str | PathLike[str], split: str | None = None) -> PronounSet:
    """Read WinoBias or Winogender: a data name, a folder or a file; the content says which of the two.

    >>> pronoun_set("/no/such/folder")
    Traceback (most recent call last):
    aslant.errors.StimuliError: there is no '/no/such/folder'; give winobias, winogender, a folder with ... or one file.
    """
    path = given_path(source, "benchmark")
    if path is None:
        raise StimuliError(
            f"there is no '{source}'; give winobias, winogender, a folder with the files of one of them, or one file."
        )
    files = [file.name for file in path.iterdir() if file.is_file()] if path.is_dir() else [path.name]
    has_winobias = any(map(FILE.fullmatch, files))
    has_winogender = SENTENCES in files if path.is_dir() else path.suffix == ".tsv"
    if has_winobias and has_winogender:
        raise StimuliError(f"'{path}' has files of WinoBias and of Winogender; name one file, or separate them.")
    if has_winobias:
        return read_winobias(path, split)
    if not has_winogender:
        raise StimuliError(
            f"'{path}' is neither WinoBias (files such as pro_stereotyped_type1.txt.dev) nor Winogender ({SENTENCES})."
        )
    if split is not None:
        raise StimuliError(f"split={split!r} is for WinoBias; Winogender has no parts.")
    return read_winogender(path)


def _notes(asked: PronounSet, method: str) -> tuple[str, ...]:
    notes = []
    if method == WHOLE:
        notes.append(
            "a causal model: the likelihoods of whole sentences are compared, and nothing is corrected by a prior"
        )
    elif both := sum(len(item.texts[0].male[0]) > 1 for item in asked.items):
        notes.append(
            f"two pronouns of one person in {plural(both, 'sentence')}: both are masked, and nothing is corrected there"
        )
    repeated = sum(remark.reason.startswith("the same sentence") for remark in asked.odd)
    if repeated:
        notes.append(f"{plural(repeated, 'sentence')} twice in the set; both count, as published")
    return tuple(notes)


def pronoun_choices(work: Work) -> Results:
    """Ask which pronoun is preferred in each benchmark that is on this machine."""
    settings = {**work.settings, "twins": twins_in(work)}
    sources: dict[str, str] = settings.pop("sources")
    done: list[MeasuredResult] = []
    for name, split in sources.items():
        if (place := work.find_data(f"pronoun-choice, {name}", name)) is None:
            continue
        with work.noting(f"pronoun-choice, {name}"):
            done.append(pronoun_choice(
                work.subject.opened, place, split=split or None, rng=work.seed, **work.asking(), **settings
            ))  # fmt: skip
    return tuple(done)
