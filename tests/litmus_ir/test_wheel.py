"""The wheel as people install it: an empty environment outside of the checkout, an empty folder, all by the program."""

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
import uuid
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.processes import CHECKOUT, Child, free_port

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.timeout(900)]  # libraries may come from far away

PARTS = (
    "accounts", "adjudication", "annotation", "config", "corpus", "engines", "languages", "litmus_ir", "static",
    "templates",
)  # fmt: skip
FILES = ("manage.py", "pyproject.toml", "README.md", "LICENSE", "NOTICE")
MIGRATION = """from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("accounts", "{last}")]
    operations = [migrations.RunSQL("CREATE TABLE made_up (id int)", "DROP TABLE made_up")]
"""
# What only makes ready for the test, in one process: each start of the program takes half a second.
SETUP = """
from datetime import timedelta
from django.core.management import call_command
from django.utils import timezone
from accounts.actions import create_token
from accounts.models import TokenScope, User
call_command("import_topics", "tea", "topics.jsonl")
call_command("import_pool", "tea", "pool.txt")
of_ana = ("--annotator", "ana@example.org", "--strategy", "queue", "--overlap", "1")
call_command("create_campaign", "tea", "main", "--kind", "relevance", *of_ana)
call_command("assign", "tea", "main")
call_command("open_campaign", "tea", "main")
now, ana = timezone.now(), User.objects.get(email="ana@example.org")
given = {"label": "test", "scope": TokenScope.MANAGE, "expires_at": now + timedelta(days=1)}
print(create_token(by=ana, at=now, **given)[1])
"""
GLOSSARY = '<h2 id="pool">Pool</h2>'
PYTHON = os.environ.get("WHEEL_PYTHON", sys.executable)  # another version, to try the wheel with it by hand
NO_INDEX = ("Failed to establish a new connection", "NewConnectionError", "Name or service not known")


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The wheel of this version, and that of a made-up next one, which has a migration more."""
    source = tmp_path_factory.mktemp("source")
    for name in PARTS:
        shutil.copytree(CHECKOUT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy(CHECKOUT / name, source / name)
    environment = {"LITMUS_STATIC_ROOT": "build/collected", "LITMUS_DATA_DIR": "build/data"}
    run(sys.executable, "-m", "config.staticfiles", cwd=source, **environment)
    (glossary := source / "build/docs/glossary").mkdir(parents=True)  # tests/config/test_documentation.py builds it all
    for folder in (glossary.parent, glossary):
        (folder / "index.html").write_text(GLOSSARY)
    this = build(source)
    last = max(path.stem for path in (source / "accounts/migrations").glob("0*.py"))
    (source / "accounts/migrations/9999_made_up.py").write_text(MIGRATION.format(last=last))
    about = source / "pyproject.toml"
    about.write_text(re.sub(r'(?m)^version = ".*"$', 'version = "99.0.0"', about.read_text()))
    return [this, build(source)]


def build(source: Path) -> Path:
    there = set(source.glob("dist/*.whl"))
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "dist", cwd=source)
    [made] = set(source.glob("dist/*.whl")) - there
    return made


def run(*words: str, cwd: Path, code: int = 0, **environment: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(words, cwd=cwd, env=clean(**environment), capture_output=True, text=True, check=False)
    assert done.returncode == code, f"{words}:\n{done.stdout}\n{done.stderr}"
    return done


def clean(**more: str) -> dict[str, str]:
    """The environment of somebody who has not heard of this checkout."""
    ours = ("LITMUS_", "DATABASE_URL", "REDIS_URL", "PYTEST_", "DJANGO_", "PYTHON", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)} | more


class Installed:
    """An environment with the wheel, and the folder where somebody works."""

    def __init__(self, place: Path, wheel: Path) -> None:
        self.folder, self.bin, self.starts = place / "work", place / "environment" / "bin", 0
        self.folder.mkdir()
        run(PYTHON, "-m", "venv", "--without-pip", str(self.bin.parent), cwd=place)
        pins = re.sub(r" \\\n(    --hash=\S+(?: \\)?\n)+", "\n", (CHECKOUT / "requirements.txt").read_text())
        (place / "pins.txt").write_text(pins)
        self.pip("-c", str(place / "pins.txt"), str(wheel))

    def pip(self, *words: str) -> None:
        """As pip installs, but nothing is compiled: what is used is compiled when it is loaded, and most is not."""
        command = [PYTHON, "-m", "pip", "--python", str(self.bin / "python"), "install", "-q", "--no-compile"]
        done = subprocess.run([*command, *words], env=clean(), capture_output=True, text=True, check=False)
        if any(sign in done.stderr for sign in NO_INDEX):
            pytest.skip("No package index can be reached from here.")
        assert done.returncode == 0, done.stderr

    def litmus(self, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        return run(str(self.bin / "litmus"), *words, cwd=self.folder, code=code)

    def up(self, port: int) -> Child:
        self.starts += 1
        words = [str(self.bin / "litmus"), "up", "--no-demo", "--workers", "1", "--port", str(port)]
        log = self.folder.parent / f"up{self.starts}.log"
        child = Child(words, log, clean(PYTHONUNBUFFERED="1"), cwd=self.folder)
        child.wait_for_output("Ctrl-C")
        return child


def test_installed_in_an_empty_folder_it_serves_judges_exports_stops_and_is_followed_by_the_next_version(
    wheels: list[Path], tmp_path: Path
) -> None:
    here = Installed(tmp_path, wheels[0])
    for name in ("config", "accounts"):  # of somebody else, where `litmus` is called
        (here.folder / f"{name}.py").write_text(f"whose = '{name} of somebody else'\n")
    takes_no_name_but_its_own(here, wheels[0])
    assert "there is no data in this folder" in here.litmus("collection_stats", "tea", code=1).stderr
    assert not (here.folder / "litmus-data").exists()

    port = free_port()
    litmus = here.up(port)
    try:
        assert "create the first account with this code" in litmus.output
        site = f"http://localhost:{port}"
        with urllib.request.urlopen(f"{site}/accounts/login/", timeout=60) as page:
            sheet = re.search(rb"/static/css/base\.[0-9a-f]{12}\.css", page.read())
        assert sheet is not None
        with urllib.request.urlopen(site + sheet[0].decode(), timeout=60) as style:
            assert style.status == 200
        with urllib.request.urlopen(f"{site}/docs/glossary/", timeout=60) as page:
            assert GLOSSARY.encode() in page.read()
        here.litmus("example", "acm-cr", "contexts")  # files of the package
        assert (here.folder / "contexts/papers/bells.pdf").is_file()
        judge(make_campaign(here), f"{site}/api/collections/tea/campaigns/main/")
        here.litmus("adjudicate", "tea", "main", "--policy", "majority")
        export = ("export", "tea", "--format", "qrels", "--campaign", "main", "--out")
        here.litmus(*export, "before.qrels")
        refused = here.litmus("export", "tea", "--format", "documents-parquet", "--out", "x.parquet", code=1)
        assert "Install litmus-ir[parquet]" in refused.stderr
        assert "Install litmus-ir[parquet]" in here.litmus("release", "tea", "v1", code=1).stderr
        here.litmus("agreement", "tea", "main", "--resamples", "1000")
        status = json.loads(here.litmus("status", "--json").stdout)
        assert status["data"] == str(here.folder / "litmus-data")
        assert [(up["address"], up["answers"]) for up in status["running"]] == [(site, True)]
        here.litmus("down")
        assert litmus.process.wait(60) == 0
        assert litmus.output.endswith("Stopped.\n")
        stopped = here.litmus("status", "--json", code=3)
        assert json.loads(stopped.stdout)["running"] == []
    finally:
        litmus.kill()

    here.pip("--no-deps", "--upgrade", str(wheels[1]))
    assert here.litmus("--version").stdout == "litmus 99.0.0\n"
    done = here.litmus(*export, "after.qrels")
    assert "Preparing the database" in done.stderr  # the migration
    qrels = (here.folder / "after.qrels").read_text()
    assert qrels == (here.folder / "before.qrels").read_text()
    assert sorted(line.split()[3] for line in qrels.splitlines()) == ["1", "2"]


def test_pip_takes_the_wheel_of_a_checkout_by_the_words_of_readme(wheels: list[Path], tmp_path: Path) -> None:
    (tmp_path / "dist").mkdir()
    shutil.copy(wheels[0], tmp_path / "dist")
    for name in ("README.md", "docs/install.md"):
        lines = [line.strip() for line in (CHECKOUT / name).read_text("utf-8").splitlines()]
        made = lines.index("make wheel")
        words = lines[made + 1].partition("#")[0].removeprefix("pip install")
        said = run("sh", "-c", f"{PYTHON} -m pip install --dry-run --no-deps --ignore-installed {words}", cwd=tmp_path)
        assert "Would install litmus-ir-" in said.stdout
        assert "does not provide the extra" not in said.stdout + said.stderr


def takes_no_name_but_its_own(here: Installed, wheel: Path) -> None:
    names = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {name for name in names if not name.endswith(".dist-info")} == {"litmus_ir"}
    look = (
        "import sys; before = list(sys.path); import litmus_ir, config, accounts; print(config.whose, accounts.whose)"
    )
    found = run(str(here.bin / "python"), "-c", f"{look}; print(sys.path == before)", cwd=here.folder)
    assert found.stdout == "config of somebody else accounts of somebody else\nTrue\n"


def make_campaign(here: Installed) -> str:
    """Two documents to judge for one question. Returns a token of the annotator."""
    (here.folder / "docs.jsonl").write_text("".join(f'{{"docno": "D{n}", "title": "Tea {n}"}}\n' for n in (1, 2)))
    (here.folder / "topics.jsonl").write_text('{"number": "1", "text": "Which tea?"}\n')
    (here.folder / "pool.txt").write_text("1 D1\n1 D2\n")
    here.litmus("create_user", "ana@example.org")
    here.litmus("create_collection", "tea", "--title", "Tea", "--manager", "ana@example.org")
    here.litmus("import_documents", "tea", "docs.jsonl")
    return here.litmus("django", "shell", "--no-imports", "-c", SETUP).stdout.split()[-1]


def judge(token: str, campaign: str) -> None:
    """By REST, as the labelling screen does: 1 and 2."""

    def call(address: str, body: dict[str, Any] | None = None) -> Any:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        data = json.dumps(body).encode() if body else None
        with urllib.request.urlopen(urllib.request.Request(campaign + address, data, headers), timeout=60) as answer:
            return json.load(answer)

    for grade in (1, 2):
        cell = call("next/")["units"][0]["cells"][0]
        given = {"uuid": str(uuid.uuid4()), "assignment": cell["assignment"], "answers": {"relevance": grade}}
        assert call("submissions/", {"submissions": [given]})["results"][0]["outcome"] == "counted"
