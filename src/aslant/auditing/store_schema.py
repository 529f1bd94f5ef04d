"""The tables and views of a store, which docs/store.md describes: SQLite, so that any tool can read them.

`audits`, `runs` and `outcomes` are only ever added to. Everything else is a view of them, and `aslant` reads the same
rows. Version 1 had `audits` and a narrower `figures`: such a file is read as it is, and gets the rest when it is first
written to.
"""

from __future__ import annotations

from dataclasses import fields

from aslant.results.stored import StoredAudit, StoredOutcome, StoredRun

#: What is kept of an audit besides its id; its digest stands for the result, which is read only in full.
COLUMNS = (*(field.name for field in fields(StoredAudit) if field.name != "id"), "glance", "result_digest")
#: What is kept of a run, and of what happened to one model in it; a digest of the row comes last.
RUN = tuple(field.name for field in fields(StoredRun))
OUTCOME = tuple(field.name for field in fields(StoredOutcome))
_AUDIT = "substr(audits.id, 1, 10) AS audit, label, audited, model, fingerprint, version, profile, seed, "
_FIGURE = ("measure", "category", "stimuli", "effect", "effect_name", "strength", "pvalue", "qvalue", "evidence")
_AUDITS = f"CREATE TABLE audits (id TEXT PRIMARY KEY, {', '.join(COLUMNS)}, result)"
_LINES = " FROM audits, json_each(audits.glance) AS line"


def _extracted(*names: str) -> str:
    return ", ".join(f"json_extract(line.value, '$.{name}') AS {name}" for name in names)


#: Audits of version 1 have no such part of chance with their figures, but in full.
_SD = (
    "CASE WHEN json_type(line.value, '$.chance') IS NULL "
    "THEN json_extract(audits.result, '$.glance[' || line.key || '].chance.sd') "
    "ELSE json_extract(line.value, '$.chance.sd') END"
)
_FIGURES = (
    "CREATE VIEW figures AS SELECT *, CASE WHEN chance_sd > 0 THEN (effect - chance_mean) / chance_sd END AS "
    f"standardised FROM (SELECT {_AUDIT}"
    + _extracted(*_FIGURE, "low", "high", "chance_mean", "chance_low", "chance_high", "chance_pvalue", "chance_qvalue")
    + f", {_SD} AS chance_sd{_LINES})"
)
#: What became of each label in each run. An audit that no run tells of is a run by itself, but for its twins.
_TIMELINE = """CREATE VIEW timeline AS
SELECT run, started, label, state, audit, reason, recorded, seconds FROM (
  SELECT outcomes.*, runs.started, row_number() OVER (PARTITION BY run, label ORDER BY outcomes.rowid DESC) AS newest
  FROM outcomes JOIN runs ON runs.id = outcomes.run
) WHERE newest = 1
UNION ALL
SELECT audit, audited, label, CASE state WHEN 'complete' THEN 'audited' ELSE state END, audit, reason, audited, seconds
FROM (
  SELECT substr(id, 1, 10) AS audit, audited, label, state, reason, seconds,
    row_number() OVER (PARTITION BY label, CASE key WHEN '' THEN id ELSE key END ORDER BY rowid DESC) AS newest
  FROM audits WHERE substr(id, 1, 10) NOT IN (SELECT audit FROM outcomes WHERE audit IS NOT NULL)
) WHERE newest = 1"""
_HISTORY = """CREATE VIEW history AS
SELECT timeline.run, timeline.started, timeline.state, figures.*
FROM timeline JOIN figures ON figures.audit = timeline.audit"""
#: The newest run of each label with figures beside the one before it.
_CHANGES = """CREATE VIEW changes AS
WITH pairs AS (
  SELECT label, run, state, audit, lag(run) OVER w AS run_before, lag(audit) OVER w AS audit_before,
    lead(run) OVER w AS run_after
  FROM timeline WHERE audit IS NOT NULL AND state <> 'failed'
  WINDOW w AS (PARTITION BY label ORDER BY started, run)
)
SELECT now.label, pairs.run_before, pairs.run, pairs.state, now.measure, now.category, now.stimuli, now.effect_name,
  was.effect AS before, was.low AS before_low, was.high AS before_high,
  now.effect AS after, now.low AS after_low, now.high AS after_high, now.effect - was.effect AS difference,
  was.standardised AS before_standardised, now.standardised AS after_standardised,
  abs(now.standardised) - abs(was.standardised) AS growth, now.chance_pvalue,
  was.evidence AS evidence_before, now.evidence AS evidence_after
FROM pairs JOIN figures AS now ON now.audit = pairs.audit
JOIN figures AS was ON was.audit = pairs.audit_before AND was.measure = now.measure AND was.stimuli = now.stimuli
  AND was.effect_name = now.effect_name
WHERE pairs.run_after IS NULL"""
#: Models without a complete audit, and tests of audits that were not run.
_NOT_MEASURED = """CREATE VIEW not_measured AS
SELECT run, started, label, state, '' AS what, reason FROM timeline WHERE state IN ('failed', 'missing')
UNION ALL
SELECT timeline.run, timeline.started, timeline.label, kind.column2, test.key, test.value
FROM timeline JOIN audits ON substr(audits.id, 1, 10) = timeline.audit
JOIN (VALUES ('$.failed', 'broke off'), ('$.not_run', 'not run')) AS kind
JOIN json_each(audits.result, kind.column1) AS test WHERE audits.result IS NOT NULL"""

SCHEMA = (
    _AUDITS,
    f"CREATE TABLE runs ({', '.join(RUN)}, digest, PRIMARY KEY (id))",
    f"CREATE TABLE outcomes ({', '.join(OUTCOME)}, digest)",
    _FIGURES,
    _TIMELINE,
    _HISTORY,
    _CHANGES,
    _NOT_MEASURED,
)
#: The schemas of older versions, whose tables are among today's.
OLDER = ((_AUDITS, f"CREATE VIEW figures AS SELECT {_AUDIT}{_extracted(*_FIGURE)}{_LINES}"),)
