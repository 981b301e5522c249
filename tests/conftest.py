"""What all tests share: real embedded servers, own databases for each test process, a real worker and browser."""

import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import pytest
import redis
from django.conf import settings
from django.db import connection, transaction
from django.template import Template
from django.test import Client, TransactionTestCase
from playwright.sync_api import Browser, BrowserContext, Page
from pytest_django import DjangoDbBlocker
from pytest_django.live_server_helper import LiveServer

from accounts.caches import volatile
from accounts.queues import Queue
from config import embedded
from config.celery import app as current_app
from config.env import celery_broker, redis_database
from corpus.models import Collection, CollectionAddress
from tests import buckets, databases, ground, kept_files, scratch, stopped
from tests.factories.accounts import UserFactory
from tests.ground import PATIENCE
from tests.order import dealt
from tests.processes import Child, start_celery_worker, wait_for
from tests.rendering import render_and_report_pages

VIEWPORT = {"width": 1280, "height": 800}
# Playwright acts on what it can see, also before the page's scripts have started, where no person is so fast: a change
# then reaches nobody, and the test waits in vain. What can be acted on has no size until scripts listen; it can have
# the focus meanwhile, which pages give to fields. (Links have no box that could be made small.)
HIDDEN_UNTIL_LISTENING = """
  const sheet = new CSSStyleSheet(), controls = ":is(button, input, select, textarea, summary)";
  sheet.replaceSync(`${controls} { transform: scale(0) !important } a { visibility: hidden !important }`);
  document.adoptedStyleSheets = [sheet];
  document.addEventListener("DOMContentLoaded", () => { document.adoptedStyleSheets = []; }, { once: true });
"""
RUN = "LITMUS_TEST_RUN"  # in the environment of all that a run of tests starts
UNSERVED = f"{settings.CELERY_TASK_DEFAULT_QUEUE}-unserved"  # a queue


# --- servers ---------------------------------------------------------------------------------------------------------


def pytest_configure(config: pytest.Config) -> None:
    """Start the embedded servers before the first test (the controller of xdist holds them for its workers)."""
    config.pluginmanager.register(ground)
    config.pluginmanager.register(buckets)
    config.pluginmanager.register(stopped)
    held = ExitStack()
    config.add_cleanup(held.close)
    tempfile.tempdir = None  # not where the product puts its own
    # As in the Makefile: without compiled files each process compiles Litmus and rewrites the tests again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    # Not again in a process of a run, nor in a run that a test starts; and to be shown tests nobody need wait.
    if RUN not in os.environ and not config.option.collectonly:
        held.enter_context(databases.one_run(settings.DATA_DIR, partial(_say, config)))
        os.environ[RUN] = str(os.getpid())
        if "TMPDIR" not in os.environ and (in_memory := scratch.in_memory(settings.DATA_DIR)):
            scratch.use(in_memory)
            held.callback(shutil.rmtree, in_memory, ignore_errors=True)
    held.enter_context(embedded.running(settings.DATA_DIR, settings.EMBEDDED_SERVERS))
    # Two Redis databases for each test process: 0 and 1 belong to the product, which may be running as well.
    process = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    settings.REDIS_URL = redis_database(settings.REDIS_URL, 2 + 2 * process)
    settings.CELERY_BROKER_URL = celery_broker(settings.REDIS_URL)
    current_app.conf.broker_url = settings.CELERY_BROKER_URL  # it may have read the settings already
    settings.CACHE_URL = settings.CACHES["volatile"]["LOCATION"] = redis_database(settings.REDIS_URL, 1)
    # Rows of tests need not survive the machine; tests of durability start separate servers.
    settings.DATABASES["default"]["OPTIONS"]["options"] += " -c synchronous_commit=off"
    settings.DATABASES["default"]["OPTIONS"]["pool"]["timeout"] = 60  # seconds; under load threads wait for each other
    settings.PASSWORD_HASHERS = ["tests.hashers.QuickHasher"]
    # With it each new window of Chromium takes a second process, a fifth of what a browser test costs; no page of ours
    # opens one that it speaks to.
    settings.SECURE_CROSS_ORIGIN_OPENER_POLICY = None
    settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
    files = Path(tempfile.mkdtemp(prefix="litmus-test-"))
    held.callback(shutil.rmtree, files, ignore_errors=True)
    settings.DOCUMENTATION = files / "no documentation"  # the same whether this checkout has built it or not
    for name in ("MEDIA_ROOT", "STATIC_ROOT", "INDEX_DIR", "FILE_UPLOAD_TEMP_DIR"):
        setattr(settings, name, files / name.lower())
        (files / name.lower()).mkdir()


def _say(config: pytest.Config, text: str) -> None:
    """Show a line at once, although pytest keeps what is printed."""
    with config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


@pytest.hookimpl(trylast=True)  # when those that are not wanted are gone
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hasattr(config, "workerinput"):
        items[:] = dealt(items, config.workerinput["workercount"])


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None, django_db_blocker: object) -> None:
    """Databases of tests are copies of one that was migrated once."""
    with django_db_blocker.unblock():
        connection.settings_dict["TEST"]["TEMPLATE"] = databases.migrated_template()
    TransactionTestCase._fixture_teardown = lambda _: databases.empty_database()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The databases of tests, which nobody holds any longer when they are dropped."""
    yield
    with django_db_blocker.unblock():
        held = databases.end_connections()
    with warnings.catch_warnings(action="always"):  # to be read in the summary: it spoils no test
        for query in held:
            warnings.warn(f"a connection to the test database outlived the tests: {query}", stacklevel=1)


@pytest.fixture(scope="module")
def module_db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """For rows that all tests of a module read: they are taken back after its last one. Tests take `db` as well."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture
def _free_address(db: None) -> None:
    """For a test that makes a collection at the address of the one that its module shares, which moves away."""
    Collection.objects.update(slug="shared")
    CollectionAddress.objects.all().delete()  # no address is given out twice


@pytest.fixture
def somebody(db: None) -> None:
    """An account: without any, every page leads to the one that creates the first."""
    UserFactory()


@pytest.fixture(scope="session", autouse=True)
def _contexts_of_pages(django_test_environment: None) -> None:
    Template._render = render_and_report_pages


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    """What one test has cached does not reach the next."""
    volatile.clear()


# --- background jobs -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def queue() -> Iterator[redis.Redis]:
    """The Redis database that holds this process's Celery queue."""
    with redis.from_url(settings.REDIS_URL) as client:
        client.flushdb()
        yield client


@pytest.fixture(scope="session", autouse=True)
def _tasks_unserved() -> None:
    """Tests without a worker do the jobs that they send; the worker of other tests must not be quicker."""
    _send_tasks_to(UNSERVED)


@pytest.fixture
def own_queue(queue: redis.Redis) -> Iterator[str]:
    """A queue that the worker shared by all tests does not serve: for tests whose worker knows other settings."""
    name = f"{settings.CELERY_TASK_DEFAULT_QUEUE}-own"
    queue.delete(name, "unacked", "unacked_index")
    _send_tasks_to(name)
    yield name
    _send_tasks_to(UNSERVED)
    queue.delete(name, "unacked", "unacked_index")


@contextmanager
def unserved(name: str) -> Iterator[None]:
    """Inside the block no worker gets what is sent, which otherwise goes to the queue of this name."""
    _send_tasks_to(UNSERVED)
    yield
    _send_tasks_to(name)


@pytest.fixture
def real_queues(queue: redis.Redis) -> Iterator[None]:
    """Messages go to the queues of the product, which the worker of other tests does not serve meanwhile."""
    served = [name for name in Queue if current_app.control.cancel_consumer(name, reply=True)]
    queue.delete(*Queue, "unacked", "unacked_index")
    _route_tasks(settings.CELERY_TASK_ROUTES)
    yield
    _send_tasks_to(UNSERVED)
    queue.delete(*Queue, "unacked", "unacked_index")
    for name in served:
        current_app.control.add_consumer(name, reply=True)


def _send_tasks_to(name: str) -> None:
    _route_tasks({"*": {"queue": name}})


def _route_tasks(routes: object) -> None:
    current_app.conf.task_routes = routes
    current_app.amqp.flush_routes()
    current_app.amqp.router = current_app.amqp.Router()


@pytest.fixture(scope="session")
def _celery_process(
    django_db_setup: None, django_db_blocker: object, queue: redis.Redis, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Child]:
    worker = start_celery_worker(tmp_path_factory.mktemp("celery") / "worker.log", processes=2)
    yield worker
    worker.stop()


@pytest.fixture
def celery_worker(transactional_db: None, _celery_process: Child, queue: redis.Redis) -> Iterator[Child]:
    """A real Celery worker on the test database; after the test its queue is emptied and running jobs are awaited.

    Rows must be committed for it to see them: tests that use it are transactional.
    """
    assert _celery_process.process.poll() is None, f"the worker ended:\n{_celery_process.output}"
    queue.delete(*Queue)
    _send_tasks_to(settings.CELERY_TASK_DEFAULT_QUEUE)
    yield _celery_process
    _send_tasks_to(UNSERVED)
    queue.delete(*Queue)
    wait_for(lambda: not queue.hlen("unacked"), what="the end of the running jobs")


# --- browser ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One headless Chromium for all browser tests of this process."""
    # Because of Playwright's event loop Django would refuse the test's own queries.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with ground.chromium() as chromium:
        yield chromium
        # While that loop runs, Django gives this thread another connection than before and after: the test database
        # could not be dropped for it.
        connection.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture(scope="session")
def live_server() -> Iterator[LiveServer]:
    """In place of pytest-django's: another handler of static files."""
    server = kept_files.started()
    yield server
    server.stop()


@pytest.fixture
def new_page(browser: Browser, live_server: object) -> Iterator[Callable[..., Page]]:
    """Makes a page in a separate context (another person's browser); `user=` signs that user in, `is_early` lets the
    test act before the page's scripts have started.

    Other keywords go to Playwright's `new_context`. The test fails when a page met an uncaught script error or
    a violation of the content security policy.
    """
    contexts: list[BrowserContext] = []
    faults: list[str] = []

    def make(user: object = None, *, is_early: bool = False, **options: object) -> Page:
        # Without service workers: what passes through them is not seen by `page.route`. Without motion: a page is
        # what it will be at once (tests of the whole road ask for motion).
        usual = {"base_url": str(live_server), "viewport": VIEWPORT, "service_workers": "block"}
        usual["reduced_motion"] = "reduce"
        context = browser.new_context(**{**usual, **options})
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        if options.get("java_script_enabled", True) and not is_early:
            context.add_init_script(HIDDEN_UNTIL_LISTENING)
        if user is not None:
            sign_in(context, user, str(live_server))
        context.on("weberror", lambda event: faults.append(str(event.error)))
        context.on("console", lambda message: faults.append(message.text) if is_violation(message.text) else None)
        return context.new_page()

    yield make
    for context in contexts:
        for page in context.pages:  # a handler of a route that still asks the server would fail when its page is gone
            page.unroute_all(behavior="ignoreErrors")
        context.close()
    assert not faults, f"the browser reported: {faults}"


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    """A page of somebody who has not signed in."""
    return new_page()


def is_violation(text: str) -> bool:
    return "Content Security Policy" in text or "Content-Security-Policy" in text


def sign_in(context: BrowserContext, user: object, address: str) -> None:
    """Give the context a session of the user, without the sign-in page."""
    client = Client()
    client.force_login(user)
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": address}])
