"""Every command that README and docs print works as printed (tests/printed.py: how files say how they are walked)."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import override_settings

from accounts.actions import create_user
from litmus_ir.command import parser_of
from litmus_ir.verbs import verbs
from tests.factories.accounts import AT
from tests.printed import ROOT, Document, Services, Walk, documents, numbers_from_one
from tests.stopped import copied
from tests.stubs.chat import ChatStub

DOCUMENTS = {str(each.path): each for each in documents()}
EMPTY = [name for name, each in DOCUMENTS.items() if not each.said("run by") and not each.said("road")]
DEMO = [name for name, each in DOCUMENTS.items() if each.said("road") == "demo"]
SERVICES = [name for name, each in DOCUMENTS.items() if each.said("road") == "services"]


def walk(document: Document, road: Walk) -> None:
    for block in document.blocks:
        if block.why is None and block.commands:
            road.block(block)
        elif block.language == "text" and road.printed:
            road.shows(block)


@pytest.fixture
def files(tmp_path: Path, settings) -> Path:
    settings.MEDIA_ROOT = tmp_path / "media"
    (folder := tmp_path / "walk").mkdir()
    return folder


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize("name", EMPTY)
def test_from_an_empty_database(name: str, files: Path):
    walk(DOCUMENTS[name], Walk(files))


@pytest.fixture(scope="module")
def demo(module_db: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the files of the demo are, which is loaded once for all roads."""
    media = tmp_path_factory.mktemp("media")
    numbers_from_one()
    with override_settings(MEDIA_ROOT=media):
        call_command("load_demo", verbosity=0)
        create_user(by=None, at=AT, email="you@example.org", password=None, name="You", is_staff=True)
    return media


@pytest.fixture
def model(settings) -> Iterator[None]:
    """An endpoint whose first answer cannot be read."""
    with ChatStub(["Well.", "QUESTION: What is known of this?\nANSWER: cite_001"]) as stub:
        settings.LLM_BASE_URL, settings.LLM_MODEL, settings.LLM_RATE = stub.url, "stub", 0
        yield


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.usefixtures("model")
@pytest.mark.parametrize("name", DEMO)
def test_on_the_demo(name: str, demo: Path, files: Path, settings):
    settings.MEDIA_ROOT = demo
    walk(DOCUMENTS[name], Walk(files))


@pytest.fixture(scope="module")
def installed(stopped_with_tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the data of a demo."""
    folder = tmp_path_factory.mktemp("installed")
    copied(stopped_with_tables, folder / "litmus-data")
    Services(folder).litmus(["load_demo"])
    return folder


@pytest.mark.slow
@pytest.mark.services
@pytest.mark.parametrize("name", SERVICES)
def test_with_services(name: str, installed: Path, stopped_with_tables: Path, tmp_path: Path):
    """README begins with empty tables, which `litmus up` has made in tests/litmus_ir/test_wheel.py; the other files
    with the demo."""
    road = Services(tmp_path)
    if name == "README.md":
        copied(stopped_with_tables, tmp_path / "litmus-data")
    else:
        (tmp_path / "litmus-data").symlink_to(installed / "litmus-data")
    try:
        walk(DOCUMENTS[name], road)
    finally:
        road.end()


def test_what_is_not_run_says_why():
    marked = {name: [block.why for block in each.blocks if block.why is not None] for name, each in DOCUMENTS.items()}
    bare = [name for name, reasons in marked.items() if not all(len(reason.split()) > 3 for reason in reasons)]
    assert bare == [], "a marker without a reason"
    assert {name: len(reasons) for name, reasons in marked.items() if reasons} == NOT_RUN
    for each in DOCUMENTS.values():
        if where := each.said("run by"):
            assert (ROOT / where).is_file()


NOT_RUN = {  # blocks, by file
    "README.md": 4,
    "docs/how-to/deploy.md": 1,
    "docs/how-to/model-endpoints.md": 1,
    "docs/how-to/webhooks.md": 2,
    "docs/index.md": 1,
    "docs/install.md": 4,
    "docs/operations.md": 14,
    "docs/releases.md": 1,
    "docs/tutorials/acm-cr.md": 1,
    "docs/tutorials/doris-mae.md": 1,
    "docs/tutorials/litsearch.md": 1,
}


@pytest.mark.parametrize("name", list(DOCUMENTS))
def test_commands_in_sentences_and_tables_exist_with_their_options(name: str):
    for code in DOCUMENTS[name].inline:
        first, *words = re.split(r"[\s\[\]|]+", code)
        verb = first.replace("-", "_")
        if verb in ("help", "django", "COMMAND", "completion", "__version"):
            continue
        assert verb in verbs(), f"`{code}`: no command of the program `litmus`"
        flags = [word.partition("=")[0] for word in words if word.startswith("--")]
        assert [flag for flag in flags if flag not in flags_of(verb)] == [], code


def flags_of(verb: str) -> set[str]:
    found, parsers = set(), [parser_of(verb)]
    for parser in parsers:
        for action in parser._actions:
            found |= set(action.option_strings)
            parsers += (
                (action.choices or {}).values() if isinstance(action.choices, dict) and action.dest == "step" else []
            )
    return found | {"--help", "--data"}
