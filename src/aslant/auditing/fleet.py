"""Questions about all models of a store at once: what got worse, what was not measured, what breaks a policy.

Models are compared run by run, each with the run before in which it has figures, or with a run that is named. A figure
is worse if it is further from chance than it was, on the scale that models share: (score − mean of chance) / sd of
chance. Raw scores are beside it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from aslant.auditing.coverage import GRADES, like
from aslant.auditing.policy import Policy, check_policy, read_policy
from aslant.auditing.runs import Visit
from aslant.auditing.store import Held, ResultsStore, changed, first
from aslant.errors import AslantError, plural
from aslant.results.audit import NEEDS_TEXT, ON_REQUEST, Glance, PolicyCheck, PolicyLine, Verdict
from aslant.results.stored import AuditChange, FigureChange, NotMeasured, NotMeasuredLine, WorseFigures, WorseLine
from aslant.version import __version__

#: How much further from chance a figure may be than it was, in standard deviations of chance.
WORSE = 0.5
#: A figure that chance reaches more often than this is within chance, whatever it was before.
BEYOND = 0.05
#: In place of a run: the one before, in which a model has figures; and nothing at all.
LAST, NOTHING = "last", "none"
NOT_YET = "this run has not reached it yet"


@dataclass(frozen=True)
class Pair:
    """A label in its newest run with figures, and in the run that it is compared with."""

    now: Visit
    was: Visit | None
    why: str = ""


def worse(
    store: ResultsStore,
    *,
    model: str = "*",
    run: str | None = None,
    against: str = LAST,
    limit: float = WORSE,
    tolerance: dict[str, float] | None = None,
) -> WorseFigures:
    """Return the figures of each model that are further from chance than they were, by more than `limit`.

    `run` is the run that is looked at (default: the newest of each model), `against` the one that it is compared with:
    "last" (the one before, in which the model has figures), or the id of a run. A figure counts as worse only if chance
    does not give as much (its chance p-value is up to 0.05); one without a chance level, if its size grew by more than
    the `tolerance` for effects of its name. Where model and settings are the same, nothing is compared.

    >>> import tempfile, aslant
    >>> store = aslant.ResultsStore(tempfile.mkdtemp() + "/results.db")
    >>> for _ in range(2):
    ...     _ = aslant.audit_list({"ours": "sample"}, store, profile="quick", only=["weat"])
    >>> found = worse(store)
    >>> found.unchanged, found.worse
    (('ours',), ())
    """
    held = {each.audit.id: each for each in store.held()[0]}
    allowed = read_policy().tolerance if tolerance is None else tolerance
    lines, compared, unchanged, surer = list[WorseLine](), list[str](), list[str](), list[str]()
    unlike, lost = dict[str, list[str]](), dict[str, list[str]]()
    _, unfinished = _asked(store, list(held.values()), model, run)
    skipped = {label: f"run {of}: {NOT_YET}" for label, of in unfinished.items()}
    for pair in pairs(store, list(held.values()), model, run, against):
        label = pair.now.label
        if pair.was is None or pair.why:
            skipped[label] = pair.why or "it has no earlier run"
            continue
        change = _compared(pair, held)
        if change.unchanged:
            unchanged.append(label)
            continue
        compared.append(label)
        lines += _lines(pair, change, {line.key: line for line in held[_id(pair.now)].glance}, limit, allowed)
        surer += [
            f"{label}: {figure.measure}, {figure.stimuli}" for figure in change.figures if _is_surer(figure, limit)
        ]
        for told in change.unlike:
            unlike.setdefault(told, []).append(label)
        for measure in dict.fromkeys(f.measure for f in change.figures if f.change == "only before"):
            lost.setdefault(measure, []).append(label)
    notes = [f"{told} ({', '.join(labels)}), which may explain a change too" for told, labels in unlike.items()]
    notes += [
        f"figures of {measure} in the run before, not now: {', '.join(labels)}" for measure, labels in lost.items()
    ]
    notes += [f"grew by no more than the limit, but has evidence now that it lacked: {'; '.join(surer)}"] * bool(surer)
    return WorseFigures(tuple(lines), tuple(compared), tuple(unchanged), skipped, limit, tuple(notes), __version__)


def not_measured(store: ResultsStore, *, model: str = "*", run: str | None = None) -> NotMeasured:
    """Return what the newest run of each model (or `run`) did not measure: missing or failed models, measures, tests.

    >>> import tempfile, aslant
    >>> store = aslant.ResultsStore(tempfile.mkdtemp() + "/results.db")
    >>> _ = aslant.audit_list({"ours": "sample", "none": "no.txt"}, store, only=["weat"], skip_missing=True)
    >>> [(line.label, line.state) for line in not_measured(store).models]
    [('none', 'missing')]
    """
    lines = []
    held = {each.audit.id: each for each in store.held()[0]}
    visits, unfinished = _asked(store, list(held.values()), model, run)
    for visit in _newest(visits, unfinished, run):
        if visit.audit is None or not visit.has_figures:
            state, reason = _unaudited(visit)
            lines.append(NotMeasuredLine(visit.label, visit.run, state, "", reason))
            continue
        audit = store.in_full(held[visit.audit.id])
        lines += [NotMeasuredLine(visit.label, visit.run, "broke off", *each) for each in audit.failed.items()]
        for what, why in audit.not_run.items():
            state = "left out" if why == ON_REQUEST or why.startswith(NEEDS_TEXT) else "not run"
            lines.append(NotMeasuredLine(visit.label, visit.run, state, what, why))
    lines += [NotMeasuredLine(label, of, "unfinished", "", NOT_YET) for label, of in unfinished.items()]
    return NotMeasured(tuple(lines), (), __version__)


def check_store(
    store: ResultsStore,
    policy: Policy | None = None,
    *,
    model: str = "*",
    run: str | None = None,
    against: str = LAST,
) -> PolicyCheck:
    """Check the newest audit of each model of a store (or that in `run`) against a policy, and with its last run.

    A model that its newest run could not audit fails the check. `against`: as in `worse`, or "none".

    >>> import tempfile, aslant
    >>> store = aslant.ResultsStore(tempfile.mkdtemp() + "/results.db")
    >>> _ = aslant.audit_list({"ours": "sample"}, store, profile="quick", only=["weat"])
    >>> aslant.check_store(store).passed
    True
    """
    chosen = policy or read_policy()
    held = {each.audit.id: each for each in store.held()[0]}
    visits, unfinished = _asked(store, list(held.values()), model, run)
    newest = _newest(visits, unfinished, run)
    lines, coverage = list[PolicyLine](), list[str]()
    for label, of in unfinished.items():
        lines.append(_missing(label, "unfinished", f"run {of}: {NOT_YET}"))
    for visit in newest:
        if visit.audit is None or not visit.has_figures:
            lines.append(_missing(visit.label, *_unaudited(visit)))
            continue
        audit = store.in_full(held[visit.audit.id])
        named = replace(audit, representation=replace(audit.representation, name=visit.label))
        found = check_policy(named, chosen)
        lines += [line for line in found.lines if line.model == visit.label]
        coverage += found.coverage
    for rule in chosen.rule:
        if rule.field != "difference" and not any(like(visit.label, rule.model) for visit in newest):
            lines.append(rule.missing(rule.model, "the store has no such model"))
    if against != NOTHING:
        grown = worse(store, model=model, run=run, against=against, limit=chosen.worse, tolerance=chosen.tolerance)
        lines += _as_policy(grown)
        lines += _differences(held, chosen, pairs(store, list(held.values()), model, run, against))
        told = f"unchanged: {plural(len(grown.unchanged), 'model')} ({', '.join(grown.unchanged)})"
        coverage += [told, *grown.notes] if grown.unchanged else grown.notes
    return PolicyCheck(chosen.name, tuple(visit.label for visit in newest), tuple(lines), __version__, tuple(coverage))


def _differences(held: dict[str, Held], policy: Policy, found: Iterator[Pair]) -> Iterator[PolicyLine]:
    """Hold differences to the run before to the rules about them; a model without one has none."""
    rules = [rule for rule in policy.rule if rule.field == "difference"]
    for pair in found if rules else ():
        label, figures = pair.now.label, _compared(pair, held).figures if pair.was is not None else ()
        for rule in rules if figures else ():
            matched = [figure for figure in figures if rule.matches(figure)] if like(label, rule.model) else None
            for figure in matched or ():
                about = (figure.measure, figure.stimuli)
                if figure.difference is not None:
                    yield rule.judged(label, figure.difference, *about)
                elif figure.change == "only before":
                    yield rule.missing(label, "the run before has it, this one does not", *about)
            if matched == []:
                yield rule.missing(label, "no figure of the two runs matches")


def pairs(
    store: ResultsStore, held: Sequence[Held], model: str = "*", run: str | None = None, against: str = LAST
) -> Iterator[Pair]:
    """Yield each label with the two runs that are compared; where one lacks it, why."""
    visits, unfinished = _asked(store, held, model, run, against)
    newest = _newest(visits, unfinished, run)
    if newest and all(visit.run == against for visit in newest):
        raise AslantError(f"run '{against}' is the one that is looked at; compare it with another.")
    by_label: dict[str, list[Visit]] = {}
    for visit in visits:
        if visit.has_figures:
            by_label.setdefault(visit.label, []).append(visit)
    for now in newest:
        if not now.has_figures:
            yield Pair(now, None, f"its newest run has no figures ({now.state}: {now.reason})")
            continue
        others = by_label[now.label]
        if against == LAST:
            earlier = others[: others.index(now)]
            yield Pair(now, earlier[-1] if earlier else None)
        else:
            named = next((visit for visit in others if visit.run == against and visit is not now), None)
            yield Pair(now, named, "" if named else f"not in run {against}, or only there")


def _asked(
    store: ResultsStore, held: Sequence[Held], model: str, run: str | None, against: str | None = None
) -> tuple[list[Visit], dict[str, str]]:
    """Return what became of the labels that are asked about, and those that their newest run (or `run`) has yet to do.

    A name that the store does not have is refused: what was never there cannot have got worse.
    """
    runs, visits = store.runs().runs, store.visits(held)
    known = list(dict.fromkeys([*(found.id for found in runs), *(visit.run for visit in visits)]))
    for name in (run, against):
        if name not in (None, LAST, *known):
            near = ", ".join(known[-5:]) or "none"
            raise AslantError(f"there is no run '{name}' in '{store.path}'; the last ones are {near}.")
    newest = {label: found for found in runs if run in (None, found.id) for label in found.models}
    last = {visit.label: visit.started for visit in visits if run in (None, visit.run)}
    labels = list(dict.fromkeys([*last, *newest]))
    if not any(like(label, model) for label in labels):
        what = f"has no model '{model}'; it has {first(labels)}" if labels else "has no audits"
        raise AslantError(f"{f'run {run} of ' if run else ''}'{store.path}' {what}.")
    unfinished = {
        label: of.id for label, of in newest.items() if like(label, model) and last.get(label, "") < of.started
    }  # and was not audited since by itself either
    return [visit for visit in visits if like(visit.label, model)], unfinished


def _newest(visits: Sequence[Visit], unfinished: Collection[str], run: str | None) -> list[Visit]:
    """Return the newest visit of each label, or those in a run, unless its run has yet to do it."""
    found = {visit.label: visit for visit in visits if run in (None, visit.run)}
    return [visit for visit in found.values() if visit.label not in unfinished]


def _unaudited(visit: Visit) -> tuple[str, str]:
    """Return the state of a model without figures, and why it has none."""
    state = visit.state if visit.state in ("failed", "missing") else "failed"
    return state, visit.reason or "its audit cannot be read"


def _missing(label: str, state: str, why: str) -> PolicyLine:
    return PolicyLine("every model is audited", label, "*", "*", state, None, "audited", "missing", why)


def _id(visit: Visit) -> str:
    return visit.audit.id if visit.audit else ""


def _compared(pair: Pair, held: dict[str, Held]) -> AuditChange:
    assert pair.was is not None
    return changed(held[_id(pair.was)], held[_id(pair.now)], (pair.was.run, pair.now.run))


def _lines(
    pair: Pair,
    change: AuditChange,
    now: dict[tuple[str, str, str], Glance],
    limit: float,
    tolerance: dict[str, float],
) -> Iterator[WorseLine]:
    assert pair.was is not None
    about = (pair.now.label, pair.was.run, pair.now.run)
    for figure in change.figures:
        line = now.get((figure.measure, figure.stimuli, figure.effect_name))
        if line is None:
            continue
        chance = line.chance.pvalue if line.chance else None
        if figure.before is None and figure.change == "only after":
            if GRADES.index(line.evidence) > GRADES.index("none"):
                yield WorseLine(*about, figure, chance, limit, "new")
            continue
        grown, room = _grown(figure, limit, tolerance)
        if grown is not None and grown > room:
            within = chance is not None and chance > BEYOND
            yield WorseLine(*about, figure, chance, room, "within chance" if within else "worse")


def _is_surer(figure: FigureChange, limit: float) -> bool:
    """Say whether a figure grew, by no more than the limit, and has evidence now that it had not."""
    then, now = (GRADES.index(grade or "none") for grade in (figure.evidence_before, figure.evidence_after))
    return then <= GRADES.index("none") < now and figure.growth is not None and 0 < figure.growth <= limit


def _grown(figure: FigureChange, limit: float, tolerance: dict[str, float]) -> tuple[float | None, float]:
    """Return by how much a figure grew and how much is allowed: in sd of chance, or else as its sizes differ."""
    if figure.growth is not None:
        return figure.growth, limit
    room = next((room for name, room in tolerance.items() if like(figure.effect_name, name)), 0.0)
    if figure.before is None or figure.after is None:
        return None, room
    return abs(figure.after) - abs(figure.before), room


def _as_policy(found: WorseFigures) -> list[PolicyLine]:
    """Return what got worse as lines of a check; a model that was compared and is not worse has one that passed."""
    rule, lines = "no worse than before", list[PolicyLine]()
    for line in found.lines:
        c = line.change
        grew = c.growth if c.growth is not None else c.difference
        unit = "sd of chance" if c.growth is not None else c.effect_name
        before = "not measured" if c.before is None else f"{c.before:.4g}"
        why = f"{line.verdict}: {before} in {line.run_before}, {c.after:.4g} in {line.run}"
        limit = f"grew by at most {line.limit:g} {unit}"
        verdict: Verdict = "passed" if line.verdict == "within chance" else "violated"
        lines.append(PolicyLine(rule, line.label, c.measure, c.stimuli, "growth", grew, limit, verdict, why))
    lines += [
        PolicyLine(rule, label, "*", "*", "growth", None, f"grew by at most {found.limit:g} sd of chance", "passed")
        for label in found.compared
        if not any(line.label == label for line in found.lines)
    ]
    return lines
