"""A model is recognised by its files, its build and its vocabulary; a name proves nothing."""

from __future__ import annotations

import copy
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tokenizers import normalizers

import aslant
from aslant.data import entry
from aslant.data.verifying import digest
from aslant.models import identity_of, is_registered
from aslant.models.language_models import TransformersCausalLM, TransformersMaskedLM
from packaged import unpack
from tiny_elmo import write
from tiny_lms import causal, masked, tokenizer, torch, transformers

BERT = "bert-base-uncased"


def saved(folder: Path, model: Any, tok: Any) -> Path:
    model.save_pretrained(folder)
    tok.save_pretrained(folder)
    return folder


def registered(registry: Path, name: str, folder: Path, **facts: Any) -> None:
    """Put an entry into ASLANT_REGISTRY whose checksums are those of the files in a folder."""
    files = "".join(
        f'[[sources.files]]\nname = "{path.name}"\nsize = {path.stat().st_size}\nsha256 = "{digest(path)}"\n'
        for path in sorted(folder.iterdir())
    )
    built = "".join(f"{key} = {json.dumps(value)}\n" for key, value in facts.items())
    (registry / f"{name}.toml").write_text(
        f'title="t"\nkind="language model"\nlicence="l"\ncitation="c"\n[architecture]\n{built}'
        f'[[sources]]\nurl="https://example.org/"\n{files}',
        encoding="utf-8",
    )


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a tiny BERT that is in the registry as 'tiny-bert'."""
    registry = tmp_path / "registry"
    registry.mkdir()
    monkeypatch.setenv("ASLANT_REGISTRY", str(registry))
    folder = saved(tmp_path / "model", *masked("bert"))
    registered(registry, "tiny-bert", folder, model_type="bert", hidden_size=16)
    return folder


def test_files_with_the_registrys_checksums_are_verified_whatever_the_folder_is_called(
    tiny: Path, tmp_path: Path
) -> None:
    assert identity_of(aslant.load_lm(tiny), "tiny-bert") == "verified"
    copy = shutil.copytree(tiny, tmp_path / "anything")
    assert is_registered(aslant.load_lm(copy), "tiny-bert")
    assert is_registered(aslant.load_encoder(copy), "tiny-bert")
    assert identity_of(aslant.load_lm(copy), "gap") == "unverified"  # which is no model
    (copy / "tokenizer_config.json").unlink()  # as in the hub's cache, which has what was used
    assert is_registered(aslant.load_lm(copy), "tiny-bert")


def test_one_changed_weight_is_enough_not_to_be_verified(tiny: Path) -> None:
    lm = aslant.load_lm(tiny)
    content = bytearray((tiny / "model.safetensors").read_bytes())
    content[-1] ^= 1
    (tiny / "model.safetensors").write_bytes(content)
    assert identity_of(aslant.load_lm(tiny), "tiny-bert") == "unverified"
    assert identity_of(lm, "tiny-bert") == "unverified"


def test_a_model_that_was_made_in_memory_is_never_verified(tiny: Path) -> None:
    from aslant.models.language_models import TransformersMaskedLM

    assert identity_of(TransformersMaskedLM(*masked("bert"), "tiny-bert"), "tiny-bert") == "unverified"


def test_a_random_distilbert_in_a_folder_of_that_name_is_another_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lm = aslant.load_lm(saved(Path(BERT), *masked("distilbert")))
    assert lm.name == BERT
    assert (identity_of(lm, BERT), is_registered(lm, BERT)) == ("other", False)


def test_a_random_bert_of_the_right_build_has_another_vocabulary(tmp_path: Path) -> None:
    tok = tokenizer("wordpiece-uncased")
    facts = {k: v for k, v in entry(BERT).architecture.items() if k not in ("model_type", "num_hidden_layers")}
    config = transformers.BertConfig(**facts, num_hidden_layers=12, pad_token_id=tok.pad_token_id)
    with torch.device("meta"):
        empty = transformers.BertForMaskedLM(config)

    class Network:
        model = empty

    class Shell:
        """All that is asked of a model here: a network of 110 million weights would take a while to write."""

        network, folder = Network(), tmp_path
        speller: Any = None

    shell = Shell()
    assert identity_of(shell, BERT) == "unverified"
    shell.speller = type("Speller", (), {"tokenizer": tok})
    assert identity_of(shell, BERT) == "other"


def test_minilm_has_berts_vocabulary_and_is_itself_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASLANT_DATA", str(unpack("all-minilm-l6-v2", tmp_path)))
    encoder = aslant.load_encoder("all-minilm-l6-v2")
    assert identity_of(encoder, "all-minilm-l6-v2") == "verified"
    assert identity_of(encoder, BERT) == "other"  # by its build
    monkeypatch.setattr("aslant.models.identity._architecture", lambda model: {})
    assert identity_of(encoder, BERT) == "unverified"  # its vocabulary is BERT's


def test_elmo_has_no_checksums_so_that_only_its_build_can_speak_against_it(tmp_path: Path) -> None:
    pytest.importorskip("h5py")
    small = aslant.load_encoder(write(tmp_path / "elmo"))
    assert identity_of(small, "elmo-original") == "other"
    built = {"layers": 2, "cells": 4096, "projection": 512, "filters": ((1, 1024), (2, 1024)), "highways": 2}
    from dataclasses import replace

    class Original:
        elmo = type("Elmo", (), {"options": replace(small.elmo.options, **built)})
        folder = small.folder

    assert identity_of(Original(), "elmo-original") == "unverified"
    assert identity_of(Original(), "elmo-small") == "other"


@pytest.mark.parametrize("kind", ["masked", "causal"])
def test_every_weight_and_the_whole_tokenizer_are_part_of_a_model(kind: str) -> None:
    model, tok = masked("bert") if kind == "masked" else causal("llama")
    wrap = TransformersMaskedLM if kind == "masked" else TransformersCausalLM
    prints = {wrap(model, tok, "x").fingerprint}
    for place in (0, -1):
        other = copy.deepcopy(model)
        with torch.no_grad():
            list(other.parameters())[place].view(-1)[place] += 1e-6
        prints.add(wrap(other, tok, "x").fingerprint)
    spelt = copy.deepcopy(tok)  # the same vocabulary, another way of cutting texts
    spelt.backend_tokenizer.normalizer = normalizers.NFKC()
    prints.add(wrap(model, spelt, "x").fingerprint)
    spelt = copy.deepcopy(tok)
    spelt.model_max_length = 20  # longer texts are left out
    prints.add(wrap(model, spelt, "x").fingerprint)
    assert len(prints) == 5
