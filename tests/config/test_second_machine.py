"""A walk with docs/operations.md alone: a second machine comes, shows in the figures, and goes while people judge."""

import os
import re
import shlex
import sys
import threading
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families

from annotation.models import Judgment, Strategy, Submission
from tests.factories.labelling import build_work
from tests.machines import Judge
from tests.printed import ROOT
from tests.processes import Child, child_environment, free_port, start_celery_worker, wait_for, web_process

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.django_db(transaction=True)]
TOKEN = "a token that is long enough to be a secret"
PAGE = (ROOT / "docs/operations.md").read_text().partition("## A second machine")[2].partition("\n## ")[0]
ITEMS = 40


def figures(address: str) -> dict[tuple[str, ...], float]:
    with urlopen(Request(f"{address}/metrics", headers={"Authorization": f"Bearer {TOKEN}"})) as answer:
        families = text_string_to_metric_families(answer.read().decode())
        return {(each.name, *each.labels.values()): each.value for family in families for each in family.samples}


def workers(address: str) -> float:
    return figures(address)["litmus_workers", "quick"]


def test_it_comes_shows_and_goes_without_losing_a_label(real_queues: None, bucket_url: str, tmp_path: Path) -> None:
    known = child_environment(LITMUS_BUCKET_URL=bucket_url, LITMUS_METRICS_TOKEN=TOKEN)
    known["LITMUS_SITE_URL"] = "http://127.0.0.1"
    # What the page names, and nothing else of ours.
    named = {name: known[name] for name in re.findall(r"^ +([A-Z_]+)=", PAGE, re.MULTILINE)}
    assert "LITMUS_DATA_DIR" not in named
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("LITMUS_", "DJANGO_"))}
    environment = bare | named | {"LITMUS_WORKER_PROCESSES": "1", "LITMUS_WEB_PROCESSES": "1"}  # cheaper
    built = build_work(items=ITEMS, overlap=2, strategy=Strategy.QUEUE)
    port = free_port()
    printed = re.search(r"^ +litmus (.* up .*)$", PAGE, re.MULTILINE)
    assert printed is not None
    words = shlex.split(printed[1].replace("/srv/litmus", str(tmp_path / "second")).replace("8000", str(port)))
    first = start_celery_worker(tmp_path / "worker.log", name="first")
    with web_process(tmp_path / "web.log", patient=False, LITMUS_METRICS_TOKEN=TOKEN) as (address, _):
        assert workers(address) == 1
        up = Child([sys.executable, "-m", "litmus_ir", *words], tmp_path / "up.log", environment)
        try:
            up.wait_for_output("Ctrl-C")
            second = f"http://127.0.0.1:{port}"
            wait_for(lambda: workers(second) == 2, what="the workers of the second machine")
            people = [Judge(built, name, [second, address]) for name in built.annotators]
            for person in people:
                person.start()
            wait_for(lambda: Judgment.objects.count() >= ITEMS, what="half of the judgments")
            assert any(name == "litmus_http_requests_total" and "POST" in labels for name, *labels in figures(second))
            leaving = threading.Thread(target=up.stop)
            leaving.start()
            for person in people:
                person.join(120)
            leaving.join(120)
            assert up.process.returncode == 0, up.output
        finally:
            up.kill()
        wait_for(lambda: workers(address) == 1, what="the figures without the second machine")
    assert first.stop() == 0
    assert [person.error for person in people] == [""] * len(people)
    confirmed = sorted(one for person in people for one in person.confirmed)
    assert len(confirmed) == Judgment.objects.count() == 2 * ITEMS
    assert confirmed == sorted(Submission.objects.values_list("uuid", flat=True))
