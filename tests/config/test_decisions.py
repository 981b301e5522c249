"""Decisions are numbered: a number that two have names neither."""

import re
from pathlib import Path

DECISIONS = Path(__file__).resolve().parents[2] / "docs" / "adr"


def test_each_decision_has_a_number_of_its_own_and_its_line_in_the_list() -> None:
    files = sorted(path.name for path in DECISIONS.glob("0*.md"))
    rows = re.findall(r"^\| \[(\d{4})\]\((\S+)\) \|", (DECISIONS / "README.md").read_text(), re.MULTILINE)
    assert [name[:4] for name in files] == [f"{number + 1:04}" for number in range(len(files))]
    assert rows == [(name[:4], name) for name in files]
    for name in files:
        title = (DECISIONS / name).read_text().split("\n", 1)[0]
        assert title.startswith(f"# {int(name[:4])}. "), name


def test_what_decisions_name_in_the_code_is_there() -> None:
    """Paths as in `accounts/jobs.py`, `corpus/imports/` and `accounts/refusals.as_refusal`."""
    root = DECISIONS.parents[1]
    apps = "engines|accounts|annotation|adjudication|corpus|config|static|templates|tests|bench"
    missing = [
        (file.name, path)
        for file in sorted(DECISIONS.parent.rglob("*.md"))
        for path in re.findall(rf"`((?:{apps})/[\w./-]+)", file.read_text())
        if not any(place.exists() for place in (root / path, root / f"{path}.py", (root / path).with_suffix(".py")))
    ]
    assert missing == []
