"""What each kind of result says at a glance: numbers and one plain sentence for every set of stimuli.

A new kind of result adds one function to `GLANCES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from aslant.auditing.conventions import evidence_of, strength_of
from aslant.measures.association.result import WeatResult, WeatSuiteResult
from aslant.measures.enumeration.result import EnumerationResult
from aslant.measures.geometry.result import DirectBiasResult, GeometryResult, SubspaceResult
from aslant.measures.in_context.result import ContextualBiasResult
from aslant.measures.polarities.measure import DEFAULT_WORDS
from aslant.measures.polarities.result import PolarityResult
from aslant.measures.pronouns_chosen.result import PronounChoiceResult
from aslant.measures.pronouns_resolved.result import PronounResolutionResult
from aslant.measures.residuals.result import ResidualBiasResult
from aslant.measures.sentence_tests.result import CeatResult, CeatSuiteResult, SeatResult, SeatSuiteResult
from aslant.measures.template_tests.result import (
    LogProbabilityResult,
    LogProbabilitySuiteResult,
    LogProbabilityWeatResult,
    TemplateWeatResult,
)
from aslant.results.audit import Glance
from aslant.results.codec import MeasuredResult
from aslant.statistics import benjamini_hochberg
from aslant.stimuli import load_set
from aslant.stimuli import names as set_names

Association = WeatResult | LogProbabilityWeatResult | TemplateWeatResult | SeatResult | CeatResult
Suite = WeatSuiteResult | LogProbabilitySuiteResult | SeatSuiteResult | CeatSuiteResult
#: What is said of a test about an association, by its evidence.
BACKING = {
    "strong": "strong evidence",
    "some": "some evidence",
    "none": "no evidence beyond chance",
    "not tested": "not tested against chance",
}


def glances(measure: str, results: Sequence[MeasuredResult], own: Mapping[str, str] | None = None) -> list[Glance]:
    """Return the lines of one measure's results; `own` gives the social categories of a user's own stimuli.

    >>> import aslant
    >>> [line] = glances("weat", [aslant.weat(aslant.load(), "weat-6")])
    >>> line.category, line.strength, line.evidence
    ('gender', 'large', 'strong')
    >>> line.sentence
    'Male names with Career, Female names with Family: a large effect (d = 1.72), strong evidence.'
    """
    alone = [r for r in results if isinstance(r, Association)]
    if len(alone) > 1:  # tests that come without a suite are judged together too
        allowed = {id(r): float(q) for r, q in zip(alone, benjamini_hochberg([r.pvalue for r in alone]), strict=True)}
        results = [r for r in results if id(r) not in allowed]
        return [_association(measure, r, allowed[id(r)]) for r in alone] + glances(measure, results, own)
    return [line for result in results for line in _lines(measure, result, own or {})]


def category_of(stimuli: str, own: Mapping[str, str]) -> str:
    """Return the social category of a set of stimuli: that of a user's own, or of one that ships; else "none".

    >>> category_of("weat-3", {}), category_of("mine", {"mine": "caste"})
    ('race', 'caste')
    """
    if stimuli in own:
        return own[stimuli]
    return load_set(stimuli).category if stimuli in set_names() else "none"


def _lines(measure: str, result: MeasuredResult, own: Mapping[str, str]) -> list[Glance]:
    describe = next((found for kind, found in GLANCES.items() if isinstance(result, kind)), None)
    return [] if describe is None else describe(measure, result, own)


def line(
    measure: str, category: str, stimuli: str, effect: float | None, effect_name: str, sentence: str,
    pvalue: float | None = None, qvalue: float | None = None,
) -> Glance:  # fmt: skip
    """Return one line, its strength and evidence judged by convention."""
    strength, evidence = strength_of(effect, effect_name), evidence_of(pvalue, qvalue)
    return Glance(measure, category, stimuli, effect, effect_name, strength, pvalue, qvalue, evidence, sentence)


def _association(measure: str, r: Association, qvalue: float | None = None) -> Glance:
    targets, attributes = [g.name for g in r.targets], [g.name for g in r.attributes]
    first, second = attributes if r.effect_size >= 0 else attributes[::-1]
    strength, evidence = strength_of(r.effect_size, "d"), evidence_of(r.pvalue, qvalue)
    size = "no effect to speak of" if strength == "none" else f"a {strength} effect"
    backing = BACKING[evidence]
    if r.effect_size < 0 and r.alternative == "greater":
        backing = "against the direction that the test asks about"
    sentence = (
        f"{targets[0]} with {first}, {targets[1]} with {second}: {size} (d = {_signed(r.effect_size)}), {backing}."
    )
    return line(measure, r.category, r.test, r.effect_size, "d", sentence, r.pvalue, qvalue)


def _one(measure: str, r: Association, own: Mapping[str, str]) -> list[Glance]:
    return [_association(measure, r)]


def _suite(measure: str, suite: Suite, own: Mapping[str, str]) -> list[Glance]:
    tests: Sequence[Association] = suite.results
    return [_association(measure, r, q) for r, q in zip(tests, suite.qvalues, strict=True)]


def _polarity(measure: str, r: PolarityResult, own: Mapping[str, str]) -> list[Glance]:
    stimuli = r.provenance.stimuli
    strongest = max(r.by_word, key=lambda w: abs(w.score))
    classes = _listed([group.name for group in r.classes])
    sentence = (
        f"{len(r.by_word):,} words lean between {classes} by {r.score:.3f} on average ({r.scheme}); "
        f"“{strongest.word}” leans most, to {strongest.leans_to}."
    )
    words = str(r.provenance.settings["words"])
    named = f"{stimuli}, {r.scheme}" + ("" if words == DEFAULT_WORDS else f", {words}")
    return [line(measure, category_of(stimuli, own), named, r.score, "polarity", sentence)]


def _enumeration(measure: str, r: EnumerationResult, own: Mapping[str, str]) -> list[Glance]:
    tested = [cell for cell in r.cells if cell.tested]
    share = len(r.significant) / len(tested) if tested else None
    found = "groups given" if r.own_groups else "groups of names that the vectors themselves form"
    sentence = (
        f"{len(r.significant):,} of {len(tested):,} pairs of a group and a category of words stand out from chance; "
        f"{len(r.groups)} {found}."
    )
    lowest = min((cell.qvalue for cell in tested), default=None)
    stimuli = r.provenance.stimuli
    category = category_of(stimuli, own) if r.own_groups else "several"
    return [line(measure, category, stimuli, share, "share of pairs", sentence, qvalue=lowest)]


def _geometry(measure: str, r: GeometryResult, own: Mapping[str, str]) -> list[Glance]:
    space = r.before
    found = _subspace(measure, space.subspace, own) + _direct(measure, space.direct, own)
    return found + (_residual(measure, space.residual, own) if space.residual else [])


def _subspace(measure: str, r: SubspaceResult, own: Mapping[str, str]) -> list[Glance]:
    pairs, share = r.provenance.stimuli, r.explained[0]
    chance = f" (of random words: {r.random[0].mean:.0%})" if r.random else ""
    sentence = f"One direction holds {share:.0%} of how {_listed(r.poles)} words differ{chance}."
    category = category_of(pairs, own)
    return [line(measure, category, f"{pairs}, subspace", share, "share of variance", sentence, r.pvalue)]


def _direct(measure: str, r: DirectBiasResult, own: Mapping[str, str]) -> list[Glance]:
    words, pairs = r.provenance.stimuli, str(r.provenance.settings.get("direction", ""))
    sentence = f"{len(r.by_word):,} words lie {r.value:.3f} along the direction of {_listed(r.poles)} on average."
    return [line(measure, category_of(pairs, own), f"{words}, direct bias", r.value, "direct bias", sentence)]


def _residual(measure: str, r: ResidualBiasResult, own: Mapping[str, str]) -> list[Glance]:
    first, second = r.poles
    category = "gender" if set(r.poles) == {"he", "she"} else category_of(r.provenance.stimuli, own)
    c, k, n = r.clustering, r.classification, r.neighbours
    said: list[tuple[str, float, str, float | None, str]] = [
        ("clustering", c.accuracy, "accuracy", None,
         f"Two clusters tell words that lean to {first} from those that lean to {second} with {c.accuracy:.0%} "
         f"accuracy in the embedding as it is (chance: {c.chance.mean:.0%})."),
        ("classification", k.accuracy, "accuracy", None,
         f"A classifier tells the two sides apart on words it has not seen with {k.accuracy:.0%} accuracy "
         f"(chance: {k.chance.mean:.0%})."),
    ]  # fmt: skip
    if n.correlation is not None:
        sentence = f"A word's leaning goes with that of its {n.k} nearest words: r = {_signed(n.correlation)}."
        said.append(("neighbours", n.correlation, "r", n.shuffled_pvalue, sentence))
    return [line(measure, category, what, value, name, sentence, p) for what, value, name, p, sentence in said]


def _attributes(measure: str, r: LogProbabilityResult, own: Mapping[str, str]) -> list[Glance]:
    c, (source, listed) = r.share, (r.provenance.stimuli, str(r.provenance.settings["attributes"]))
    sentence = (
        f"{c.count:,} of {c.n:,} words go with “{c.first}” rather than “{c.second}” ({c.share:.0%}, interval "
        f"{c.low:.0%} to {c.high:.0%})."
    )
    stimuli = listed if source == "own" else source if listed in ("own", source) else f"{source}, {listed}"
    gendered = {target.name.lower() for target in r.targets} <= GENDERED
    category = "gender" if gendered else category_of(source if source != "own" else listed, own)
    return [line(measure, category, stimuli, c.share, "share", sentence)]


def _contextual(measure: str, r: ContextualBiasResult, own: Mapping[str, str]) -> list[Glance]:
    pairs, (first, second) = str(r.provenance.settings["pairs"]), r.poles
    category = category_of(pairs, own)
    said = {
        "share_of_variance": (
            "share of variance",
            f"One direction holds {{:.0%}} of what swapping {first}- and {second}-words changes",
        ),
        "direct_bias": ("direct bias", "Professions lie {:.3f} along that direction on average"),
        "clustering": (
            "accuracy",
            f"Two clusters tell words that lean to {first} from those that lean to {second} with {{:.0%}} accuracy",
        ),
        "classification": (
            "accuracy",
            "A classifier tells the two sides apart on words it has not seen with {:.0%} accuracy",
        ),
        "neighbours": ("r", "A profession's leaning goes with that of its nearest words: r = {:.2f}"),
    }
    found = []
    for name, (effect_name, sentence) in said.items():
        m = getattr(r.measures, name)
        if m.over is None:
            continue
        chance = f" (by chance: {_signed(m.chance.mean)})" if m.chance else ""
        text = sentence.format(m.over.mean).replace("-0.", "−0.") + f", in context{chance}."
        found.append(line(measure, category, name.replace("_", " "), m.over.mean, effect_name, text, m.pvalue))
    return found


def _pronoun_choice(measure: str, r: PronounChoiceResult, own: Mapping[str, str]) -> list[Glance]:
    group, found = r.groups[0], []
    if p := group.preference:
        sentence = (
            f"In {p.count:,} of {p.n:,} sentences ({p.share:.0%}) the pronoun that the occupation's stereotype expects "
            "is the more probable one."
        )
        found.append(line(measure, "gender", r.dataset, p.share, "share", sentence, p.pvalue))
    if c := group.contrast:
        sentence = (
            f"“She” is {'more' if c.difference >= 0 else 'less'} probable with occupations of a female stereotype than "
            f"with those of a male one: {_signed(c.difference)} in log-odds."
        )
        found.append(line(measure, "gender", f"{r.dataset}, contrast", c.difference, "log-odds", sentence, c.pvalue))
    if k := group.correlation:
        sentence = f"“She” goes with the share of women in {k.n} occupations: r = {_signed(k.pearson)}."
        found.append(
            line(measure, "gender", f"{r.dataset}, share of women", k.pearson, "r", sentence, k.pearson_pvalue)
        )
    return found


def _pronoun_resolution(measure: str, r: PronounResolutionResult, own: Mapping[str, str]) -> list[Glance]:
    male, female = r.outcomes
    source, gap = r.provenance.stimuli, r.gap
    sentence = (
        f"“Neither” is predicted with {female.predicted:.0%} for female and {male.predicted:.0%} for male pronouns "
        f"(in the labels: {female.prior:.0%} and {male.prior:.0%})."
    )
    found = [line(measure, "gender", source, gap.difference, "difference in probability", sentence, gap.pvalue)]
    for c in r.correlations:
        sentence = f"“Neither” goes with the bias of a text's topics, {c.gender} pronouns: ρ = {_signed(c.rho)}."
        found.append(line(measure, "gender", f"{source}, topics, {c.gender}", c.rho, "rho", sentence, c.pvalue))
    return found


#: Target sets that stand for gender, whatever the words beside them are about.
GENDERED = {"he", "she", "they", "him", "her", "man", "woman", "male", "female", "men", "women"}


def _listed(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _signed(value: float) -> str:
    return f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")


GLANCES: dict[type[MeasuredResult], Callable[[str, Any, Mapping[str, str]], list[Glance]]] = {
    WeatSuiteResult: _suite,
    WeatResult: _one,
    LogProbabilitySuiteResult: _suite,
    LogProbabilityWeatResult: _one,
    TemplateWeatResult: _one,
    PolarityResult: _polarity,
    EnumerationResult: _enumeration,
    GeometryResult: _geometry,
    SubspaceResult: _subspace,
    DirectBiasResult: _direct,
    ResidualBiasResult: _residual,
    LogProbabilityResult: _attributes,
    SeatSuiteResult: _suite,
    SeatResult: _one,
    CeatSuiteResult: _suite,
    CeatResult: _one,
    ContextualBiasResult: _contextual,
    PronounChoiceResult: _pronoun_choice,
    PronounResolutionResult: _pronoun_resolution,
}
