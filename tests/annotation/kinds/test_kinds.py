"""Every campaign kind says all that pages, commands and the API ask of it; nothing else names a kind."""

import re
from argparse import ArgumentParser
from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.template.loader import get_template, render_to_string
from django.urls import reverse

from accounts.extensions import extensions
from accounts.refusals import Refused
from accounts.slots import tabs
from adjudication.procedure import procedures
from annotation.campaigns.commands.choice import add_choice_arguments, choice_of
from annotation.campaigns.lifecycle import create_campaign
from annotation.campaigns.preferences import KEYS
from annotation.kind import DEFAULT_KIND, Kind, kind_by_name, kinds, overlaps_in_words
from annotation.kinds.relevance.kind import DEFAULTS
from annotation.models import Campaign
from annotation.models.campaigns import KIND_CHOICES
from corpus.imports.registry import collection_importers
from engines.definitions.drafts import BadOptions, problems_of
from engines.text.markdown import render_markdown
from tests.factories.accounts import AT
from tests.factories.annotation import make_campaign, make_material
from tests.factories.corpus import CollectionFactory
from tests.processes import CHECKOUT

pytestmark = pytest.mark.django_db
EACH = pytest.mark.parametrize("kind", [pytest.param(name, id=name) for name, _ in KIND_CHOICES])


@EACH
def test_what_a_kind_names_exists(kind: str) -> None:
    found = kind_by_name(kind)
    labelling, view = found.labelling, found.item_view
    assert found.name == kind
    templates = [found.build_page, found.row]
    templates += [labelling.unit, labelling.cell] if labelling else []
    templates += [view.template, *filter(None, [view.more])] if view else []
    assert all(get_template(name) for name in templates)
    assert reverse(found.screen, args=["c", "k"])
    assert found.words.bring[0] in collection_importers()
    assert {*found.tabs} <= {tab.key for tab in tabs("campaign")}
    assert found.adjudication in procedures()
    assert labelling is None or not {*labelling.keys} & {*KEYS}
    # Either its items are graded on the shared screens, or it brings its own.
    assert bool(found.no_criteria) == (labelling is None)
    assert bool(procedures()[found.adjudication].screen) == (view is None)


@EACH
def test_a_campaign_of_each_kind_is_made_with_its_defaults(kind: str) -> None:
    found = kind_by_name(kind)
    campaign = create_campaign(collection=CollectionFactory(), by=None, at=AT, name="Main", kind=kind)
    assert (campaign.overlap, campaign.kind_object) == (found.overlap, found)
    assert campaign.criteria.count() == len(found.criteria)
    assert not found.criteria or problems_of(found.criteria) == []
    assert campaign.guidelines.get().body == found.guideline
    assert campaign.options == (found.options.read({}) if found.options else {})
    if not found.options:
        with pytest.raises(Refused, match="has no options"):
            create_campaign(collection=campaign.collection, by=None, at=AT, name="B", kind=kind, options={"a": 1})
    else:
        with pytest.raises(BadOptions):
            found.options.read({"nothing of it": 1})
    supply = found.items.fetch_supply(campaign)
    assert (supply.total, supply.taken, supply.left, supply.held_elsewhere) == (0, 0, 0, 0)


@EACH
def test_the_command_makes_each_kind_and_says_what_it_lacks(kind: str) -> None:
    collection, said = CollectionFactory(), StringIO()
    call_command("create_campaign", collection.slug, "Main", "--kind", kind, stderr=said, stdout=StringIO())
    assert Campaign.objects.get(collection=collection).kind == kind
    assert f"There are no {kind_by_name(kind).words.lacking}" in said.getvalue()
    with pytest.raises(CommandError, match=re.escape(kind_by_name(kind).words.nothing)):
        call_command("build_items", collection.slug, "main", stderr=said, stdout=StringIO())


def test_kinds_in_words_are_those_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in {*extensions("campaign_kinds")} - {"relevance", "rubric", "extraction"}:
        monkeypatch.delitem(extensions("campaign_kinds"), name)
    assert overlaps_in_words() == "3 for relevance, 1 for rubric and extraction"
    with pytest.raises(Refused, match="Supported: relevance, rubric, extraction"):
        kind_by_name("pairwise")


def test_kinds_are_chosen_by_what_they_are_like() -> None:
    assert [kind.name for kind in kinds()] == [DEFAULT_KIND, *(n for n, _ in KIND_CHOICES if n != DEFAULT_KIND)]
    for name, _ in KIND_CHOICES:
        create_campaign(collection=CollectionFactory(), by=None, at=AT, name="Main", kind=name)
    graded = set(Campaign.objects.graded().values_list("kind", flat=True))
    assert graded == {kind.name for kind in kinds() if not kind.no_criteria}
    for kind in kinds():
        alike = {each.name for each in kinds() if each.judges == kind.judges}
        assert {each.kind for each in Campaign.objects.judging(kind.judges)} == alike


def test_items_are_listed_by_the_columns_of_their_kind() -> None:
    """A kind without a separate row has its columns drawn, so it needs no template."""
    made = make_material(topics=1, aspects=1, documents=1)
    campaign = make_campaign(made)
    kind = replace(campaign.kind_object, row=Kind.row)
    row = render_to_string(kind.row, {"kind": kind, "item": campaign.items.get()})
    cells = [f'<td data-label="{label}"' for label in ("Topic", "Aspect", "Document")]
    assert [row.count(cell) for cell in cells] == [1, 1, 1]
    assert made.documents[0].docno in row
    assert row.count("<td") == 3


def test_kinds_may_choose_their_items_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    relevance = kind_by_name("relevance")
    novelty = replace(relevance, name="novelty")
    monkeypatch.setitem(extensions("campaign_kinds"), "novelty", novelty)
    parser = ArgumentParser()
    add_choice_arguments(parser)
    chosen = vars(parser.parse_args(["--topic", "3"]))
    assert choice_of(novelty, chosen) == choice_of(relevance, chosen) != novelty.takes_everything


def test_only_its_folder_and_one_line_name_a_kind() -> None:
    """A branch on a kind's name is a place that the next kind would have to find."""
    names = "|".join(name for name, _ in KIND_CHOICES)
    branch = re.compile(rf"kind\w* (==|!=|in|not in) .*\b({names})\b|is_({names})|has_criteria", re.IGNORECASE)
    found = []
    for folder in ("accounts", "corpus", "annotation", "adjudication", "templates", "static/js"):
        for path in (CHECKOUT / folder).rglob("*.*"):
            if path.suffix not in (".py", ".html", ".js") or {"migrations", "kinds"} & {*path.parts}:
                continue
            text = path.read_text("utf-8")
            found += [f"{path}: {match[0]}" for match in branch.finditer(text)]
    assert found == []


def test_a_kind_is_one_frozen_object() -> None:
    for kind in kinds():
        assert isinstance(kind, Kind)
        with pytest.raises(AttributeError):
            kind.overlap = 7  # type: ignore[misc]


def test_the_scale_and_the_guideline_of_relevance() -> None:
    assert problems_of(DEFAULTS.criteria) == []
    assert [level.value for criterion in DEFAULTS.criteria for level in criterion.levels] == [0, 1, 2]
    html = render_markdown(DEFAULTS.guideline)
    assert "<h2>Judging relevance</h2>" in html
    assert html.count("<li>") == 8
