"""Registries take in what installed packages declare in their metadata; what is broken is listed, never raised."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from engines.plugins import Registry


@dataclass(frozen=True)
class Tea:
    name: str
    label: str


DARJEELING = Tea("darjeeling", "Darjeeling")
Declare = Callable[[str], Registry[Tea]]


@pytest.fixture
def declare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Declare]:
    """A registry over a package with these entry points, whose module makes teas."""
    folder = tmp_path / "teas-1.2.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: teas\nVersion: 1.2\n")
    (tmp_path / "teas_of_a_test.py").write_text(
        "from tests.engines.test_plugins import Tea\nASSAM = Tea('assam', 'Assam')\nSECOND = Tea('darjeeling', '')\n"
        "ALL = (Tea('sencha', 'Sencha'), Tea('gyokuro', 'Gyokuro'))\n"
    )
    (tmp_path / "teas_that_stop.py").write_text("raise SystemExit(3)\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    def declared(lines: str) -> Registry[Tea]:
        (folder / "entry_points.txt").write_text(f"[litmus.teas]\n{lines}\n")
        return Registry("litmus.teas", Tea, DARJEELING)

    return declared


def test_entries_of_packages_follow_ours(declare: Declare) -> None:
    teas = declare("assam = teas_of_a_test:ASSAM")
    assert teas["darjeeling"] is DARJEELING
    assert "_loaded" not in vars(teas)  # our own names load no package
    assert list(teas) == ["darjeeling", "assam"]
    assert teas.label_of("assam") == "Assam"
    assert teas.broken == []


def test_a_stored_name_outlives_its_package(declare: Declare) -> None:
    teas = declare("")
    assert "assam" not in teas
    assert teas.label_of("assam") == "assam (not installed)"
    assert len(teas) == 1


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("assam = no_such_module:ASSAM", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("assam = teas_of_a_test:KENYA", "AttributeError: module 'teas_of_a_test' has no attribute 'KENYA'"),
        ("assam = teas_that_stop:ASSAM", "SystemExit: 3"),
        ("assam = teas_of_a_test:Tea", "teas_of_a_test:Tea is no Tea"),
        ("kenya = teas_of_a_test:ASSAM", "it calls itself “assam”"),
        ("darjeeling = teas_of_a_test:SECOND", "its name is taken"),
    ],
)
def test_what_is_broken_is_left_out_and_listed(declare: Declare, line: str, reason: str) -> None:
    teas = declare(line)
    assert list(teas) == ["darjeeling"]
    name = line.split(" = ", maxsplit=1)[0]
    (broken,) = teas.broken
    assert str(broken) == f"“{name}” (litmus.teas) of the package teas 1.2 cannot be used: {reason}"


def test_two_entries_of_ours_have_two_names() -> None:
    with pytest.raises(ValueError, match="two entries are called “darjeeling”"):
        list(Registry("litmus.teas", Tea, DARJEELING, Tea("darjeeling", "Once more")))


@pytest.mark.usefixtures("declare")
def test_paths_of_ours_are_followed_at_the_first_question() -> None:
    teas = Registry("litmus.teas", Tea, "teas_of_a_test:ASSAM", "teas_of_a_test:ALL", DARJEELING)
    assert "own" not in vars(teas)
    assert list(teas) == ["assam", "sencha", "gyokuro", "darjeeling"]
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        list(Registry("litmus.teas", Tea, "no_such_module:TEA"))
