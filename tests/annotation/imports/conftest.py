"""Fixtures that several modules here share."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from tests.annotation.imports.judgment_rows import HEADER
from tests.factories.annotation import make_campaign, make_material


@pytest.fixture
def made():
    return make_material()


@pytest.fixture
def campaign(made):
    return make_campaign(made)


@pytest.fixture
def load(tmp_path):
    """Imports lines of CSV (or another text as it is) and gives the command's JSON."""

    def run(*lines, header=HEADER, name="labels.csv", options=()):
        path = tmp_path / name
        path.write_text("\n".join([header, *lines] if header else lines) + "\n", "utf-8")
        out = StringIO()
        call_command(
            "import_judgments", "teas", "main-round", str(path), *options, "--json", stdout=out, stderr=StringIO()
        )
        return json.loads(out.getvalue())

    return run
