"""Pages of question generation, read as somebody who is signed in."""

from django.test import Client
from django.urls import reverse


def signed_in(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def page(client, name, *args, **query) -> str:
    answer = client.get(reverse(name, args=["tea", *args]), query)
    assert answer.status_code == 200
    return answer.content.decode()
