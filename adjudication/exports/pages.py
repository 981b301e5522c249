"""Pages of exports: each with its findings, and the files as streams."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.db.models import Exists, OuterRef, prefetch_related_objects
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.counting import counted
from accounts.refusals import Reason, Refused, Remedy
from adjudication.exporting.exporter import CONTEXTS, JUDGMENTS, QUESTIONS, TRAINING, Exporter
from adjudication.exporting.findings import find, remedy_of
from adjudication.exporting.options import find_exporter, in_section, option_fields, options_of
from adjudication.exporting.registry import EXPORTERS
from adjudication.exports.downloads import download_export
from adjudication.exports.files import sent_name
from adjudication.labels.rules import why_cannot_take_out
from adjudication.models import ExportPrefixes
from adjudication.verdicts.road import fetch_road
from annotation.kind import Judged
from annotation.models import Assignment, AssignmentState
from corpus.collections.pages.context import collection_context
from corpus.collections.rules import fetch_overseer, is_manager
from corpus.models import Collection, Membership

AT_ONCE = ("select", "checkbox")  # fields that are applied when they change
SECTIONS = {
    JUDGMENTS: "Collection and judgments",
    QUESTIONS: "Question set",
    CONTEXTS: "Citation contexts",
    TRAINING: "Splits and training data",
}


@require_safe
def export_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Every export with its findings under the chosen options."""
    membership = fetch_overseer(request.user, slug)
    collection = membership.collection
    prefetch_related_objects([collection], "campaigns__criteria")  # most exports look for one of them
    words = _options_in_address(request, cards=False)
    leads = _leads(collection, words)
    memo: dict[Any, Any] = {}
    road = fetch_road(collection)
    order = sorted(SECTIONS, key=lambda section: section != leads)
    bars = _toolbars(collection, order, words)
    for bar in bars.values():
        if "campaign" in bar.fields:
            words["campaign"] = bar.initial["campaign"]
    sections: list[dict[str, Any]] = [
        {
            "key": key,
            "title": SECTIONS[key],
            "options": bars.get(key),
            "shares_options": key == leads == JUDGMENTS,
            "is_open": key == leads or (key in bars and any(name in request.GET for name in bars[key].fields)),
            "is_under_way": not road.is_walked,
            "anchor": f"blocks-{key}" + ("-more" if key == leads == JUDGMENTS else ""),
            "at_once": key in bars and all(_is_at_once(field) for field in bars[key].fields.values()),
            **_offers(membership, key, words, memo),
        }
        for key in order
        if key != CONTEXTS or collection.papers.exists()
    ]
    first, stands_above = _qrels_first(sections[0]) if leads == JUDGMENTS else (None, [])
    for section in sections:
        section["notes"] = _shared_notes(section["offers"])
    context = collection_context(membership, "exports") | {
        "campaign": collection.campaigns.filter(slug=words.get("campaign", "")).first(),
        "first": first,
        "first_blocks": stands_above,
        "sections": sections,
        "road": road,
        "broken": EXPORTERS.broken if is_manager(membership) else [],
        "missing": _missing(collection),
    }
    return render(request, "adjudication/exports/export_list.html", context)


@require_safe
def export_download(request: HttpRequest, slug: str, name: str) -> HttpResponseBase:
    """The file as a stream, for all who may see labels; 422 with every reason that stands in its way."""
    membership = fetch_overseer(request.user, slug)
    words = _options_in_address(request)
    exporter = find_exporter(name, words.get("level", ""))
    options = options_of(exporter, membership.collection, words, lenient=True)
    logged = request.method == "GET"
    export = download_export(options=options, membership=membership, at=timezone.now(), logged=logged)
    answer = StreamingHttpResponse(export.pieces, content_type=export.content_type)
    answer["Content-Disposition"] = f'attachment; filename="{export.filename}"'
    answer["X-Accel-Buffering"] = "no"
    return answer


def _leads(collection: Collection, words: dict[str, str]) -> str:
    """The section that people come for: by what the named campaign judges, else by what is worked on here.

    A campaign of papers is taken out of the options: files of judgments are about the others.
    """
    named = collection.campaigns.filter(slug=words.get("campaign", "")).first()
    if named is None:
        return _leads_unnamed(collection)
    if named.kind_object.judges == Judged.PAPERS:
        del words["campaign"]
        return CONTEXTS
    return QUESTIONS if named.kind_object.judges == Judged.QUESTIONS else JUDGMENTS


def _leads_unnamed(collection: Collection) -> str:
    """Contexts where papers alone are worked on; questions where nothing else was judged, or where they came rated and
    nothing is to be judged; else judgments."""
    if collection.papers.exists() and not collection.campaigns.graded().exists():
        return CONTEXTS
    done = Assignment.objects.filter(annotator__campaign=OuterRef("pk"), state=AssignmentState.DONE)
    judged = {each.kind_object.judges for each in collection.campaigns.filter(Exists(done))}
    came_rated = not collection.campaigns.exists() and collection.topics.filter(extra__has_key="quality").exists()
    return QUESTIONS if judged == {Judged.QUESTIONS} or came_rated else JUDGMENTS


def _qrels_first(section: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """TREC qrels, what most people come for, and what blocks them: both are taken out of the section."""
    first = section["offers"].pop(0)
    stands_above = [block for block in section["blocks"] if first["exporter"].short in block["labels"]]
    section["blocks"] = [block for block in section["blocks"] if block not in stands_above]
    if stands_above:
        first["reason"] = Reason(first["reason"])  # without a link to what stands just above it
    section["is_open"] = False
    return first, stands_above


def _shared_notes(offers: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is to be noted of several files: each once, with their labels, and taken out of their own notes."""
    found: dict[str, dict[str, Any]] = {}
    for offer in offers:
        for finding, remedy in offer["findings"]:
            note = found.setdefault(finding.text, {"finding": finding, "remedy": remedy, "labels": []})
            note["labels"].append(offer["exporter"].short)
    shared = {text: note for text, note in found.items() if len(note["labels"]) > 1}
    for offer in offers:
        offer["findings"] = [each for each in offer["findings"] if each[0].text not in shared]
    return list(shared.values())


def _options_in_address(request: HttpRequest, *, cards: bool = True) -> dict[str, str]:
    """The options in the address; without those of single cards where options of all exports are read."""
    known = (name for name, field in option_fields().items() if cards or not hasattr(field, "on_card"))
    return {name: request.GET[name] for name in known if name in request.GET}


def _toolbars(collection: Collection, order: Iterable[str], words: Mapping[str, str]) -> dict[str, forms.Form]:
    """The options above each section, as far as the collection has a choice; one that two share stands above both."""
    found: dict[str, forms.Form] = {}
    taken: set[str] = set()
    has_campaigns = collection.campaigns.exists()
    for section in order:
        exporters = [one for one in in_section(section) if has_campaigns or "campaign" not in one.form.base_fields]
        fields = {name: field for name, field in option_fields(exporters).items() if name not in taken}
        taken |= fields.keys()
        if form := _toolbar(collection, fields, words):
            found[section] = form
    return found


def _toolbar(collection: Collection, fields: Mapping[str, forms.Field], words: Mapping[str, str]) -> forms.Form | None:
    shown: dict[str, forms.Field] = {}
    values: dict[str, Any] = {}
    for name, field in fields.items():
        offered = field.offered(collection, values) if hasattr(field, "offered") else None
        if hasattr(field, "on_card") or offered == []:
            continue
        shown[name], values[name] = field, _value(field, name, words)
        field.help_text = ""  # written for the API and the command; here labels and choices say it
        if offered is not None:
            field.widget.choices = offered
            values[name] = values[name] or offered[0][0]
        if _is_at_once(field):
            field.widget.attrs["data-submit-on-change"] = True
    return type("Toolbar", (forms.Form,), shown)(initial=values, auto_id="x-%s", label_suffix="") if shown else None


def _is_at_once(field: forms.Field) -> bool:
    return field.widget.input_type in AT_ONCE


def _value(field: forms.Field, name: str, words: Mapping[str, str]) -> Any:
    """The value of the option: the requested one if it is valid, else the initial one."""
    try:
        found = field.clean(field.widget.value_from_datadict(words, {}, name))
    except forms.ValidationError:
        return field.initial
    return field.initial if found in (None, "") else found


def _missing(collection: Collection) -> list[str]:
    """Exports of which the collection remembers something, while the package that brought them is not installed."""
    names = ExportPrefixes.objects.filter(collection=collection).values_list("kind", flat=True)
    return sorted({EXPORTERS.label_of(name) for name in names if name not in EXPORTERS})


def _offers(
    membership: Membership, section: str, words: Mapping[str, str], memo: dict[Any, Any]
) -> dict[str, list[dict[str, Any]]]:
    """The exports of a section, and what blocks some of them."""
    every = [_offer(membership, exporter, words, memo) for exporter in in_section(section)]
    blocks = _blocks(every)
    for offer in every:
        if offer["blocked_by"]:
            text = f"{counted(len(offer['blocked_by']), 'finding')} above to correct first."
            offer["reason"] = Reason(text, "See what blocks", address=f"#blocks-{section}")
    return {"offers": every, "blocks": blocks}


def _blocks(offers: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What stands in the way of these exports: each once, with its remedy and the exports that it blocks."""
    found: dict[str, dict[str, Any]] = {}
    for offer in offers:
        for text, remedy in offer["blocked_by"]:
            block = found.setdefault(text, {"text": text, "remedy": remedy, "labels": []})
            block["labels"].append(offer["exporter"].short)
    return list(found.values())


def _named(reason: str) -> tuple[str, Remedy | None]:
    """A refusal as what blocks, with its remedy."""
    return str(reason), getattr(reason, "remedy", None)


def _offer(
    membership: Membership, exporter: Exporter, words: Mapping[str, str], memo: dict[Any, Any]
) -> dict[str, Any]:
    """One export: what is to be noted of it, and what blocks it."""
    try:
        options = options_of(exporter, membership.collection, words, lenient=True)
    except Refused as refusal:
        return {"exporter": exporter, "findings": [], "blocked_by": [_named(refusal.reason)]}
    campaigns = frozenset(exporter.campaigns(options))
    if campaigns not in memo:
        memo[campaigns] = why_cannot_take_out(membership, campaigns)
    if memo[campaigns]:
        return {"exporter": exporter, "findings": [], "blocked_by": [_named(memo[campaigns])]}
    findings = find(options, memo)
    remedies = [(finding, remedy_of(finding, options.campaign, membership.role)) for finding in findings]
    offer = {
        "exporter": exporter,
        "findings": [(finding, remedy) for finding, remedy in remedies if not finding.is_fatal],
        "blocked_by": [(finding.text, remedy) for finding, remedy in remedies if finding.is_fatal],
        "filename": sent_name(options, findings),
    }
    if card := exporter.card(options, findings):
        shown = {name: field for name, field in option_fields([exporter]).items() if name in card}
        for field in shown.values():
            field.help_text = ""
        form = type("Card", (forms.Form,), shown)(initial=card, auto_id=f"{exporter.format}-%s", label_suffix="")
        offer |= {"card": form, "hidden": {name: value for name, value in options.words.items() if value}}
    return offer
