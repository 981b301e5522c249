"""One's own name, preferences and theme."""

from allauth.account.views import email
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST

from accounts import mail
from accounts.actions.users import set_theme, update_profile, vouch_for_address
from accounts.digests import Notice
from accounts.forms import ProfileForm, ThemeForm
from accounts.requests import OpenRequest, Request
from accounts.themes import COOKIE, Theme

A_YEAR = 365 * 24 * 3600  # seconds


@require_http_methods(["GET", "POST"])
def profile(request: Request) -> HttpResponse:
    """Show and change one's own profile."""
    form = ProfileForm(request.POST if request.method == "POST" else None, user=request.user)
    if form.is_valid():
        name, theme = form.cleaned_data["name"], form.cleaned_data["theme"]
        mail_off = sorted(set(Notice.values) - set(form.cleaned_data["notices"]))
        preferences = {"theme": theme, "shortcuts": form.cleaned_data["shortcuts"], "mail_off": mail_off}
        update_profile(by=request.user, at=timezone.now(), name=name, preferences=preferences)
        messages.success(request, "Your profile is saved.")
        return _with_theme(redirect("account_profile"), request, Theme(theme))
    return render(request, "accounts/profile.html", {"form": form}, status=422 if form.is_bound else 200)


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


def _with_theme(response: HttpResponse, request: OpenRequest, theme: Theme) -> HttpResponse:
    response.set_cookie(COOKIE, theme.value, max_age=A_YEAR, httponly=True, samesite="Lax", secure=request.is_secure())
    return response


def _next(request: OpenRequest) -> str:
    """The page to go back to, if it is one of ours."""
    target = request.POST.get("next", "")
    return target if url_has_allowed_host_and_scheme(target, {request.get_host()}, request.is_secure()) else "/"
