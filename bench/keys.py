"""Keys and requests of experts, scripted in browser tests, which hold the targets too.

A test says what it counted by record_property: `task` (what was worked on), `keys`, `most_keys`, and where it counts
them `requests` to the application, pictures of pages among them and files of the program not, and `most_requests`.
Prints one JSON object.

    python -m bench.keys
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from defusedxml.ElementTree import parse

TESTS = (
    "tests/browser/test_keys.py",
    "tests/browser/test_extraction_keys.py::test_a_paper_of_ten_pages_takes_120_keys_and_20_requests",
    "tests/browser/test_extraction_keys.py::test_47_references_whose_documents_are_there_take_25_keys",
)


def main() -> int:
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "keys.xml"
        command = [sys.executable, "-m", "pytest", "-q", f"--junitxml={report}", *TESTS]
        subprocess.run(command, stdout=sys.stderr, check=True)
        cases = parse(report).iter("testcase")
        found = [{each.get("name"): each.get("value") for each in case.iter("property")} for case in cases]
    print(json.dumps({"tasks": [{name: _counted(value) for name, value in each.items()} for each in found]}))
    return 0


def _counted(value: str) -> int | str:
    return int(value) if value.isdigit() else value


if __name__ == "__main__":
    sys.exit(main())
