"""Another address of a collection: the former one forwards for good."""

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.refusals import Conflict, NotAllowed, Refused
from corpus.collections.collections import (
    create_collection,
    rename_collection,
)
from corpus.models import CollectionAddress, Role
from tests.factories.accounts import AT, CollectionFactory, UserFactory, make_token, one_member_each

pytestmark = pytest.mark.django_db


class TestAddress:
    def test_former_address_forwards_members_and_nobody_else(self, client: Client) -> None:
        collection = CollectionFactory(slug="tea")
        members = one_member_each(collection)
        rename_collection(by=members[Role.MANAGER].user, at=AT, collection=collection, slug="teas")
        client.force_login(members[Role.ANNOTATOR].user)
        answer = client.get("/c/tea/documents/?q=green")
        assert (answer.status_code, answer["Location"]) == (307, "/c/teas/documents/?q=green")
        assert client.get("/c/teas/documents/?q=green").status_code == 200
        client.force_login(UserFactory())
        assert client.get("/c/tea/documents/").status_code == 404

    def test_the_api_forwards_as_well(self, client: Client) -> None:
        collection = CollectionFactory(slug="tea")
        user = one_member_each(collection)[Role.MANAGER].user
        _, key = make_token(user)
        headers = {"Authorization": f"Bearer {key}"}
        changed = client.patch("/api/collections/tea/", {"slug": "teas"}, "application/json", headers=headers)
        assert changed.json()["slug"] == "teas"
        answer = client.get("/api/collections/tea/topics/", headers=headers)
        assert (answer.status_code, answer["Location"]) == (307, "/api/collections/teas/topics/")

    def test_an_address_is_never_given_out_again(self) -> None:
        tea, by = CollectionFactory(slug="tea"), UserFactory(is_staff=True)
        rename_collection(by=None, at=AT, collection=tea, slug="teas")
        with pytest.raises(Conflict, match="is or was that of another collection"):
            create_collection(by=by, at=AT, slug="tea", title="Tea")
        with pytest.raises(Conflict, match="is or was"):
            rename_collection(by=None, at=AT, collection=CollectionFactory(), slug="tea")
        rename_collection(by=None, at=AT, collection=tea, slug="tea")  # its own it may take back
        assert set(CollectionAddress.objects.values_list("slug", "collection_id")) >= {
            ("tea", tea.pk),
            ("teas", tea.pk),
        }

    def test_commands_say_where_it_went(self) -> None:
        CollectionFactory(slug="tea")
        call_command("rename_collection", "tea", "teas")
        with pytest.raises(CommandError, match=r"was renamed\. Its short name is now teas"):
            call_command("collection_stats", "tea")

    def test_only_managers_and_only_slugs(self) -> None:
        collection = CollectionFactory()
        members = one_member_each(collection)
        with pytest.raises(NotAllowed):
            rename_collection(by=members[Role.ADJUDICATOR].user, at=AT, collection=collection, slug="x")
        with pytest.raises(Refused, match="letters, digits"):
            rename_collection(by=members[Role.MANAGER].user, at=AT, collection=collection, slug="a b")

    def test_page(self, client: Client) -> None:
        collection = CollectionFactory(slug="tea")
        client.force_login(one_member_each(collection)[Role.MANAGER].user)
        CollectionFactory(slug="taken")
        refused = client.post(reverse("collection_rename", args=["tea"]), {"slug": "taken"})
        assert refused.status_code == 422
        assert "is or was that of another collection" in refused.text
        done = client.post(reverse("collection_rename", args=["tea"]), {"slug": "teas"})
        assert done["Location"] == "/c/teas/settings/"
