"""What this installation has and whether it works: facts that cost nothing, and a test of each part when asked for."""

import platform
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from smtplib import SMTPException

import django
from django.conf import settings
from django.core.cache import cache
from django.core.mail import send_mail
from django.db import Error

from accounts import mail
from accounts.extensions import extensions
from accounts.files.storage import FilesAway, files
from accounts.models import User
from accounts.refusals import Reason, Refused, Remedy
from accounts.sql import execute
from config.checks import broken_plugins
from config.env import BadEnvironment
from config.tables import missing_migrations
from config.watching.queues import served_queues, unserved_queues, waiting_messages
from corpus.endpoints.endpoints import default_service
from corpus.endpoints.trials import try_service
from corpus.models import ModelPurpose

PATIENCE = 2.0  # seconds for workers to answer
Facts = list[tuple[str, str]]


@dataclass(frozen=True)
class Part:
    """One card of the page. `missing` says what is not set up, "" where all is; `what` says what the test does."""

    key: str
    title: str
    what: str
    facts: Facts
    missing: str = ""

    @property
    def remedy(self) -> Remedy:
        """Where the documentation says what to do if something is missing or the test fails."""
        return REMEDIES[self.key]

    @property
    def why_not(self) -> str:
        """What is missing, with that link."""
        return Reason.of(self.missing, self.remedy)


def _documented(label: str, path: str, after: str = "") -> Remedy:
    return Remedy(label, "documentation_page", (path,), after)


_PGBOUNCER = _documented("Behind PgBouncer", "operations/", "#behind-pgbouncer")
_WRONG = _documented("When something is wrong", "operations/", "#when-something-is-wrong")
REMEDIES = {  # browsers that can go to the row of a setting by its name
    "mail": _documented("Settings of mail", "configuration/", "#:~:text=LITMUS_EMAIL_URL"),
    "language-model": _documented("Settings of models", "configuration/", "#:~:text=LITMUS_LLM_BASE_URL"),
    "embeddings": _documented("Settings of embeddings", "configuration/", "#:~:text=LITMUS_EMBEDDINGS_BASE_URL"),
    "storage": _WRONG,
    "workers": _documented("While Redis is away", "operations/", "#while-redis-is-away"),
    "versions": _documented("Updating", "operations/", "#updating"),
}


@dataclass(frozen=True)
class Outcome:
    """What a test found, in a sentence."""

    works: bool
    words: str
    seconds: float


class Fails(Exception):
    """The part does not work; the text says why."""


def parts() -> list[Part]:
    """All parts, without asking any server but the database."""
    return [_mail(), _language_model(), _embeddings(), _storage(), _workers(), _versions()]


def try_part(key: str, by: User) -> Outcome:
    """Test one of TESTS for real; `by` gets the test mail."""
    started = time.monotonic()
    try:
        works, words = True, TESTS[key](by)
    except Fails as fault:
        works, words = False, str(fault)
    return Outcome(works, words, round(time.monotonic() - started, 2))


def _mail() -> Part:
    set_up = mail.is_set_up()
    server = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}" if settings.EMAIL_HOST else "none"
    links = ("Links lead to", settings.SITE_URL)
    here = [("For others", each) for each in [mail.why_links_open_only_here()] if each]
    facts = [
        *here,
        ("Server", server),
        links,
        ("Sender", settings.DEFAULT_FROM_EMAIL),
        ("Letters a minute", f"{settings.MAIL_RATE}"),
    ]
    missing = "" if set_up else "No mail server is set up, so nothing is sent. Set LITMUS_EMAIL_URL."
    return Part("mail", "Mail", "Sends a mail to your own address.", facts if set_up else facts[:-2], missing)


def _try_mail(by: User) -> str:
    try:
        send_mail("Litmus: test", "This Litmus can send mail.", None, [by.email])
    except (SMTPException, OSError) as error:
        raise Fails(f"The mail was not sent: {error}") from None
    return f"The mail server took a mail to {by.email}."


def _models(purpose: ModelPurpose) -> Facts:
    service = default_service(purpose)
    return [("Endpoint", service.address), ("Model", service.endpoint.model)] if service else []


def _language_model() -> Part:
    facts = _models(ModelPurpose.CHAT)
    missing = "" if facts else "Not set up. Set LITMUS_LLM_BASE_URL and LITMUS_LLM_MODEL."
    return Part("language-model", "Language model", "Asks it one short question, which may cost.", facts, missing)


def _embeddings() -> Part:
    facts = _models(ModelPurpose.EMBEDDINGS)
    missing = "" if facts else "Not set up. Set LITMUS_EMBEDDINGS_BASE_URL and LITMUS_EMBEDDINGS_MODEL."
    facts.append(("Vectors are kept in", settings.VECTOR_STORE))
    return Part("embeddings", "Embeddings", "Asks for the vector of one word.", facts, missing)


def _try_model(purpose: ModelPurpose, by: User) -> str:  # noqa: ARG001 - all tests are called alike
    service = default_service(purpose)
    if service is None:
        raise Fails("No language model is set up." if purpose == ModelPurpose.CHAT else "No embeddings are set up.")
    try:
        return str(try_service(service, purpose))
    except Refused as refusal:
        raise Fails(refusal.reason) from None


def _directories() -> Iterator[tuple[str, Path]]:
    yield "Arriving files" if settings.BUCKET else "Files", Path(settings.MEDIA_ROOT)
    yield "Indexes", Path(settings.INDEX_DIR)
    yield "Temporary", Path(tempfile.gettempdir())


def _storage() -> Part:
    facts = [("Files", files.address())] if settings.BUCKET else []
    facts += [(name, f"{_free(path)} in {path}") for name, path in _directories()]
    return Part("storage", "Storage", "Writes, reads and deletes a file in each place.", facts)


def _free(path: Path) -> str:
    there = next((each for each in (path, *path.parents) if each.exists()), None)
    return f"{shutil.disk_usage(there).free / 1e9:,.1f} GB free" if there else "not there"


def _try_storage(by: User) -> str:  # noqa: ARG001
    for name, path in _directories():
        try:
            path.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=path) as file:
                file.write(b"litmus")
                file.seek(0)
                file.read()
        except OSError as error:
            raise Fails(f"{name}: {path} cannot be written ({error.strerror}).") from None
    try:
        files.check()
    except FilesAway as error:
        raise Fails(f"Files: {error}") from None
    return "Every place can be written and read by the web server."


def _workers() -> Part:
    facts = [("Jobs at once", str(settings.CELERY_WORKER_CONCURRENCY))]
    return Part("workers", "Background workers", "Asks every worker for an answer and counts waiting messages.", facts)


def _try_workers(by: User) -> str:  # noqa: ARG001
    from kombu.exceptions import OperationalError
    from redis import RedisError

    try:
        found = served_queues(PATIENCE)
        waiting = sum(waiting_messages(PATIENCE).values())
    except (OperationalError, RedisError, OSError) as error:
        raise Fails(f"The queue in Redis cannot be reached: {error}") from None
    if not found:
        raise Fails(f"No worker answered within {PATIENCE:g} seconds; {waiting:,} messages wait. Start one.")
    if missing := unserved_queues(found):
        raise Fails(f"No worker serves the queue {missing[0]}, so its jobs wait. Start one: LITMUS_QUEUES.")
    names = ", ".join(f"{name}: {', '.join(queues)}" for name, queues in found.items())
    return f"{len(found)} answered ({names}); {waiting:,} messages wait."


def _versions() -> Part:
    facts = [
        ("Litmus", settings.CODE_VERSION),
        ("Python", platform.python_version()),
        ("Django", django.get_version()),
        ("PostgreSQL", _postgres_version()),
        *(("Wrong setting", each) for each in _other_session_settings()),
        ("Embedded servers", ", ".join(settings.EMBEDDED_SERVERS) or "none"),
        *(("From another package", label) for label in _plugins()),
        *(("Cannot be used", Reason.of(str(broken), _WRONG)) for broken in broken_plugins()),
    ]
    return Part("versions", "Versions", "Asks PostgreSQL and Redis, and looks for missing migrations.", facts)


def _plugins() -> list[str]:
    """What other packages bring."""
    return [entry.label for registry in extensions("registries").values() for entry in registry.plugins.values()]


def _postgres_version() -> str:
    return str(execute("SHOW server_version")[0][0])


def _other_session_settings() -> list[str]:
    """What a pooler did not pass on, and nobody has made a setting of the role."""
    found = {name: str(execute(f"SHOW {name}")[0][0]) for name in settings.POSTGRES_SESSION}
    return [
        Reason.of(f"{name} is {found[name]}, not {wanted}.", _PGBOUNCER)
        for name, wanted in settings.POSTGRES_SESSION.items()
        if settings.TRANSACTION_POOLER and found[name] != wanted
    ]


def _try_versions(by: User) -> str:  # noqa: ARG001
    from redis import Redis, RedisError

    try:
        missing = missing_migrations()
        cache.set("state", "kept", 5)
        redis = Redis.from_url(settings.CACHE_URL, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE)
        with redis:
            version = redis.info("server")["redis_version"]
    except (Error, RedisError, OSError) as error:
        raise Fails(f"A server did not answer: {error}") from None
    except BadEnvironment as error:
        raise Fails(str(error)) from None
    if missing:
        raise Fails(f"{len(missing)} migrations are not applied.")
    return f"PostgreSQL {_postgres_version()} has every table of this version; Redis {version} stores values."


TESTS: dict[str, Callable[[User], str]] = {
    "mail": _try_mail,
    "language-model": partial(_try_model, ModelPurpose.CHAT),
    "embeddings": partial(_try_model, ModelPurpose.EMBEDDINGS),
    "storage": _try_storage,
    "workers": _try_workers,
    "versions": _try_versions,
}
