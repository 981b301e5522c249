"""An import of papers in a separate process that is killed while it waits for a registry."""

import sys
from pathlib import Path
from threading import Event

import pytest

from accounts import jobs
from accounts.models import JobState
from annotation.papers.extractions import content_of
from corpus.models import ImportRun, Paper
from tests.annotation.papers.test_paper_links import TEI
from tests.factories.accounts import CollectionFactory
from tests.processes import PATIENCE, Child, child_environment, end_lease, renew_lease
from tests.stubs.registries import RegistryStub, Reply, crossref, item

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


def test_a_worker_killed_while_a_registry_thinks_leaves_nothing_and_goes_on_later(tmp_path: Path, settings) -> None:
    CollectionFactory(slug="tea")
    path = tmp_path / "tea.xml"
    path.write_text(TEI)
    asked = Event()
    answer = crossref(item("10.1/heat", "The heat of tea", family="Lee"))
    with RegistryStub([Reply(after=600, first=asked.set), answer]) as stub:
        environment = child_environment(LITMUS_CROSSREF_URL=stub.url)
        child = Child([sys.executable, "manage.py", "import_papers", "tea", str(path)], tmp_path / "log", environment)
        assert asked.wait(PATIENCE), child.output
        child.kill()
        run = ImportRun.objects.get()
        assert (run.state, Paper.objects.count()) == (JobState.RUNNING, 0)
        settings.CROSSREF_URL = stub.url
        renew_lease(run)
        jobs.carry_out(run)
        assert len(stub.calls) == 1  # the dead process has it still
        end_lease(run)
        jobs.carry_out(run)
        run.refresh_from_db()
    assert (run.state, run.created) == (JobState.DONE, 1)
    (reference,) = content_of(Paper.objects.get().extractions.get()).references
    assert reference.value == "10.1/heat"
    assert len(stub.calls) == 2
