"""What Litmus gives out, as hashes: every export and every page of the demo for every role, to compare two checkouts.

    python -m bench.fingerprint --out FILE          write the hashes to FILE and the texts to a folder next to it
    python -m bench.fingerprint --against FILE      compare this checkout with FILE; prints a diff, exit status 1
    python -m bench.fingerprint --out A --against B    both

The demo is loaded into separate servers in a temporary directory. Pages are found twice: by following every link
from the home page as each role, and by the URL patterns, for pages to which no link of the demo leads. What any role
finds is asked as every role; of addresses that differ in their numbers or in their query only, the first few. Exports
are asked for through the API with every option for every campaign.

Left out of the texts: primary keys in addresses and attributes, UUIDs, tokens, moments, durations and white space.
Addresses stay, because they are part of what Litmus gives out: after a change of URL paths, give `--rename OLD NEW`
(regular expressions, applied to the names and the texts of FILE) before comparing.
"""

import argparse
import difflib
import hashlib
import json
import os
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from html import unescape
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from bench.texts import normalised, readable

START = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
MOST_OF_A_SHAPE = 2  # addresses that differ in their numbers or in the values of their query only
MOST_QUERIES = 5  # addresses that differ in their numbers and in their whole query
MOST_LINES = 40  # of one difference
ROLES = {
    "manager": "maria@litmus.example",
    "adjudicator": "adam@litmus.example",
    "annotator": "ada@litmus.example",
    "viewer": "vera@litmus.example",
    "staff": "staff@litmus.example",
    "anonymous": None,
}
NOT_FOLLOWED = re.compile(r"/static/|/accounts/logout|/exports/.+/")  # exports are asked for through the API
LINK = re.compile(r'\b(?:href|src|action|hx-get|data-[\w-]+)="([/?][^"#]*)')
# What each argument of an address may be where no link leads to it; campaigns are those of the demo.
ARGUMENTS: dict[str, list[Any]] = {
    "slug": ["demo"],
    "docno": ["LD-001"],
    "number": ["1"],
    "kind": ["documents", "topics", "runs", "mentions", "papers", "qrels"],
    "form": ["csv", "latex"],
    "part": ["storage"],
    "name": ["qrels"],
    "version": [1],
    "token": ["none"],
    "key": ["none"],
}
FULL = "first-pass"  # the campaign whose pools are judged to the end
PLAIN: tuple[dict[str, str], ...] = ({}, {"unresolved": "skip"})
OPTIONS = (
    {"level": "aspect"},
    {"level": "sub-query"},
    {"level": "paragraph"},
    {"level": "sentence", "iteration": "zero", "first_number": "7"},
    {"grades": "binary"},
    {"grades": "mean", "unresolved": "skip"},
    {"unresolved": "skip", "aspects": "judged"},
    {"annotators": "1"},
    {"annotators": "1", "level": "aspect"},
    {"drafts": "1"},
    {"query_prefix": "q", "document_prefix": "d"},
    {"criterion": "quality"},
    {"level": "nonsense"},
)


# --- the demo --------------------------------------------------------------------------------------------------------


def prepare_environment(directory: Path) -> None:
    """Settings of a throw-away installation that is the same on every machine."""
    for name in [name for name in os.environ if name.startswith("LITMUS_")] + ["DATABASE_URL", "REDIS_URL"]:
        os.environ.pop(name, None)
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "LITMUS_DATA_DIR": str(directory),
        "LITMUS_SECRET_KEY": "fingerprint-" * 5,
        "LITMUS_ALLOWED_HOSTS": "testserver",
        "LITMUS_API_RATE": "1000000",
        "LITMUS_LOG_LEVEL": "ERROR",
        "OMP_NUM_THREADS": "1",
    }


def stop_the_clock() -> None:
    """Let a millisecond pass between two looks at the clock, and nothing be left to chance."""
    import secrets

    from django.utils import timezone

    looks = iter(range(10**12))
    timezone.now = lambda: START + timedelta(milliseconds=next(looks))  # type: ignore[assignment]
    secrets.randbelow = random.Random(11).randrange  # type: ignore[assignment]


def load_demo() -> None:
    """The demo as `up` loads it; its background jobs are run here, one after the other."""
    from django.conf import settings
    from django.contrib.auth import get_user_model
    from django.core.management import call_command

    from config.celery import app as current_app

    current_app.loader.import_default_modules()
    current_app.send_task = lambda name, **sent: current_app.tasks[name].apply(kwargs=sent["kwargs"], throw=True)
    settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
    call_command("migrate", interactive=False, verbosity=0)
    call_command("load_demo", verbosity=0)
    get_user_model().objects.create(email=ROLES["staff"], name="Steffi Staff", is_staff=True, is_active=True)


def sessions() -> dict[str, dict[str, str]]:
    """The cookies of each role."""
    from django.contrib.auth import get_user_model
    from django.test import Client

    found = {}
    for role, email in ROLES.items():
        client = Client()
        if email is not None:
            client.force_login(get_user_model().objects.get(email=email))
        found[role] = {name: morsel.value for name, morsel in client.cookies.items()}
    return found


# --- asking ----------------------------------------------------------------------------------------------------------


class Asker:
    """Asks as each role; whatever an answer wrote is taken back, so that the order of asking does not matter."""

    def __init__(self) -> None:
        self.cookies = sessions()
        self.cache: dict[tuple[str, str], tuple[int, str]] = {}

    def ask(self, role: str, address: str) -> tuple[int, str]:
        """(status, text before normalising)."""
        if (role, address) not in self.cache:
            self.cache[role, address] = self._ask(role, address)
            if len(self.cache) % 500 == 0:
                print(f"{len(self.cache):,} answers, {time.process_time():.0f} s of processor time", file=sys.stderr)
        return self.cache[role, address]

    def _ask(self, role: str, address: str) -> tuple[int, str]:
        from django.db import transaction
        from django.test import Client

        from accounts.caches import volatile

        volatile.clear()
        client = Client(raise_request_exception=False)
        for name, value in self.cookies[role].items():
            client.cookies[name] = value
        with transaction.atomic():
            answer = client.get(address)
            body = b"".join(answer.streaming_content) if answer.streaming else answer.content  # type: ignore[arg-type]
            transaction.set_rollback(True)
        kept = {name: answer.headers.get(name) for name in ("Content-Type", "Content-Disposition", "Location")}
        head = "".join(f"{name}: {value}\n" for name, value in kept.items() if value)
        return answer.status_code, f"{head}\n{readable(body, kept['Content-Type'] or '')}"


@cache
def shape(address: str) -> tuple[str, str]:
    """What addresses share that differ in numbers and values only: the path without numbers, the query's names."""
    parts = urlsplit(address)
    return re.sub(r"/\d+(?=/|$)", "/#", parts.path), " ".join(sorted(name for name, _ in parse_qsl(parts.query)))


def crawl(asker: Asker, first: Iterable[str], only: str) -> set[str]:
    """`first` and every address that some role finds by following links, at most MOST_ALIKE of each shape."""
    found, shapes = set(first), Counter(map(shape, first))
    queries = Counter(shape(address)[0] for address in first)
    waiting = sorted(found)
    while waiting:
        address = waiting.pop(0)
        for role in ROLES:
            status, text = asker.ask(role, address)
            if status == 405:  # no GET, for nobody
                found.remove(address)
                break
            if status != 200 or "text/html" not in text[:60]:
                continue
            for link in LINK.findall(text):
                linked = urljoin(address, unescape(link))
                if linked in found or NOT_FOLLOWED.search(linked) or not re.search(only, linked):
                    continue
                if shapes[shape(linked)] >= MOST_OF_A_SHAPE or queries[shape(linked)[0]] >= MOST_QUERIES:
                    continue
                shapes[shape(linked)] += 1
                queries[shape(linked)[0]] += 1
                found.add(linked)
                waiting.append(linked)
    return found


def patterns() -> Iterator[tuple[str, list[str]]]:
    """(name, names of its arguments) of every URL pattern."""
    from django.urls import URLPattern, URLResolver, get_resolver

    def walk(resolver: URLResolver, namespace: str) -> Iterator[tuple[str, list[str]]]:
        for pattern in resolver.url_patterns:
            if isinstance(pattern, URLPattern):
                yield f"{namespace}{pattern.name}", list(pattern.pattern.regex.groupindex)
            else:
                yield from walk(pattern, f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace)

    yield from walk(get_resolver(), "")


def filled_in(campaigns: list[str]) -> set[str]:
    """An address of every pattern for each campaign; arguments that are keys are 1, the first row of its table."""
    from django.urls import NoReverseMatch, reverse

    values = ARGUMENTS | {"campaign": campaigns}
    found = set()
    for name, arguments in patterns():
        for chosen in product(*(values.get(argument, [1]) for argument in arguments)):
            try:
                found.add(reverse(name, kwargs=dict(zip(arguments, chosen, strict=True))))
            except NoReverseMatch:  # a pattern without a name, or one whose arguments have another form
                continue
    return {address for address in found if not NOT_FOLLOWED.search(address)}


def exports(asker: Asker, campaigns: list[str]) -> list[str]:
    """The address of every kind of export: for each campaign and for none, and with every option for one campaign.

    An export is asked for the options that it has; others are refused.
    """
    from adjudication.exporting.options import option_fields
    from adjudication.exporting.registry import EXPORTERS

    kinds = json.loads(asker.ask("manager", "/api/collections/demo/exports/")[1].partition("\n\n")[2])
    wanted = [*product(["", *campaigns], PLAIN), *product([FULL], OPTIONS)]
    found: dict[str, None] = {}  # each once, in this order
    for kind, (campaign, options) in product(kinds, wanted):
        own = option_fields([each for each in EXPORTERS.values() if each.format == kind["name"]])
        asked = {"campaign": campaign, **options} if campaign else options
        query = urlencode({name: value for name, value in asked.items() if name in own})
        found[f"/api/collections/demo/exports/{kind['name']}/?{query}"] = None
    return list(found)


# --- texts and hashes ------------------------------------------------------------------------------------------------


def take(directory: Path, only: str) -> dict[str, tuple[int, str]]:
    """{name: (status, normalised text)} of everything; a name is an address without keys, its place, and a role."""
    from annotation.models import Campaign

    campaigns = list(Campaign.objects.order_by("slug").values_list("slug", flat=True))
    asker = Asker()
    pages = crawl(asker, {address for address in filled_in(campaigns) | {"/"} if re.search(only, address)}, only)
    asked = [(address, role) for address in pages for role in ROLES]
    asked += [(address, "manager") for address in exports(asker, campaigns) if re.search(only, address)]
    seen: Counter[str] = Counter()
    found = {}
    for address, role in sorted(asked, key=lambda each: [(len(part), part) for part in re.split(r"(\d+)", each[0])]):
        status, text = asker.ask(role, address)
        name = f"{normalised(address, ())} as {role}"
        seen[name] += 1
        text = normalised(text, [str(directory)])
        found[name + (f" ({seen[name]})" if seen[name] > 1 else "")] = (status, text)
    return found


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def write(found: dict[str, tuple[int, str]], out: Path) -> None:
    """The hashes to `out`, each text once to the folder next to it, under its hash."""
    folder = out.with_suffix(".texts")
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    hashes = {}
    for name, (status, text) in sorted(found.items()):
        hashes[name] = {"status": status, "sha256": digest(text)}
        (folder / digest(text)).write_bytes(text.encode())
    out.write_text(json.dumps(hashes, indent=1, ensure_ascii=False) + "\n")


def compare(found: dict[str, tuple[int, str]], base: Path, renames: list[tuple[str, str]], only: str) -> int:
    """Print what differs from `base`; equal differences once. The number of names that differ."""
    folder = base.with_suffix(".texts")

    def asked_for(name: str) -> bool:
        return bool(re.search(only, name.rpartition(" as ")[0]))

    def renamed(text: str) -> str:
        for old, new in renames:
            text = re.sub(old, new, text)
        return text

    before = {renamed(name): row for name, row in json.loads(base.read_text()).items() if asked_for(name)}
    differences: dict[str, list[str]] = {}
    for name in sorted(before.keys() | found.keys()):
        if name not in found or name not in before:
            differences.setdefault("only in the base" if name in before else "only here", []).append(name)
            continue
        status, text = found[name]
        old = renamed((folder / before[name]["sha256"]).read_bytes().decode())
        if (status, text) != (before[name]["status"], old):
            lines = difflib.unified_diff(old.splitlines(), text.splitlines(), "base", "here", n=1, lineterm="")
            changed = [line for line in lines if not line.startswith("@@")][2:]
            head = [f"status {before[name]['status']} -> {status}"] * (status != before[name]["status"])
            differences.setdefault("\n".join((head + changed)[:MOST_LINES]), []).append(name)
    for text, names in sorted(differences.items(), key=lambda each: -len(each[1])):
        print(f"--- {len(names)}: " + "\n        ".join(names[:6]) + (" …" if len(names) > 6 else "") + f"\n{text}\n")
    number = sum(map(len, differences.values()))
    print(f"{len(found):,} answers, {number:,} differ from {base.name} in {len(differences):,} ways.")
    return number


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, metavar="FILE")
    parser.add_argument("--against", type=Path, metavar="FILE")
    parser.add_argument("--only", default="", metavar="REGEX", help="ask only for addresses in which this is found")
    parser.add_argument("--rename", nargs=2, action="append", default=[], metavar=("OLD", "NEW"))
    options = parser.parse_args()
    if not (options.out or options.against):
        parser.error("give --out, --against, or both")
    with tempfile.TemporaryDirectory(prefix="litmus-fingerprint-") as name:
        directory = Path(name)
        prepare_environment(directory)
        import django
        from django.conf import settings

        from config import embedded
        from config.apps import close_pools

        with embedded.running(settings.DATA_DIR, settings.EMBEDDED_SERVERS):
            django.setup()
            stop_the_clock()
            load_demo()
            found = take(directory, options.only)
            close_pools()
    if options.out:
        write(found, options.out)
        print(f"{len(found):,} answers written to {options.out}.", file=sys.stderr)
    return int(bool(options.against and compare(found, options.against, options.rename, options.only)))


if __name__ == "__main__":
    sys.exit(main())
