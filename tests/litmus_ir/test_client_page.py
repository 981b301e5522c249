"""The page about the client does what it says: the cells of its notebook are run in order."""

import json
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from accounts.models import TokenScope
from docs.write_notebook import NOTEBOOK, PAGE, notebook
from tests.factories.accounts import UserFactory, make_token
from tests.processes import Child, web_server


@pytest.mark.services
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_cells_of_the_notebook(
    celery_worker: Child, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    person = UserFactory(is_staff=True)
    monkeypatch.setenv("LITMUS_TOKEN", make_token(person, TokenScope.MANAGE)[1])
    written = NOTEBOOK.read_text("utf-8")
    assert written == notebook(PAGE.read_text("utf-8")), "run python docs/write_notebook.py"
    cells = [cell for cell in json.loads(written)["cells"] if cell["cell_type"] == "code"]
    names: dict[str, Any] = {}
    with web_server(tmp_path / "web.log") as address, chdir(tmp_path):
        monkeypatch.setenv("LITMUS_ADDRESS", address)
        for cell in cells:
            exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
        names["litmus"].close()
    said = capsys.readouterr().out
    assert "documents 2\n" in said
    assert "There is no operation items_bild. Did you mean items_build" in said
    assert "007 Counting bees by sound\n" in said
    assert (tmp_path / "bees.qrels").read_text().split() == "1 0 007 2 1 0 008 2".split()
