"""The figures of /metrics as tables for people."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.template.defaultfilters import filesizeformat
from prometheus_client.metrics_core import Metric

from accounts.counting import decimal
from accounts.queues import Queue
from accounts.refusals import Reason
from config.watching.figures import registry

LONG = 600  # seconds that a quick job may wait
WAITED = ("litmus_oldest_waiting_job_seconds", Queue.QUICK)
SLOWEST = 25  # pages shown, those that took most time in all first
OF_JOBS = ("litmus_jobs", "litmus_waiting", "litmus_oldest", "litmus_queue", "litmus_workers")
# What to read: the words of the link, and the section of the documentation about running Litmus.
WRONG = ("When something is wrong", "#when-something-is-wrong")
AWAY = ("While Redis is away", "#while-redis-is-away")
WORKERS = ("How to start a worker", "#workers")
WATCHING = ("What the figures mean", "#watching")


@dataclass(frozen=True)
class Figure:
    """One number: what it is of (labels, in their order), and its value."""

    of: tuple[str, ...]
    value: float
    words: str  # of the value: with a unit, yes or no


@dataclass(frozen=True)
class FigureTable:
    """One family of figures: its name in Prometheus, what it means, the names of its labels."""

    name: str
    meaning: str
    labels: tuple[str, ...]
    figures: list[Figure]

    @property
    def is_of_jobs(self) -> bool:
        """Whether it is about background jobs, their queues and workers."""
        return self.name.startswith(OF_JOBS)


@dataclass(frozen=True)
class PageFigures:
    """Requests of one page since the web server started: how many, how many failed, mean seconds, seconds in all."""

    view: str
    requests: int
    failed: int
    mean: float
    seconds: float


def read_figures() -> tuple[list[FigureTable], list[PageFigures]]:
    """Everything that is not of requests, in order; then the pages that took most time."""
    families = {family.name: family for family in registry().collect()}
    requests = families.pop("litmus_http_requests", None)
    seconds = families.pop("litmus_http_request_seconds", None)
    tables = [_table(family) for family in families.values() if family.samples]
    return tables, _pages(requests, seconds) if requests and seconds else []


def find_troubles(tables: list[FigureTable]) -> list[Reason]:
    """What an operator should look at now, with the documentation of it; none where all is as it should be."""
    found = {table.name: sum(figure.value for figure in table.figures) for table in tables}
    by_queue = {(table.name, *each.of): each.value for table in tables for each in table.figures}
    waits = [each.value for table in tables for each in table.figures if each.of == ("waiting",)]
    rules = {
        _documented("PostgreSQL did not answer in time.", *WRONG): not found.get("litmus_database_up"),
        _documented("Redis did not answer, so background jobs wait.", *AWAY): not found.get("litmus_queue_up"),
        _documented("No worker answered, so background jobs wait.", *WORKERS): found.get("litmus_workers", 1) == 0,
        _documented("A quick background job has waited for more than ten minutes.", *WORKERS): (
            by_queue.get(WAITED, 0) > LONG and found.get("litmus_workers", 1) > 0
        ),
        **{
            _documented(f"No worker serves the queue {queue}, so its jobs wait.", *WORKERS): (
                by_queue.get(("litmus_workers", queue), 1) == 0 and found["litmus_workers"] > 0
            )
            for queue in Queue
        },
        _documented("Requests wait for a connection to the database.", *WATCHING): any(waits),
    }
    return [reason for reason, is_so in rules.items() if is_so]


def _documented(words: str, label: str, section: str) -> Reason:
    return Reason(words, label, "documentation_page", "operations/", after=section)


def _table(family: Metric) -> FigureTable:
    figures = [
        Figure(tuple(sample.labels.values()), sample.value, _words(family.name, sample.value))
        for sample in family.samples
    ]
    return FigureTable(family.name, family.documentation, tuple(family.samples[0].labels), figures)


def _words(name: str, value: float) -> str:
    if name.endswith("_up"):
        return "yes" if value else "no"
    if name.endswith("_seconds"):
        return str(timedelta(seconds=round(value)))  # 940 days, 14:24:48
    return filesizeformat(value) if name.endswith("_bytes") else decimal(value, 0)


def _pages(requests: Metric, seconds: Metric) -> list[PageFigures]:
    counted: dict[str, Any] = {}
    for sample in requests.samples:
        if sample.name.endswith("_total"):
            found = counted.setdefault(sample.labels["view"], [0, 0])
            found[0] += int(sample.value)
            found[1] += int(sample.value) * sample.labels["status"].startswith("5")
    sums = {each.labels["view"]: each.value for each in seconds.samples if each.name.endswith("_sum")}
    pages = [
        PageFigures(view, asked, failed, sums.get(view, 0) / asked, sums.get(view, 0))
        for view, (asked, failed) in counted.items()
    ]
    return sorted(pages, key=lambda page: -page.seconds)[:SLOWEST]
