"""One's own profile and API tokens, and the page of a background job of any kind."""

from datetime import timedelta
from typing import Any

from allauth.account.views import email, logout
from allauth.core import ratelimit
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import get_script_prefix
from django.utils import timezone, translation
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import jobs, mail
from accounts.actions import (
    cancel_job,
    close_mail_warning,
    create_token,
    revoke_token,
    set_theme,
    update_profile,
    vouch_for_address,
)
from accounts.digests import Notice
from accounts.first_account import GONE, WITH_DEMO, create_first_account, has_account, own_command
from accounts.forms import FirstAccountForm, LanguageForm, ProfileForm, ThemeForm, TokenForm
from accounts.job_kinds import JobKind, job_kinds
from accounts.models import ApiToken, JobState, TokenScope
from accounts.refusal_messages import refusals_in_form, refusals_in_message
from accounts.requests import OpenRequest, Request
from accounts.sign_on.adapter import signed_on_through
from accounts.sign_on.pages import leave_signed_out
from accounts.themes import COOKIE, Theme

BACKEND = "django.contrib.auth.backends.ModelBackend"
A_YEAR = 365 * 24 * 3600  # seconds


@require_http_methods(["GET", "POST"])
def profile(request: Request) -> HttpResponse:
    """Show and change one's own profile."""
    form = ProfileForm(request.POST if request.method == "POST" else None, user=request.user)
    if form.is_valid():
        name, theme = form.cleaned_data["name"], form.cleaned_data["theme"]
        mail_off = sorted(set(Notice.values) - set(form.cleaned_data["notices"]))
        chosen = {each: form.cleaned_data[each] for each in ("language", "theme", "shortcuts")}
        preferences = {**chosen, "mail_off": mail_off}
        update_profile(by=request.user, at=timezone.now(), name=name, preferences=preferences)
        with translation.override(chosen["language"]):
            messages.success(request, _("Profile saved."))
        answer = _with_theme(redirect("account_profile"), request, Theme(theme))
        return _with_language(answer, request, chosen["language"])
    shown = {"form": form, "has_sign_on": bool(settings.SIGN_ON)}
    return render(request, "accounts/profile.html", shown, status=422 if form.is_bound else 200)


@login_not_required
@require_http_methods(["GET", "POST"])
def first_account(request: OpenRequest) -> HttpResponse:
    """Make the first account of an empty Litmus, by the code that its server has printed.

    Once there is an account, by a command for example, this leads to signing in.
    """
    if has_account():
        if request.user.is_authenticated:
            return redirect(get_script_prefix())
        messages.info(request, GONE)
        return redirect("account_login")
    form = FirstAccountForm(request.POST if request.method == "POST" else None)
    if form.is_bound and not ratelimit.consume(request, action="first_account"):
        form.add_error(None, "Too many attempts. Wait a minute.")
    if form.is_valid():
        values = {name: form.cleaned_data[name] for name in ("code", "email", "name", "password")}
        with refusals_in_form(form, "code"):
            user = create_first_account(at=timezone.now(), **values)
            login(request, user, backend=BACKEND)
            messages.success(request, "Account created. It may create collections and sees all accounts.")
            return redirect(get_script_prefix())
    context = {"form": form, "with_demo": own_command(WITH_DEMO), "new_code": own_command("first_code")}
    return render(request, "accounts/first_account.html", context, status=422 if form.errors else 200)


@login_not_required
def sign_out(request: OpenRequest) -> HttpResponse:
    """Allauth's page; after it the browser forgets the pages and pictures that it has kept.

    Never "storage": labels that could not be sent yet wait there for their annotator.
    """
    provider = signed_on_through(request)
    response = logout(request)
    if request.method == "POST" and not request.user.is_authenticated:
        if "next" not in request.POST:  # else the person goes on here, as somebody else
            response = leave_signed_out(request, provider) or response
        response["Clear-Site-Data"] = '"cache"'
    return response


def change_email(request: Request) -> HttpResponse:
    """Allauth's page: the new address counts once the link sent to it has been followed."""
    vouch_for_address(request.user)
    if {"action_add", "action_send"} & request.POST.keys() and not mail.is_set_up():
        return redirect("account_email")  # where it says why
    return email(request)


@login_not_required
@require_POST
def update_theme(request: OpenRequest) -> HttpResponse:
    """Choose light, dark or the system's scheme: in a cookie for this browser, and with the person if known."""
    form = ThemeForm(request.POST)
    theme = Theme(form.cleaned_data["theme"]) if form.is_valid() else Theme.SYSTEM
    if request.user.is_authenticated:
        set_theme(by=request.user, theme=theme)
    answer = HttpResponse(status=204) if request.htmx else redirect(_next(request))
    return _with_theme(answer, request, theme)


@require_POST
def mail_warning_close(request: Request) -> HttpResponse:
    """Close the warning that no mail server is set up, for good."""
    close_mail_warning(by=request.user)
    return redirect(_next(request))


@login_not_required
@require_POST
def update_language(request: OpenRequest) -> HttpResponse:
    """Choose the language of this browser, before anybody has signed in."""
    form = LanguageForm(request.POST)
    return _with_language(redirect(_next(request)), request, form.cleaned_data["language"] if form.is_valid() else "")


def _with_theme(response: HttpResponse, request: OpenRequest, theme: Theme) -> HttpResponse:
    return _with_cookie(response, request, COOKIE, theme.value)


def _with_language(response: HttpResponse, request: OpenRequest, language: str) -> HttpResponse:
    return _with_cookie(response, request, settings.LANGUAGE_COOKIE_NAME, language)


def _with_cookie(response: HttpResponse, request: OpenRequest, name: str, value: str) -> HttpResponse:
    """The response with what this browser is to know before anybody has signed in."""
    response.set_cookie(
        name,
        value,
        max_age=A_YEAR,
        path=settings.SESSION_COOKIE_PATH,
        httponly=True,
        samesite="Lax",
        secure=request.is_secure(),
    )
    return response


def _next(request: OpenRequest) -> str:
    """The page to go back to, if it is one of ours."""
    target = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(target, {request.get_host()}, request.is_secure())
    return target if is_ours else get_script_prefix()


@require_http_methods(["GET", "POST"])
def token_list(request: Request) -> HttpResponse:
    """List one's tokens; a POST makes one and shows its key, in this answer and never again."""
    form, key = TokenForm(request.POST if request.method == "POST" else None), ""
    if form.is_valid():
        now, options = timezone.now(), form.cleaned_data
        expires_at, scope = now + timedelta(days=options["days"]), TokenScope(options["scope"])
        with refusals_in_form(form):
            __, key = create_token(by=request.user, at=now, label=options["label"], scope=scope, expires_at=expires_at)
            form = TokenForm()
    tokens = ApiToken.objects.filter(user=request.user).order_by("-created_at", "-pk")
    context = {"form": form, "key": key, "tokens": tokens}
    return render(request, "accounts/token_list.html", context, status=422 if form.errors else 200)


@require_POST
def token_revoke(request: Request, pk: int) -> HttpResponse:
    """Revoke one of one's own tokens; other people's do not exist here."""
    token = get_object_or_404(ApiToken, pk=pk, user=request.user)
    revoke_token(by=request.user, at=timezone.now(), token=token)
    messages.success(request, f"Token “{token.label}” revoked. Programs that use it are refused from now on.")
    return redirect("token_list")


@require_safe
def job_detail(request: Request, kind: str, pk: int) -> HttpResponse:
    """How far a job is (also alone, for htmx), and where its results are."""
    found = _kind(kind)
    job, member = found.fetch(pk, request.user)
    context = jobs.fragment_context(job, member)
    if request.htmx:
        return render(request, "accounts/_job.html", context)
    # Before the end and after a failure there are no results; then the fragment says what comes next.
    is_over = job.is_final and job.state != JobState.FAILED
    context |= {"links": found.links(job, member) if is_over else [], "is_over": is_over}
    context |= {"words": found.words(job), "subject": found.subject(job), "about": found.about(job)}
    context["outcome"] = found.outcome(job) if job.state == JobState.DONE else ""
    context |= {"base": found.base, **found.context(job, member)}
    return render(request, "accounts/job_detail.html", context)


@require_POST
def job_cancel(request: Request, kind: str, pk: int) -> HttpResponse:
    """Ask a job to stop; on to the page that shows it."""
    found = _kind(kind)
    job, _ = found.fetch(pk, request.user)
    with refusals_in_message(request, messages.INFO):
        cancel_job(job=job, by=request.user, at=timezone.now())
    return redirect(found.page(job))


def _kind(key: str) -> JobKind[Any]:
    if key not in job_kinds():
        raise Http404
    return job_kinds()[key]
