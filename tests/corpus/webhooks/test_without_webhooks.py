"""Where no webhook waits for an event, no address is asked for: pages would be loaded for it, a second a process."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from adjudication.models import Release
from tests.adjudication.agreement.test_agreement import agree
from tests.adjudication.releases.releasing import freeze
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import build_campaign

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def test_commands_and_workers_load_no_pages(settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = settings.FILE_UPLOAD_TEMP_DIR = tmp_path
    settings.ROOT_URLCONF = "no_pages_here"  # who asks for an address fails
    built = build_campaign([[1, 1, 0]] * 4, topics=2)
    built.collection.licence = "CC BY 4.0"
    built.collection.save()
    papers = tmp_path / "papers.jsonl"
    papers.write_text('{"docno": "P1", "title": "On tea"}\n')
    call_command("import_documents", built.collection.slug, str(papers))
    vote(built)
    agree(built)
    call_command("close_campaign", built.collection.slug, built.campaign.slug)
    freeze(built, "v1")
    assert Release.objects.get().frozen_at
