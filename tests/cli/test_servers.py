"""Commands on a model behind a server: an address works wherever a model's name does; --dry-run says what it costs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="language models need torch: pip install '.[lm]'")

from command_line import Run

Serve = Callable[..., Any]
WORDS = "nurse,doctor,teacher,engineer,good,late"
PAIRS = (
    "sent_more,sent_less,bias_type\nShe is a nurse.,He is a nurse.,gender\nHe is a doctor.,She is a doctor.,gender\n"
)


@pytest.fixture
def few_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at few first names only, which this tokenizer cuts into pieces anyway."""
    monkeypatch.setattr("aslant.measures.template_tests.chance.FREQUENT", 20)


def asked(server: Any) -> int:
    return int(server.asked["/v1/completions"])


def test_logprob_measures_a_served_model_with_chance_and_says_that_it_was_served(
    serve: Serve, run: Run, few_names: None
) -> None:
    server = serve()
    done = run("logprob", f"{server.address}#tiny", "--attributes", WORDS, "--json", "r.json", "--chance", "6")
    assert done.returncode == 0, done.stderr
    result = json.loads(Path("r.json").read_text())
    about = result["provenance"]["representation"]
    assert about["name"] == "tiny"
    assert "weights cannot be seen" in about["note"]
    assert "127.0.0.1" not in json.dumps(result)
    assert len(result["scores"]) == 6
    assert "chance: not known" in done.stdout
    server.prompts.clear()
    assert run("logprob", f"{server.address}#tiny", "--attributes", WORDS, "--chance", "6").returncode == 0
    assert len(server.prompts) == 9  # the probe's: all else is kept


def test_pairs_of_a_served_model_are_those_of_the_model_itself(serve: Serve, run: Run) -> None:
    from aslant import sentence_pairs
    from aslant.models.language_models import TransformersCausalLM

    Path("pairs.csv").write_text(PAIRS)
    server = serve()
    done = run("pairs", server.address, "--set", "pairs.csv", "--json", "r.json")
    assert done.returncode == 0, done.stderr
    found = json.loads(Path("r.json").read_text())["pairs"]
    own = sentence_pairs(
        TransformersCausalLM(server.model, server.tokenizer, "tiny"), "pairs.csv", twins=0, bootstrap=0
    )
    for there, here in zip(found, own.pairs, strict=True):
        assert there["difference"] == pytest.approx(here.difference, abs=1e-5)


def test_a_dry_run_sends_only_the_probe_and_says_what_the_rest_would_take(serve: Serve, run: Run) -> None:
    server = serve()
    address = f"{server.address}#tiny"
    done = run("logprob", address, "--attributes", WORDS, "--chance", "0", "--dry-run", "--no-cache")
    assert done.returncode == 0, done.stderr
    assert "request" in done.stdout
    assert "nothing was measured" in done.stdout
    assert "nurse" not in done.stdout
    assert asked(server) == 3
    said = int(done.stdout.split("about ")[1].split()[0].replace(",", ""))
    server.asked.clear()
    assert run("logprob", address, "--attributes", WORDS, "--chance", "0", "--no-cache").returncode == 0
    assert said == asked(server) - 3


def test_a_dry_run_of_an_audit_writes_nothing(serve: Serve, run: Run) -> None:
    server = serve()
    done = run("audit", f"{server.address}#tiny", "--only", "attribute-lists", "--quick", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "tiny: about " in done.stdout
    assert not list(Path().iterdir())
    assert asked(server) == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["logprob", "sample-mlm", "--dry-run"], "is not behind a server"),
        (["audit", "sample-mlm", "--dry-run"], "give its address"),
        (["logprob", "http://127.0.0.1:9/v1", "--dry-run", "--json", "r.json"], "leave out the output files"),
        (["logprob", "http://127.0.0.1:9/v1#x"], "cannot be reached"),
        (["logprob", "http://127.0.0.1:9/v1#x", "--dtype", "float16"], "dtype is 'float16', but"),
        (["seat", "http://127.0.0.1:9/v1#x", "--layer", "1"], "layer is 1, but a model behind a server"),
    ],
)
def test_bad_requests_are_one_sentence(arguments: list[str], said: str, run: Run) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_an_audit_of_a_served_model_runs_what_fits_and_resumes_without_asking_again(serve: Serve, run: Run) -> None:
    server = serve()
    steps = ("--only", "attribute-lists", "--quick", "-o", "report")
    done = run("audit", f"{server.address}#tiny", *steps)
    assert done.returncode == 0, done.stderr
    report = json.loads(Path("report.json").read_text())
    assert report["representation"]["name"] == "tiny"
    assert "127.0.0.1" not in Path("report.html").read_text()
    server.prompts.clear()
    assert run("audit", f"{server.address}#tiny", *steps).returncode == 0
    assert len(server.prompts) == 9  # the probe's


def test_a_list_of_models_takes_addresses(serve: Serve, run: Run, few_names: None) -> None:
    server = serve()
    Path("models.txt").write_text(f"ours = {server.address}#tiny\n")
    done = run("audit", "--models", "models.txt", "--store", "r.db", "--only", "attribute-lists", "--quick")
    assert done.returncode == 0, done.stderr
    assert "ours" in run("results", "list", "r.db").stdout
