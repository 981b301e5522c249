"""Leaving for the identity provider: to connect an account with it, and after signing out.

By a page that goes on by itself, and not by a redirect: forms of ours may lead to addresses of ours alone (the
Content-Security-Policy), and browsers count a redirect after a form as part of it.
"""

from http import HTTPStatus
from time import time

import requests
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect.views import login as start
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import OpenRequest, Request
from accounts.sign_on.adapter import CONNECTING, sign_out_address
from accounts.sign_on.claims import OpenIDConnect


@login_not_required
@require_safe
def sign_on_start(request: OpenRequest, provider_id: str) -> HttpResponseBase:
    """Allauth's way to the provider; one that does not answer gets the page that says so."""
    try:
        return start(request, provider_id)
    except (requests.RequestException, ValueError):
        return render(request, "socialaccount/authentication_error.html", status=HTTPStatus.BAD_GATEWAY)


@login_not_required
@require_safe
def sign_on_callback(request: OpenRequest, provider_id: str) -> HttpResponseBase:
    """The way back from the provider, as allauth's own but for what is read of its answer."""
    if provider_id not in settings.SIGN_ON:
        raise Http404
    return OAuth2CallbackView.adapter_view(OpenIDConnect(request, provider_id))(request)


@require_POST
def sign_on_connect(request: Request, key: str) -> HttpResponse:
    """Connect one's account with what one has at the provider."""
    if key not in settings.SIGN_ON:
        raise Http404
    request.session[CONNECTING] = [key, time()]
    address = f"{reverse('openid_connect_login', args=[key])}?{urlencode({'process': 'connect'})}"
    label = settings.SIGN_ON[key].label
    return _leave(
        request,
        address,
        _("Connecting with {label}").format(label=label),
        _("Continue to {label}").format(label=label),
        "",
    )


def leave_signed_out(request: OpenRequest, key: str) -> HttpResponse | None:
    """After signing out here, the page that signs out at the provider, too; None where there is no such address."""
    if key not in settings.SIGN_ON or not (address := sign_out_address(request, key)):
        return None
    label = settings.SIGN_ON[key].label
    done = _("You are signed out of Litmus.")
    return _leave(
        request,
        address,
        _("Signing out of {label}").format(label=label),
        _("Sign out of {label}").format(label=label),
        done,
    )


def _leave(request: OpenRequest, address: str, heading: str, onward: str, done: str) -> HttpResponse:
    context = {"address": address, "heading": heading, "onward": onward, "done": done}
    return render(request, "accounts/sign_on_leave.html", context)
