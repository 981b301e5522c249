"""What a start loads and looks at: each module here costs every command and every server a part of a second."""

import re
import subprocess
import sys

import pytest
from django.apps import apps
from django.core.management import call_command, get_commands, load_command_class
from django.core.management.base import SystemCheckError
from django.db.migrations.recorder import MigrationRecorder

from config.env import BadEnvironment
from config.tables import bring_up_to_date, migrations_on_disk, missing_migrations
from tests.processes import CHECKOUT

SLOW = {"numpy", "scipy", "matplotlib", "pypdfium2", "openai", "httpx2", "pyarrow", "redis", "rest_framework.views"}
SAY = "import sys; print(*sorted(sys.modules))"


def loaded_by(code: str) -> list[set[str]]:
    """The modules that are loaded after the code, and before it each time that it says so, with `now` in between."""
    start = "import os; os.environ['DJANGO_SETTINGS_MODULE'] = 'config.settings'; import django; django.setup()"
    done = subprocess.run(
        [sys.executable, "-c", f"{start}; {code}; {SAY}"], cwd=CHECKOUT, capture_output=True, text=True, check=True
    )
    return [set(modules.split()) for modules in done.stdout.split("\nnow\n")]


@pytest.mark.slow
def test_a_start_loads_nothing_slow():
    help_text = "from django.core.management import ManagementUtility; ManagementUtility(['']).main_help_text()"
    (found,) = loaded_by(f"import manage, config.outside, config.tables; {help_text}")
    assert found & SLOW == set()
    assert [
        name for name in found if re.search(r"^(corpus|annotation|adjudication)\..*(commands|operations)", name)
    ] == []  # found by their names


@pytest.fixture(scope="module")
def web_server() -> tuple[set[str], set[str]]:
    """What a web server has loaded once its pages are there: while `up` holds it back at the gate, and without `up`."""
    gated = "os.environ['LITMUS_GATE'] = str(os.open(os.devnull, os.O_RDONLY)); import config.wsgi"
    found = loaded_by(f"import os; {gated}; {SAY}; print('now'); del os.environ['LITMUS_GATE']; config.wsgi.load()")
    assert "adjudication.agreement.pages.agreement" in found[0]
    return found[0], found[1]


@pytest.mark.slow
def test_pages_are_loaded_without_the_slow_parts_of_scipy(web_server: tuple[set[str], set[str]]):
    slow = {"scipy.special", "scipy.sparse", "scipy.stats", "scipy.linalg", "matplotlib", "openai"}
    assert web_server[1] & slow == set()


@pytest.mark.slow
def test_the_first_page_waits_for_nothing_that_another_request_can_load(web_server: tuple[set[str], set[str]]):
    """With them the pages took a seventh longer to load. Where no `up` waits, the web server loads them beforehand."""
    later = {"celery", "kombu", "redis", "httpx2", "markdown_it"}
    at_the_gate, without_up = web_server
    assert at_the_gate & later == set()
    assert without_up >= later


@pytest.mark.slow
def test_a_worker_loads_no_pages():
    """Celery's own look at Django loaded them all: half of a worker's start, and a third of its memory."""
    worker = "from config.celery import app, load_jobs; app.loader.import_default_modules(); load_jobs()"
    (found,) = loaded_by(worker)
    assert {"adjudication.agreement.computing", "accounts.tasks"} <= found
    assert found & {"config.urls", "adjudication.agreement.pages", "rest_framework.views"} == set()


def test_up_starts_its_web_server_before_it_loads_models_and_database():
    """Both then load at the same time, each on a separate core."""
    code = "import config.management.commands.up, sys; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=CHECKOUT, capture_output=True, text=True, check=True)
    found = set(done.stdout.split())
    assert "config.supervisor" in found
    assert found & {"psycopg", "django.db.models", "corpus.models", "config.staticfiles"} == set()


def test_our_commands_load_no_pages():
    """Django's system checks load them all, which was half of what `collection_stats` took."""
    ours = {name: app for name, app in get_commands().items() if app in ("config", *OURS)}
    assert len(ours) > 20
    checking = {name for name, app in ours.items() if load_command_class(app, name).requires_system_checks}
    assert checking == {"migrate"}  # which is Django's, and looks at the database


OURS = ("accounts", "corpus", "annotation", "adjudication")


@pytest.mark.django_db
def test_missing_migrations_are_those_that_django_would_apply():
    assert missing_migrations() == set()
    assert {app for app, _ in migrations_on_disk()} >= {*OURS, "auth", "sessions"}
    MigrationRecorder.Migration.objects.filter(app="annotation", name="0001_tables").delete()
    assert missing_migrations() == {("annotation", "0001_tables")}


@pytest.mark.django_db
def test_a_database_of_another_version_is_refused(settings):
    """Migrations were squashed: a database of the time before has the tables, or older ones, under other names."""
    MigrationRecorder.Migration.objects.create(app="corpus", name="0018_open_names")
    with pytest.raises(BadEnvironment, match=r"data directory .* another version of Litmus \(it has corpus\.0018_open"):
        bring_up_to_date()
    with pytest.raises(SystemCheckError, match=r"litmus\.E001"):
        call_command("migrate", plan=True, skip_checks=False)
    settings.DATABASE_URL = "postgres://me@db/litmus"
    with pytest.raises(BadEnvironment, match="database of DATABASE_URL"):
        missing_migrations()


@pytest.mark.django_db
def test_a_database_of_the_operator_is_not_changed_without_being_asked(settings):
    settings.DATABASE_URL = "postgres://me@db/litmus"
    bring_up_to_date()
    MigrationRecorder.Migration.objects.filter(app="annotation").delete()
    with pytest.raises(BadEnvironment, match=r"Run `manage\.py migrate` first"):
        bring_up_to_date()


@pytest.mark.parametrize("point", ["collection_figures", "farewells", "why_cannot_archive", "jobs"])
def test_what_apps_declare_by_name_is_there(point):
    from accounts.extensions import extensions

    declared = {name for app in apps.get_app_configs() for name in getattr(app, point, {})}
    assert declared
    assert {name for name, found in extensions(point).items() if callable(found)} == declared
