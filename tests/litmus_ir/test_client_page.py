"""The page about the client does what it says: its blocks are run in order, as the cells of a notebook."""

from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from accounts.models import TokenScope
from tests.factories.accounts import UserFactory, make_token
from tests.printed import ROOT, Document
from tests.processes import Child, web_server

PAGE = Path("docs/how-to/python-client.md")


@pytest.mark.services
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_blocks_of_the_page(
    celery_worker: Child, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    person = UserFactory(is_staff=True)
    monkeypatch.setenv("LITMUS_TOKEN", make_token(person, TokenScope.MANAGE)[1])
    cells = [block for block in Document(PAGE, (ROOT / PAGE).read_text("utf-8")).blocks if block.language == "python"]
    names: dict[str, Any] = {}
    with web_server(tmp_path / "web.log") as address, chdir(tmp_path):
        monkeypatch.setenv("LITMUS_ADDRESS", address)
        for cell in cells:
            code = "\n" * cell.line + "\n".join(cell.lines)
            exec(compile(code, str(PAGE), "exec"), names)
        names["litmus"].close()
    said = capsys.readouterr().out
    assert "documents 2\n" in said
    assert "There is no operation items_bild. Did you mean items_build" in said
    assert "007 Counting bees by sound\n" in said
    assert (tmp_path / "bees.qrels").read_text().split() == "1 0 007 2 1 0 008 2".split()
