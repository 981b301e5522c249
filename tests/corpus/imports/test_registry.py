"""What can be imported, and in which formats."""

import pytest

from corpus.imports.registry import importers
from engines.formats.registry import format_label, format_names, formats, formats_for

COMPANIONS = {"paper-order", "reference-notes"}  # read with papers


@pytest.mark.parametrize("name", importers())
def test_an_importer_has_words_and_formats(name: str) -> None:
    each = importers()[name]
    assert each.name == name
    assert all((each.label, each.unit, each.title, each.about))
    assert formats_for(name)
    assert bool(each.target) != bool(each.links)
    assert each.form(kind=name).fields["format"].choices == [(n, format_label(n)) for n in format_names(name)]


def test_each_format_reads_what_can_be_imported() -> None:
    assert {what for each in formats().values() for what in each.reads} <= {*importers(), *COMPANIONS}
