"""This version is followed by a made-up next one: stopped half-way, on a full disk, and met again by this one.

The next version is a copy of the code with migrations more, under another number; its processes are real.
"""

import os
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import connection
from django.test import Client

from accounts.sql import execute
from config import embedded, fitness, upgrade
from config.env import BadEnvironment
from config.fitness import Fitness
from config.running import noted
from config.tables import check_no_other_works
from config.upgrade import Stamp, read_stamp, write_stamp
from tests.config.test_full_disk import small_disk  # noqa: F401 - a fixture
from tests.processes import CHECKOUT, Child, free_port, wait_for

PACKAGES = ("accounts", "adjudication", "annotation", "config", "corpus", "engines", "litmus_ir")
NEXT = "99.0.0"
MIGRATION = """from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("accounts", "{before}")]
    operations = [migrations.RunSQL({statement!r})]
"""
FIRST = "CREATE TABLE made_up (id int)"
ENDLESS = "ALTER TABLE made_up ADD COLUMN half int; SELECT pg_sleep(3600)"
SECOND = "ALTER TABLE made_up ADD COLUMN half int"
LARGE = "CREATE TABLE made_up AS SELECT md5(n::text) AS words FROM generate_series(1, 2000000) AS n"
PERSON = "from accounts.models import User; User.objects.create(email='ada@example.org')"
COUNT = "from accounts.models import User; print(User.objects.count())"


class Program:
    """A version of Litmus on a data directory."""

    def __init__(self, code: Path, data: Path, logs: Path, **environment: str) -> None:
        ours = ("LITMUS_", "DATABASE_URL", "REDIS_URL", "PYTEST_", "DJANGO_")
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        self.environment |= {"LITMUS_DATA_DIR": str(data), "PYTHONUNBUFFERED": "1", **environment}
        self.code, self.logs = code, logs

    def run(self, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=self.code, env=self.environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        return done

    def shell(self, code: str) -> str:
        return self.run("shell", "--no-imports", "-c", code).stdout.strip()

    def up(self, port: int) -> Child:
        command = [sys.executable, "manage.py", "up", "--no-demo", "--workers", "1", "--port", str(port)]
        return Child(command, self.logs / f"{port}.log", self.environment, cwd=self.code)


@pytest.fixture
def made(made_with_tables: Path) -> Path:
    return made_with_tables


@pytest.fixture
def this(made: Path, tmp_path: Path) -> Program:
    """This version, whose data hold one person."""
    program = Program(CHECKOUT, made, tmp_path)
    program.shell(PERSON)
    return program


@pytest.fixture(scope="module")
def next_code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    code = tmp_path_factory.mktemp("next")
    for name in PACKAGES:
        shutil.copytree(CHECKOUT / name, code / name)  # with what is compiled
    for name in ("manage.py", "pyproject.toml", "static", "templates"):
        (code / name).symlink_to(CHECKOUT / name)
    (code / "manage.py").unlink()  # Python looks for modules where the file is
    shutil.copy(CHECKOUT / "manage.py", code / "manage.py")
    return code


@pytest.fixture
def following(next_code: Path, tmp_path: Path) -> Iterator[Callable[..., Program]]:
    """The next version, on these data, with these statements as its further migrations."""
    folder = next_code / "accounts/migrations"

    def make(data: Path, *statements: str) -> Program:
        before = max(path.stem for path in folder.glob("0*.py"))
        for number, statement in enumerate(statements, 9001):
            (folder / f"{number}_made_up.py").write_text(MIGRATION.format(before=before, statement=statement))
            before = f"{number}_made_up"
        return Program(next_code, data, tmp_path, LITMUS_VERSION=NEXT)

    yield make
    for path in folder.glob("90*.py"):
        path.unlink()


def page(port: int) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"http://localhost:{port}/accounts/login/", timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def shows(program: Program, *words: str) -> None:
    """Its `up` serves one page, with these words, which are in the terminal as well; it ends with exit code 1."""
    port = free_port()
    litmus = program.up(port)
    try:
        litmus.wait_for_output("says so, too")
        status, text = page(port)
        printed = litmus.output
        assert status == 503
        for said in words:
            assert said in re.sub(r"\s+", " ", text)
            assert said in printed
        assert litmus.stop() == 1
        assert "Traceback" not in printed
    finally:
        litmus.kill()


def superuser(data: Path) -> psycopg.Connection[Any]:
    where = embedded.postgres_settings(data)
    return psycopg.connect(host=where["HOST"], port=where["PORT"], dbname=where["NAME"], user="postgres")


@pytest.mark.services
@pytest.mark.slow
def test_stopped_half_way_only_the_next_version_goes_on_and_this_one_says_so(
    this: Program, following: Callable[..., Program], made: Path
) -> None:
    new = following(made, FIRST, ENDLESS)
    litmus = new.up(free_port())
    litmus.wait_for_output("Preparing the database")

    def is_half_way() -> bool:
        with embedded.running(made), superuser(made) as known:
            found = known.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(3600)%'"
            ).fetchone()
            return found[0] == 2  # this question as well

    wait_for(is_half_way, what=f"the second migration:\n{litmus.output}")
    litmus.kill()
    with embedded.running(made), superuser(made) as known:
        known.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'ALTER TABLE made_up%'")
    shows(
        this,
        f"partly upgraded from Litmus {settings.CODE_VERSION} to Litmus {NEXT}",
        "Nothing was changed.",
        f"Start Litmus {NEXT}: it continues where it stopped.",
    )
    new = following(made, FIRST, SECOND)
    assert new.shell(COUNT) == "1"
    refused = this.run("collection_stats", "tea", code=1).stderr
    assert f"was made by Litmus {NEXT} (it has accounts.9001_made_up" in refused
    assert f"Use Litmus {NEXT} to read it." in refused


@pytest.mark.services
@pytest.mark.slow
def test_on_a_full_disk_the_data_stay_those_of_this_version_and_the_next_one_says_so(
    this: Program,
    following: Callable[..., Program],
    made: Path,
    small_disk: Callable[[int], Path],  # noqa: F811
    tmp_path: Path,
) -> None:
    used = sum(path.stat().st_blocks for path in made.rglob("*")) * 512
    data = small_disk(used // 1024 + 60_000) / "data"
    subprocess.run(["cp", "-a", str(made), str(data)], check=True)
    shows(
        following(data, LARGE),
        f"could not be brought up to date from Litmus {settings.CODE_VERSION} to Litmus {NEXT}",
        "there is no room left on the disk",
        f"No step is done, so Litmus {settings.CODE_VERSION} can still read the data, too.",
        f"Make room, then start Litmus {NEXT} again",
    )
    assert Program(CHECKOUT, data, tmp_path).shell(COUNT) == "1"
    assert following(data, FIRST).shell(COUNT) == "1"


@pytest.mark.django_db
def test_tables_say_which_version_made_them() -> None:
    assert read_stamp() == Stamp(settings.CODE_VERSION)
    execute("COMMENT ON TABLE django_migrations IS 'of somebody else'")
    assert read_stamp().maker == "an earlier version of Litmus"
    write_stamp(Stamp("0.2.0", NEXT))
    assert read_stamp() == Stamp("0.2.0", NEXT)


@pytest.mark.django_db
def test_pages_and_the_api_wait_for_the_tables_of_this_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever the web server runs without `up`; what it asks goes over a connection of its own."""
    asked = Fitness()
    asked.is_asked, asked.until = True, 0.0
    monkeypatch.setattr(fitness, "fitness", asked)
    monkeypatch.setattr(fitness, "ASK_AGAIN", 0)
    monkeypatch.setattr(fitness, "own_connection", Kept)
    client = Client()
    execute("INSERT INTO django_migrations (app, name, applied) VALUES ('corpus', '9999_later', now())")
    write_stamp(Stamp(NEXT))
    shown = client.get("/accounts/login/")
    assert (shown.status_code, shown["Retry-After"]) == (503, "30")
    assert f"The database was made by Litmus {NEXT}" in shown.text
    answer = client.get("/api/collections/")
    assert (answer.status_code, answer["Content-Type"]) == (503, "application/problem+json")
    execute(
        "DELETE FROM django_migrations WHERE name IN ('9999_later', '0001_initial') AND app IN ('corpus', 'accounts')"
    )
    assert "has not brought it up to date yet" in client.get("/accounts/login/").text
    execute("INSERT INTO django_migrations (app, name, applied) VALUES ('accounts', '0001_initial', now())")
    monkeypatch.setattr(fitness, "misfit", lambda _: "")
    assert client.get("/accounts/login/").status_code != 503
    monkeypatch.setattr(fitness, "misfit", None)  # no page asks again
    assert client.get("/accounts/login/").status_code != 503


class Kept:
    """The connection of the test, which stays open."""

    def cursor(self) -> Any:
        return connection.cursor()

    def close(self) -> None:
        pass


@pytest.mark.django_db
def test_the_tables_are_not_changed_below_another_version_at_work(tmp_path: Path, settings) -> None:
    settings.DATA_DIR = tmp_path
    with noted(tmp_path, "http://localhost:1"):
        check_no_other_works()
        settings.CODE_VERSION = NEXT
        with pytest.raises(
            BadEnvironment, match=r"is running on this data, at http://localhost:1.*Stop the other one first: .* down"
        ):
            check_no_other_works()


@pytest.mark.parametrize(
    ("done", "able"),
    [(1, "1 of 3 steps are done, so only"), (0, "can still read the data"), (None, "no longer answers")],
)
def test_which_version_can_go_on(done: int | None, able: str) -> None:
    assert able in upgrade.unfinished(Stamp("0.1.0"), "a reason", done, 3)
