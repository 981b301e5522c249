"""Signing in through an identity provider that runs, asked over HTTP."""

import dataclasses
from typing import Any

import requests
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.sign_on.providers import Provider


def use(settings, provider: Provider) -> Provider:
    settings.SIGN_ON = {provider.key: provider}
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": [provider.for_allauth]}}
    return provider


def change(settings, provider: Provider, **facts: Any) -> Provider:
    return use(settings, dataclasses.replace(provider, **facts))


def arrive(client: Client, provider: Provider, subject: str, leaving: str = "", **claims: Any):
    """Sign in at the provider as this subject, with these claims; our answer to what it says."""
    claims = {"email": f"{subject}@example.org", "email_verified": True, "name": "Ada Lovelace"} | claims
    requests.put(f"{provider.address}/users/{subject}", json=claims, timeout=10).raise_for_status()
    leave = client.get(leaving or reverse("openid_connect_login", args=[provider.key]))
    there = requests.post(leave["Location"], data={"sub": subject}, allow_redirects=False, timeout=10)
    return client.get(there.headers["Location"].removeprefix("http://testserver"))


def who(client: Client) -> User | None:
    key = client.session.get("_auth_user_id")
    return User.objects.get(pk=key) if key else None
