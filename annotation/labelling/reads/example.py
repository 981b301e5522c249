"""The labelling screen with one item, as an annotator saw it before judging anything: for pictures of it."""

import html
import json
import re
from base64 import b64encode
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.template.loader import render_to_string

from annotation.assignment.reads.participation import Participation, Scale
from annotation.campaigns.reads.preferences import DEFAULT_DELAY, Preferences, usual_keys
from annotation.labelling.reads.labelling import Progress, screen_context
from annotation.labelling.reads.units import Unit, fetch_units
from annotation.models import (
    Annotator,
    AnnotatorKind,
    AnnotatorState,
    Assignment,
    Campaign,
    CampaignState,
    Order,
    Strategy,
)

LINKED = re.compile(r'<link rel="stylesheet" href="([^"]+)">')
PART = re.compile(r'@import url\("([\w/-]+\.css)"\);')
PICTURED = re.compile(r'(<img src=")([^"]+)"')
INVISIBLE = re.compile(r"<(script|template)\b.*?</\1>|<link\b[^>]*>", re.DOTALL)
TEXT = re.compile(r"(<style>.*?</style>|<[^>]*>)", re.DOTALL)
ADDRESS = re.compile(r'(\s(?:href|action|formaction)=")[^"#][^"]*"')
ATTRIBUTE = re.compile(r'(\s(?:value|placeholder|title|alt|content|aria-label|data-[\w-]+)=")([^"]*)"')
# No script runs and nothing is loaded, whatever the texts hold.
RULES = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
POLICY = f'<meta http-equiv="Content-Security-Policy" content="{RULES}">'


def example_screen(campaign: Campaign, clean: Callable[[str], str]) -> str | None:
    """One HTML file that needs no other, without scripts; None where nothing was assigned to a person yet, and for
    kinds that have a screen of their own.

    `clean` takes names out of every text. No answer, note or progress of anybody is in it.
    """
    first = Assignment.objects.filter(item__campaign=campaign, annotator__kind=AnnotatorKind.HUMAN, repeat=0)
    assignment = first.order_by("item", "pk").select_related("annotator", "item").first()
    if campaign.kind_object.labelling is None or assignment is None or assignment.annotator is None:
        return None
    participation = _newcomer(campaign, assignment.annotator)
    page = render_to_string("annotation/labelling/label_screen.html", _context(campaign, participation, assignment))
    return _with_clean_texts(_in_one_file(page), clean)


def _newcomer(campaign: Campaign, annotator: Annotator) -> Participation:
    """The annotator on the first day of the open campaign."""
    newest = campaign.guidelines.order_by("-version").first()
    version = newest.version if newest else 0
    return Participation(
        annotator=annotator.pk,
        annotator_state=AnnotatorState.ACTIVE,
        guideline_seen=version,
        queue_position=0,
        campaign=campaign.pk,
        collection=campaign.collection_id,
        is_archived=False,
        kind=campaign.kind_object,
        options=json.dumps(campaign.options),
        campaign_state=CampaignState.OPEN,
        is_queue=campaign.strategy == Strategy.QUEUE,
        by_document=campaign.order == Order.BY_DOCUMENT and campaign.kind_object.has_orders,
        lease=timedelta(minutes=campaign.lease_minutes),
        guideline=version,
        scales=tuple(
            Scale(one.pk, one.key, one.label, {level.value: level.reasons for level in one.levels.all()})
            for one in campaign.criteria.prefetch_related("levels")
        ),
    )


def _context(campaign: Campaign, participation: Participation, assignment: Assignment) -> dict[str, Any]:
    return screen_context(
        campaign,
        participation,
        unit=_unjudged(participation, assignment),
        progress=Progress(0, Assignment.objects.filter(annotator=participation.annotator, repeat=0).count(), None),
        preferences=Preferences(shortcuts=True, highlights=True, delay=DEFAULT_DELAY, keys=usual_keys()),
        empty="",
        median_seconds=None,
        last=None,
        data={},
        csrf_token="none",  # noqa: S106 - a picture sends nothing
    )


def _unjudged(participation: Participation, assignment: Assignment) -> Unit | None:
    """The unit of the assignment as it was before it was judged."""
    ids = [assignment.pk]
    if participation.by_document:
        same = Assignment.objects.filter(
            annotator=participation.annotator, repeat=0, item__topic=assignment.item.topic_id
        )
        ids = list(same.filter(item__document=assignment.item.document_id).order_by("pk").values_list("pk", flat=True))
    units = fetch_units(participation, [ids])
    for unit in units:
        for cell in unit["cells"]:
            cell |= {"answer": None, "base": None, "done": False}
    return units[0] if units else None


def _in_one_file(page: str) -> str:
    """The page with its styles and pictures inside, without scripts."""
    page = LINKED.sub(lambda found: f"<style>{_sheet(found[1])}</style>", page)
    page = PICTURED.sub(lambda found: f'{found[1]}{_data_of(found[2])}"', page)
    return INVISIBLE.sub("", page).replace('<meta charset="utf-8">', f'<meta charset="utf-8">{POLICY}', 1)


def _data_of(address: str) -> str:
    return f"data:image/svg+xml;base64,{b64encode(_static(address)).decode()}"


def _sheet(address: str) -> str:
    """A style sheet with the parts that it imports; those that are served have them already."""
    return PART.sub(lambda part: _sheet(urljoin(address, part[1])), _static(address).decode())


def _static(address: str) -> bytes:
    """A file of the program by its address."""
    name = address.removeprefix(settings.STATIC_URL)
    found = finders.find(name)
    return Path(found if isinstance(found, str) else staticfiles_storage.path(name)).read_bytes()


def _with_clean_texts(page: str, clean: Callable[[str], str]) -> str:
    """The page with `clean` texts between its tags and in them, and links that lead nowhere: addresses have names."""
    parts = TEXT.split(page)
    parts[::2] = [html.escape(clean(html.unescape(text)), quote=False) for text in parts[::2]]
    parts[1::2] = [tag if tag.startswith("<style>") else _clean_tag(tag, clean) for tag in parts[1::2]]
    return "".join(parts)


def _clean_tag(tag: str, clean: Callable[[str], str]) -> str:
    def cleaned(found: re.Match[str]) -> str:
        text = html.unescape(found[2])
        without = clean(text)
        return found[0] if without == text else f'{found[1]}{html.escape(without)}"'

    return ADDRESS.sub(r'\1#"', ATTRIBUTE.sub(cleaned, tag))
