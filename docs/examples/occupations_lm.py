"""Sanity of the language models that come with aslant: he/she scores of occupations beside the share of women in them.

    python docs/examples/occupations_lm.py                     # both models; draws docs/images/occupations.svg
    python docs/examples/occupations_lm.py MODEL ... --no-picture

Scores: `log_probability_bias` of "[TARGET] is a [ATTRIBUTE].", he minus she; share of women: US labour statistics of
2017 (stimuli 'occupations-share-of-women'). A model that predicts little but full stops can reach the same correlation,
so how well each model predicts text (gap-test, held out from 'sample-mlm') is printed beside it.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
from pathlib import Path
from typing import Any

from scipy import stats

import aslant
from aslant.data import fetch
from aslant.models import CausalLM, Sentence
from aslant.report.charts import svg
from aslant.stimuli import WordSet, load_set

TARGET = Path(__file__).resolve().parents[1] / "images" / "occupations.svg"
MODELS, PICTURED = ("smollm2-135m", "sample-mlm"), "smollm2-135m"
OCCUPATIONS = "occupations-share-of-women"
#: As a sentence has them; the source has some in the plural, and one joined by an underscore.
SPELLINGS = {
    "counselors": "counselor",
    "designers": "designer",
    "hairdressers": "hairdresser",
    "mechanician": "mechanic",
    "construction_worker": "construction worker",
}
TEXTS = 100


def shares() -> dict[str, float]:
    """Return the percentage of women by occupation."""
    listed = load_set(OCCUPATIONS, WordSet).column("share_women")
    return {SPELLINGS.get(word, word): share for word, share in listed.items()}


def scores(lm: Any, occupations: list[str]) -> dict[str, float]:
    """Return the score of each occupation, above 0 where it leans to 'he'."""
    found: dict[str, float] = {}
    for article in ("a", "an"):
        named = [word for word in occupations if (word[0] in "aeiou") == (article == "an")]
        result = aslant.log_probability_bias(lm, f"[TARGET] is {article} [ATTRIBUTE].", (["he"], ["she"]), named)
        found |= {score.attribute: score.score for score in result.scores}
    return found


def quality(lm: Any) -> dict[str, Any]:
    """Return how well a model predicts text: measured here if it is causal, from its card if it is the sample."""
    if lm.name == "sample-mlm":
        from aslant.models.sample import card

        return dict(card()["held_out"])
    return {"perplexity": round(perplexity(lm), 1), "of": f"gap-test, first {TEXTS} texts, per piece"}


def perplexity(lm: CausalLM) -> float:
    from transformers import AutoTokenizer

    from aslant.models.conversion import prepared

    tokenizer = AutoTokenizer.from_pretrained(prepared(lm.name))
    with (fetch("gap") / "gap-test.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[:TEXTS]
    texts = [" ".join(row["Text"].replace("``", '"').replace("''", '"').split()) for row in rows]
    pieces = sum(len(tokenizer(text, add_special_tokens=False)["input_ids"]) for text in texts)
    cut = [(text.split(" ", 1)[0], *text.split(" ", 1)[1].rsplit(" ", 1)) for text in texts]
    asked = [Sentence(f"[TARGET] {middle} [ATTRIBUTE]", first, last) for first, middle, last in cut]
    return math.exp(-sum(score.sentence for score in lm.causal_scores(asked)) / pieces)


def draw(rows: list[dict[str, Any]], title: str) -> str:
    import altair as alt

    axis = alt.Axis(values=list(range(0, 101, 20)))
    base = alt.Chart(alt.InlineData(values=[{**row, "crowded": crowded(row, rows)} for row in rows])).encode(
        x=alt.X("share:Q", title="women in the occupation, per cent", scale=alt.Scale(domain=[0, 108]), axis=axis),
        y=alt.Y("score:Q", title="score (above 0: leans to “he”)", scale=alt.Scale(zero=False)),
    )
    points = base.mark_circle(size=36, color="#3b6fd4", opacity=0.9)
    free, above = (base.transform_filter(f"datum.crowded == {value}") for value in ("false", "true"))
    names = [
        free.mark_text(align="left", dx=6, fontSize=9).encode(text="word:N"),
        above.mark_text(align="center", dy=-9, fontSize=9).encode(text="word:N"),
    ]
    line = base.transform_regression("share", "score").mark_line(color="#888", strokeDash=[4, 3])
    chart = alt.layer(line, points, *names).properties(width=520, height=340, title=title)
    return svg(chart, ink="#222", paper="white")


def crowded(row: dict[str, Any], rows: list[dict[str, Any]]) -> bool:
    """Tell whether a name to the right of its point would run into another point."""
    return any(0 < other["share"] - row["share"] < 12 and abs(other["score"] - row["score"]) < 0.06 for other in rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=MODELS)
    parser.add_argument("--no-picture", action="store_true")
    given = parser.parse_args()
    women = shares()
    for name in given.models:
        lm = aslant.load_lm(name)
        found = scores(lm, list(women))
        rows = [{"word": word, "share": share, "score": found[word]} for word, share in women.items()]
        pairs = [row["share"] for row in rows], [row["score"] for row in rows]
        pearson, rank = stats.pearsonr(*pairs), stats.spearmanr(*pairs)
        low, high = pearson.confidence_interval(0.95)
        facts = {
            "model": name, "note": lm.record()["note"], "occupations": len(rows),
            "pearson": round(pearson.statistic, 2), "interval": [round(low, 2), round(high, 2)],
            "spearman": round(rank.statistic, 2), "quality": quality(lm),
        }  # fmt: skip
        print(json.dumps(facts, indent=2, ensure_ascii=False))
        if name == PICTURED and not given.no_picture:
            title = f"{name}: r = {pearson.statistic:.2f} over {len(rows)} occupations"
            TARGET.write_text(draw(rows, title), encoding="utf-8")
            print(f"{TARGET.name}: {TARGET.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
