"""Pages of releases: list, check list, statement, one release, explained lines; and the public pages."""

import re
from pathlib import Path
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.counting import counted, named
from accounts.files.storage import download
from accounts.refusal_messages import refusals_in_form, refusals_in_message
from accounts.refusals import Refused, refusal_reason
from adjudication.models import Release
from adjudication.releases.archive import archive_of, entries_of, file_of, grouped, text_of
from adjudication.releases.explaining import explain, judged_documents, probability_sentence, withheld_of
from adjudication.releases.forms import StatementForm
from adjudication.releases.releases import (
    close_release,
    open_for_reviewers,
    open_release,
    state_facts,
)
from adjudication.releases.rules import check_can_open, check_can_read_release
from adjudication.releases.statement import answers_of, unanswered
from adjudication.releases.uploading import archive_stem, upload_commands
from adjudication.verdicts.road import fetch_road
from corpus.collections.pages.context import collection_context
from corpus.collections.rules import check_can_manage, fetch_manager, fetch_membership
from corpus.models import Membership
from engines.text.markdown import render_markdown

PER_PAGE = 50
# What readers of an opened release look for first.
CITATION = "CITATION.cff"  # only where somebody stated who made the collection
CITED_HEADING = re.compile(r"^> #+ +(.+?)[ #]*$", re.MULTILINE)
TO_READ = (("DATASHEET.md", "Datasheet"), ("REVIEWERS.md", "Appendix for reviewers"))


@require_safe
def release_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Every release, newest first, and the one that is being made."""
    membership = _reader(request, slug)
    releases = list(membership.collection.releases.order_by("-pk"))
    context = collection_context(membership, "releases") | {
        "releases": [each for each in releases if each.is_frozen],
        "job": releases[0] if releases and not releases[0].is_frozen else None,
        "is_under_way": bool(releases) and not releases[0].is_final,
        "unanswered": unanswered(answers_of(membership.collection)),
        "road": fetch_road(membership.collection),
    }
    return render(request, "adjudication/releases/release_list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def statement_edit(request: HttpRequest, slug: str) -> HttpResponse:
    """What only people know: asked once, printed in each release."""
    membership = fetch_manager(request.user, slug)
    answers, language = answers_of(membership.collection), membership.collection.language
    form = StatementForm(request.POST if request.method == "POST" else None, answers=answers, language=language)
    if request.method == "POST" and form.is_valid():
        with refusals_in_form(form):
            state_facts(
                collection=membership.collection, answers=form.cleaned_data, by=membership.user, at=timezone.now()
            )
            return redirect("release_list", slug)
    context = collection_context(membership, "releases", form=form, unanswered=unanswered(answers))
    status = 422 if request.method == "POST" else 200
    return render(request, "adjudication/releases/statement_form.html", context, status=status)


@require_safe
def release_detail(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """One release: what is in it, what changed, its files, who may see it."""
    membership, release = _release(request, slug, name)
    context = collection_context(membership, "releases") | {
        "release": release,
        "folders": grouped(entries_of(release, anonymous=False)),
        "files_base": reverse("release_file", args=[slug, name, "x"])[:-1],
        "no_opening": refusal_reason(check_can_open, release),
        "changes": release.summary.get("changes", []),
        "archive_stem": archive_stem(release, anonymous=False),
        "upload_commands": upload_commands(release),
        "blocking": [one for one in release.findings if one["blocking"]],
    }
    return render(request, "adjudication/releases/release_detail.html", context)


@require_safe
def release_archive(request: HttpRequest, slug: str, name: str) -> HttpResponseBase:
    """All files as one ZIP archive; `?anonymous=1` is the variant without names."""
    _, release = _release(request, slug, name)
    return zip_of(release, anonymous=request.GET.get("anonymous") == "1")


@require_safe
def release_file(request: HttpRequest, slug: str, name: str, path: str) -> HttpResponseBase:
    """One file of the release."""
    _, release = _release(request, slug, name)
    return _file(release, path, anonymous=request.GET.get("anonymous") == "1")


@require_POST
def release_publish(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Open or close the public page, or the address for reviewers: `to` is public, nobody, reviewers, no-reviewers."""
    membership, release = _release(request, slug, name)
    check_can_manage(membership)
    who: dict[str, Any] = {"release": release, "by": membership.user, "at": timezone.now()}
    with refusals_in_message(request):
        match request.POST.get("to", ""):
            case "public":
                open_release(**who)
            case "nobody":
                close_release(**who)
            case "reviewers" | "no-reviewers" as to:
                open_for_reviewers(**who, is_open=to == "reviewers")
            case _:
                raise Refused("Choose who can open the release.")
    return redirect("release_detail", slug, name)


@require_safe
def line_detail(request: HttpRequest, slug: str) -> HttpResponse:
    """One judged pair, explained: `?topic=` and `?docno=`; without `docno` the documents judged with the topic."""
    membership = _reader(request, slug)
    number, docno = request.GET.get("topic", "").strip(), request.GET.get("docno", "").strip()
    context = collection_context(membership, "releases", number=number, docno=docno)
    context["withheld"] = withheld_of(membership.collection)
    try:
        if number and docno:
            context["found"] = _shown(explain(membership.collection, number, docno), membership)
        elif number:
            judged = judged_documents(membership.collection, number)
            context["page"] = context["judged"] = Paginator(judged, PER_PAGE).get_page(request.GET.get("page"))
    except Refused as refusal:
        context["reason"] = refusal.reason
    return render(request, "adjudication/releases/line_detail.html", context)


@login_not_required
@require_safe
def opened_release(request: HttpRequest, **address: str) -> HttpResponse:
    """The public page of an opened release; at the address for reviewers, that of the anonymous variant."""
    release, anonymous = _opened(**address)
    pages, where = "reviewing" if anonymous else "public", list(address.values())
    card = text_of(release, "README.md", anonymous=anonymous).split("---\n", 2)[-1].lstrip()
    title, _, body = card.partition("\n")
    entries = entries_of(release, anonymous=anonymous)
    paths = {one["path"] for one in entries}
    context = {
        "release": release,
        "anonymous": anonymous,
        "to_read": TO_READ,
        "heading": title.removeprefix("# "),
        "card": mark_safe(render_markdown(body)),  # noqa: S308 - sanitised there
        "citation": text_of(release, CITATION, anonymous=anonymous) if CITATION in paths else "",
        "folders": grouped(entries),
        "files_base": reverse(f"{pages}_file", args=[*where, "x"])[:-1],
        "archive": reverse(f"{pages}_archive", args=where),
    }
    return _hidden(render(request, "adjudication/releases/public_release.html", context), anonymous=anonymous)


@login_not_required
@require_safe
def opened_archive(_: HttpRequest, **address: str) -> HttpResponseBase:
    """All its files."""
    release, anonymous = _opened(**address)
    return zip_of(release, anonymous=anonymous)


@login_not_required
@require_safe
def opened_file(request: HttpRequest, path: str, **address: str) -> HttpResponseBase:
    """One of its files; `?read` shows the datasheet or the appendix as a page."""
    release, anonymous = _opened(**address)
    if "read" not in request.GET or path not in dict(TO_READ):
        return _file(release, path, anonymous=anonymous)
    title, _, body = text_of(release, path, anonymous=anonymous).partition("\n")
    context = {
        "heading": title.removeprefix("# "),
        # Headings of cited guidelines stand in bold: they are none of this page.
        "text": mark_safe(render_markdown(CITED_HEADING.sub(r"> **\1**", body))),  # noqa: S308 - sanitised there
        "back": reverse("reviewing_release" if anonymous else "public_release", args=list(address.values())),
    }
    return _hidden(render(request, "adjudication/releases/public_text.html", context), anonymous=anonymous)


def _hidden(response: HttpResponse, *, anonymous: bool) -> HttpResponse:
    """No search engine lists the address of reviewers, and no other site learns it."""
    if anonymous:
        response["X-Robots-Tag"] = "noindex"
        response["Referrer-Policy"] = "no-referrer"
    return response


def zip_of(release: Release, *, anonymous: bool) -> HttpResponseBase:
    """All files of the variant in one archive, as a download."""
    answer = StreamingHttpResponse(archive_of(release, anonymous=anonymous), content_type="application/zip")
    answer["Content-Disposition"] = f'attachment; filename="{archive_stem(release, anonymous=anonymous)}.zip"'
    answer["X-Accel-Buffering"] = "no"
    return answer


def _file(release: Release, path: str, *, anonymous: bool) -> HttpResponseBase:
    found = file_of(release, path, anonymous=anonymous)
    if found is None:
        raise Http404
    return download(found, Path(path).name)


def _opened(slug: str = "", name: str = "", token: str = "") -> tuple[Release, bool]:
    """(the public release of that name, False), or (the one that reviewers have this token of, True)."""
    frozen = Release.objects.frozen().select_related("collection")
    if token:
        return get_object_or_404(frozen, anonymous_token=token), True
    return get_object_or_404(frozen, public_at__isnull=False, collection__slug=slug, name=name), False


def _reader(request: HttpRequest, slug: str) -> Membership:
    membership = fetch_membership(request.user, slug)
    check_can_read_release(membership)
    return membership


def _release(request: HttpRequest, slug: str, name: str) -> tuple[Membership, Release]:
    membership = _reader(request, slug)
    release = get_object_or_404(membership.collection.releases.frozen(), name=name)
    release.collection = membership.collection
    return membership, release


def _shown(found: dict[str, Any], membership: Membership) -> dict[str, Any]:
    """The lines with PROV's keys as names that templates can read, and campaigns by their names."""
    names = dict(membership.collection.campaigns.values_list("slug", "name"))
    lines = [
        {
            **line,
            "campaign_name": names.get(line["campaign"], line["campaign"]),
            "pooled": _pooled(line.get("prov:wasDerivedFrom", [])),
            "decided": _decided(line.get("prov:wasGeneratedBy") or {}),
            "labels": [
                {**one, "who": one["prov:wasAttributedTo"], "is_former": kind != "labels"}
                for kind in ("labels", "former_labels")
                for one in line.get(kind, [])
            ],
        }
        for line in found["lines"]
    ]
    return {**found, "lines": lines}


def _pooled(sources: list[dict[str, Any]]) -> str:
    """Which methods retrieved the document."""
    named = (f"{one['method']} at rank {one['rank']:,}" if one.get("rank") else one["method"] for one in sources)
    return f"Pooled by {', '.join(named)}." if sources else "In no pool."


def _decided(decision: dict[str, Any]) -> SafeString | str:
    """How the value came about, or "" where votes have given none."""
    if not decision:
        return ""
    parts = [
        f"Decided: {decision['method']}",
        f"ties: {decision['ties']}" if decision.get("ties") else "",
        f"at least {counted(decision['min_votes'], 'vote')}" if decision.get("min_votes") else "",
        format_html("by {} in {}", named(decision["by"]), decision["decided"]) if decision.get("by") else "",
    ]
    cause = f" Cause: {decision['cause']}." if decision.get("cause") else ""
    comment = format_html(" “{}”", named(decision["comment"])) if decision.get("comment") else ""
    listed = format_html_join(", ", "{}", ((part,) for part in parts if part))
    return format_html("{}.{}{} {}", listed, cause, comment, probability_sentence(decision))
