"""manage.py up: all of Litmus on one machine, until Ctrl-C."""

import errno
import json
import os
import signal
import socket
import time
import urllib.request
from argparse import ArgumentParser, BooleanOptionalAction
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import django
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from accounts.queues import Queue
from config import embedded
from config.addresses import EVERYWHERE, LOOPBACK, address, address_elsewhere, note_address
from config.env import Misfit
from config.running import noted
from config.supervisor import Child, GivenUp, Supervisor

if TYPE_CHECKING:
    from config.embedded.places import FileLock

PATIENCE = 4  # seconds
RESTORE_PAUSE = 10  # seconds between tries to start an embedded server that does not start
WORKER = "celery -q -A config.celery worker --without-gossip --without-mingle --without-heartbeat"
# Each line has separate processes, so that what takes hours never delays what people wait for.
POOLS = ((Queue.QUICK,), (Queue.HEAVY, Queue.INDEX))


class Command(BaseCommand):
    restore_again_at = 0.0
    task = "Start"
    example = "up --port 9000"
    line = "Start Litmus: servers, pages and background jobs"
    help = "Start Litmus: embedded servers, web, background jobs. Stop it with Ctrl-C."
    requires_system_checks = []  # they load all pages, which the web server does for itself

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="port of the web server (default: 8000)")
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
        parser.add_argument("--workers", type=int, help="number of web processes (default: LITMUS_WEB_PROCESSES)")
        words = "load the demo, an invented collection, unless it is already loaded"
        parser.add_argument("--demo", action=BooleanOptionalAction, default=False, help=words)
        words = "print one JSON object on stdout once pages are served"
        parser.add_argument("--json", action="store_true", dest="as_json", help=words)

    def handle(self, *, port: int, host: str, workers: int | None, demo: bool, as_json: bool, **_: Any) -> None:
        with listen(host, port) as listener:
            stop_on_signals()
            environment = child_environment(host, listener.getsockname()[1], workers)
            try:
                self.run(Site(listener, host, environment, as_json), demo=demo)
            except KeyboardInterrupt:
                self.say("Stopped.")
            except GivenUp as error:
                raise CommandError(str(error)) from None

    def run(self, site: "Site", *, demo: bool) -> None:
        """Run everything until a signal comes. The web server loads its code while the rest starts."""
        self.say(f"Preparing Litmus in {settings.DATA_DIR} …")
        supervisor = Supervisor(self.say)
        with noted(settings.DATA_DIR, site.address), Gate() as gate, stopping(supervisor):
            supervisor.start(site.web_server(gate.entrance, **gate.environment))
            django.setup()
            from config import preparation  # with the models, which the web server was not to wait for

            preparation.check_and_collect()
            note_address(settings.DATA_DIR, site.environment["LITMUS_SITE_URL"])
            try:
                with embedded.running(settings.DATA_DIR, settings.EMBEDDED_SERVERS), stopping(supervisor):
                    mark, notes = preparation.prepare_database(demo=demo, public=site.host not in LOOPBACK)
                    gate.open()
                    self.serve(supervisor, site, mark, notes, demo=demo)
            except (Misfit, embedded.EmbeddedError) as problem:
                reason = str(problem)
            supervisor.stop()
            self.explain(reason, site)

    def serve(
        self, supervisor: Supervisor, site: "Site", mark: "FileLock | None", notes: str, *, demo: bool
    ) -> NoReturn:
        """Serve pages and work on jobs until a signal comes."""
        wait_for_web(supervisor, site)
        self.say("\n".join(filter(None, [self.greeting(site.host, site.port), notes, "Stop it with Ctrl-C."])))
        self.print_json(site, demo=demo, problem=None)
        for worker in site.workers():
            supervisor.start(worker)
        if mark is not None:
            load = ["manage", "load_demo", "-v0"]
            supervisor.start(Child("loading of the demo", load, keep_open=(mark.descriptor,), once=True))
            mark.close()  # from here on the child alone holds it
        while True:
            supervisor.look()
            self.restore_servers()
            time.sleep(0.3)

    def explain(self, reason: str, site: "Site") -> NoReturn:
        """Serve one page until a signal comes: why this version cannot use the data. Errors: CommandError then."""
        stop_on_signals()
        supervisor = Supervisor(self.say)
        try:
            with stopping(supervisor):
                supervisor.start(site.web_server(LITMUS_PROBLEM=reason))
                wait_for_web(supervisor, site)
                self.say(f"{reason}\nThe page at {site.address} says so, too. Stop it with Ctrl-C.")
                self.print_json(site, demo=False, problem=reason)
                while True:
                    supervisor.look()
                    time.sleep(0.3)
        except KeyboardInterrupt:
            raise CommandError("Stopped. The data could not be used: the reason is above.") from None

    def print_json(self, site: "Site", *, demo: bool, problem: str | None) -> None:
        """What programs read once pages are served; `problem` is what keeps the data from being used."""
        if not site.as_json:
            return
        facts: dict[str, Any] = {"address": site.address, "links": site.environment["LITMUS_SITE_URL"]}
        facts |= {
            "data": str(settings.DATA_DIR),
            "version": settings.CODE_VERSION,
            "demo": demo,
            "problem": problem,
            "pid": os.getpid(),
        }
        self.stdout.write(json.dumps(facts))
        self.stdout.flush()

    def restore_servers(self) -> None:
        """Bring PostgreSQL and Redis back when they were killed."""
        if time.monotonic() < self.restore_again_at:
            return
        try:
            for name in embedded.restore(settings.DATA_DIR, settings.EMBEDDED_SERVERS):
                self.say(f"{name} had ended and is started again.")
        except embedded.EmbeddedError as error:  # a full disk, perhaps: pages say so, and the next look tries again
            self.say(str(error))
            self.restore_again_at = time.monotonic() + RESTORE_PAUSE

    def say(self, words: str) -> None:
        """For people, on stderr."""
        self.stderr.write(words, style_func=str)
        self.stderr.flush()

    def greeting(self, host: str, port: int) -> str:
        here = address(host, port) + settings.SITE_PATH
        lines = [f"Litmus is running at {here}"]
        links = settings.SITE_URL if settings.SITE_URL_IS_GIVEN else address_elsewhere(host, port)
        if links != here:
            lines.append(f"Links in mails and on pages lead to {links}.")
        if host not in LOOPBACK:
            if not settings.SITE_URL_IS_GIVEN:
                lines.append("If people open another address, set LITMUS_SITE_URL to it.")
            names = ", ".join(allowed_hosts(host))
            lines.append(f"It accepts these host names only: {names}. To add others, set LITMUS_ALLOWED_HOSTS.")
        return "\n".join(lines)


@dataclass(frozen=True)
class Site:
    """Where pages are served, and the environment of what serves them."""

    listener: socket.socket
    host: str
    environment: dict[str, str]
    as_json: bool

    @property
    def port(self) -> int:
        return int(self.listener.getsockname()[1])

    @property
    def address(self) -> str:
        return address(self.host, self.port) + settings.SITE_PATH

    def web_server(self, *keep_open: int, **environment: str) -> Child:
        web = f"gunicorn -c config/gunicorn.py -b fd://{self.listener.fileno()}".split()
        return Child("web server", web, self.environment | environment, (self.listener.fileno(), *keep_open))

    def workers(self) -> list[Child]:
        """Those of the queues that are to be served here; beat runs next to the first."""
        pools = [[queue for queue in pool if queue in settings.QUEUES] for pool in POOLS]
        return [self.worker(pool, beat=number == 0) for number, pool in enumerate(filter(None, pools))]

    def worker(self, queues: list[Queue], *, beat: bool) -> Child:
        many = settings.CELERY_WORKER_CONCURRENCY
        if queues == [Queue.QUICK]:
            many = (many + 1) // 2
        words = [*WORKER.split(), *(["--beat"] if beat else []), "-Q", ",".join(queues), "-c", str(many)]
        name = f"{queues[0]}-{os.getpid()}@%h"  # other than those of another `up` on this machine
        return Child(f"worker of {queues[0]} jobs", [*words, "-n", name], self.environment)


def listen(host: str, port: int) -> socket.socket:
    """The web server's socket. It is opened first, so that a taken port is noticed before anything is started.

    Errors: CommandError with what to do.
    """
    make = "" if settings.PROGRAM == "litmus" else f" (make run PORT={port + 1})"
    hint = f"Choose another with --port, such as --port {port + 1}{make}."
    if not 0 <= port <= 65535:
        raise CommandError(f"--port {port}: use a number from 1 to 65535, or 0 for any free port.")
    try:
        family, *_, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return open_socket(family, where[:2])
    except socket.gaierror:
        raise CommandError(f"There is no address for --host {host}.") from None
    except OSError as error:
        reasons: dict[int | None, str] = {
            errno.EADDRINUSE: f"Port {port} is taken by another program. {hint}",
            errno.EACCES: f"Port {port} is reserved for root. {hint}",
            errno.EADDRNOTAVAIL: f"--host {host} is not an address of this machine.",
        }
        raise CommandError(
            reasons.get(error.errno, f"Port {port} of {host} cannot be used ({error}). {hint}")
        ) from None


def open_socket(family: socket.AddressFamily, where: tuple[Any, ...]) -> socket.socket:
    """A listening socket; a taken port gets some seconds, which the web server of a killed `up` needs to end."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return socket.create_server(where, family=family, backlog=2048)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() > deadline:
                raise
        time.sleep(0.1)


class Gate:
    """Holds a child back until `open`: a pipe whose other end is closed then, or when this process ends."""

    def __enter__(self) -> "Gate":
        self.entrance, self._lock = os.pipe()
        self.environment = {"LITMUS_GATE": str(self.entrance)}
        return self

    def open(self) -> None:
        if self._lock >= 0:
            os.close(self._lock)
        self._lock = -1

    def __exit__(self, *_: object) -> None:
        self.open()
        os.close(self.entrance)


@contextmanager
def stopping(supervisor: Supervisor) -> Iterator[None]:
    """Children end before what the block is in, whatever happens and however often Ctrl-C is pressed."""
    try:
        yield
    finally:
        for which in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP):
            signal.signal(which, signal.SIG_IGN)
        supervisor.stop()


def stop_on_signals() -> None:
    """Signals that ask the process to end raise KeyboardInterrupt; a SIGHUP that nohup ignores stays ignored."""
    for which in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT):
        signal.signal(which, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.default_int_handler)


def allowed_hosts(host: str) -> list[str]:
    """Names by which the web server is asked: those of the settings, and of this machine when others may come."""
    if os.environ.get("LITMUS_ALLOWED_HOSTS") or host in LOOPBACK:
        return list(settings.ALLOWED_HOSTS)
    own = {socket.gethostname(), socket.getfqdn()} | ({host} - set(EVERYWHERE))
    return [*settings.ALLOWED_HOSTS, *sorted(own - set(settings.ALLOWED_HOSTS))]


def child_environment(host: str, port: int, workers: int | None) -> dict[str, str]:
    """Environment variables that tell the children what the command line said; those already set stay."""
    defaults = {
        "LITMUS_SITE_URL": address_elsewhere(host, port),
        "LITMUS_ALLOWED_HOSTS": ",".join(allowed_hosts(host)),
        "LITMUS_LOG_LEVEL": "WARNING",
    }
    environment = {name: os.environ.get(name) or value for name, value in defaults.items()}
    return environment | ({"LITMUS_WEB_PROCESSES": str(workers)} if workers else {})


def wait_for_web(supervisor: Supervisor, site: Site) -> None:
    """Return when the web server answers. Errors: GivenUp when it ends again and again."""
    probe = address(site.host, site.port) + "/healthz"
    while True:
        with suppress(OSError), urllib.request.urlopen(probe, timeout=5):  # noqa: S310 - our own address
            return
        supervisor.look()
        time.sleep(0.1)
