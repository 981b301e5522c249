"""Model endpoints that staff set up: which collection asks which, what becomes of keys, tests of them."""

import io
import json
from decimal import Decimal
from ipaddress import ip_network
from typing import Any

import pytest
from django.core import serializers
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent, User
from accounts.refusals import Conflict, NotAllowed, Refused
from corpus.endpoints import changes
from corpus.endpoints.endpoints import find_service, names, service_for
from corpus.models import Collection, ModelEndpoint, ModelPurpose
from tests.factories.accounts import AT, CollectionFactory, UserFactory
from tests.stubs.chat import Answer, ChatStub, Garbage, Hang, Status

CHAT, EMBEDDINGS = ModelPurpose.CHAT, ModelPurpose.EMBEDDINGS
KEY = "sk-nobody-may-see-this"
LOOPBACK = (ip_network("127.0.0.1/32"),)

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff() -> User:
    return UserFactory(is_staff=True)


@pytest.fixture
def tea() -> Collection:
    return CollectionFactory(slug="tea")


@pytest.fixture(autouse=True)
def no_environment(settings: Any) -> None:
    settings.LLM_BASE_URL = settings.EMBEDDINGS_BASE_URL = ""


def add(name: str = "ours", **values: Any) -> ModelEndpoint:
    usual = {"purpose": "chat", "address": "https://llm.example.org/v1", "models": ["wise"], "collections": ["all"]}
    return changes.add_endpoint(by=None, at=AT, name=name, **{**usual, **values})


# --- which is asked ---------------------------------------------------------------------------------------------------


def test_the_endpoint_of_the_environment_comes_first_then_the_oldest(settings: Any, tea: Collection) -> None:
    with pytest.raises(Refused, match="LITMUS_LLM_BASE_URL"):
        service_for(CHAT, tea)
    add("theirs"), add("ours")
    add("vectors", purpose="embeddings")
    assert names(CHAT, tea) == ["theirs", "ours"]
    assert service_for(CHAT, tea).name == "theirs"
    assert service_for(EMBEDDINGS, tea).name == "vectors"
    settings.LLM_BASE_URL, settings.LLM_MODEL, settings.LLM_PRICE_IN = "http://127.0.0.1:1/v1", "local", Decimal(1)
    found = service_for(CHAT, tea)
    assert (found.name, found.endpoint.model, found.endpoint.guard) == ("default", "local", None)
    assert names(CHAT, tea) == ["default", "theirs", "ours"]
    assert service_for(CHAT, tea, "ours").endpoint.guard is not None  # what was typed is guarded


def test_an_endpoint_is_for_all_collections_or_for_some(tea: Collection) -> None:
    coffee = CollectionFactory(slug="coffee")
    add("ours", collections=["tea"])
    assert service_for(CHAT, tea, "ours").name == "ours"
    assert find_service(CHAT, coffee) is None
    with pytest.raises(Refused):
        service_for(CHAT, coffee, "ours")
    add("all-of-us")
    with pytest.raises(Refused, match=r"no model endpoint “ours”.*It has: all-of-us"):
        service_for(CHAT, coffee, "ours")


def test_what_it_was_set_up_with_is_what_is_asked(settings: Any, tea: Collection) -> None:
    settings.INNER_ADDRESSES = LOOPBACK
    add(models=["wise", "wiser"], key=KEY, price_in=0.15, price_out=0.6, per_minute=7)
    found = service_for(CHAT, tea, "ours")
    assert (found.endpoint.api_key, found.endpoint.model, found.pace.per_minute) == (KEY, "wise", 7)
    assert found.endpoint.guard
    assert found.endpoint.guard.allowed == LOOPBACK
    assert found.prices.cost(1_000_000, 500_000) == Decimal("0.45")
    assert found.asking("wiser").model == "wiser"
    with pytest.raises(Refused, match="no model “wisest”"):
        found.asking("wisest")


def test_costs_are_not_known_without_both_prices_or_for_another_model(settings: Any, tea: Collection) -> None:
    settings.LLM_BASE_URL, settings.LLM_MODEL = "http://127.0.0.1:1/v1", "wise"
    settings.LLM_PRICE_IN, settings.LLM_PRICE_OUT = Decimal("0.15"), None
    assert service_for(CHAT, tea).prices.cost(10, 10) is None
    settings.LLM_PRICE_OUT = Decimal("0.6")
    assert service_for(CHAT, tea).prices_of("wise").cost(1_000_000, 500_000) == Decimal("0.45")
    assert service_for(CHAT, tea).prices_of("another").cost(10, 10) is None


# --- keys -------------------------------------------------------------------------------------------------------------


def test_a_key_goes_in_and_never_comes_out(staff: User, client: Client, settings: Any) -> None:
    client.force_login(staff)
    form = {
        "name": "ours",
        "purpose": "chat",
        "address": "https://llm.example.org/v1",
        "models": "wise",
        "key": KEY,
        "per_minute": "60",
        "collections": "all",
    }
    wrong = client.post(reverse("endpoint_create"), form | {"address": "nowhere"})
    assert wrong.status_code == 422
    assert client.post(reverse("endpoint_create"), form).status_code == 302
    read = client.get(reverse("api_endpoint", args=["ours"]))
    assert read.json()["has_key"] is True
    changed = client.patch(
        reverse("api_endpoint", args=["ours"]), {"per_minute": 5, "key": KEY}, content_type="application/json"
    )
    output = io.StringIO()
    call_command("change_endpoint", "ours", "--per-minute", "6", "--json", stdout=output)
    shown = [
        wrong.content.decode(),
        client.get(reverse("endpoint_list")).content.decode(),
        client.get(reverse("endpoint_change", args=["ours"])).content.decode(),
        client.get(reverse("api_endpoints")).content.decode(),
        *(read.content.decode(), changed.content.decode(), output.getvalue()),
        json.dumps(list(AuditEvent.objects.values()), default=str),
        serializers.serialize("json", ModelEndpoint.objects.all()),  # what the database, and so a backup, holds
    ]
    assert not [each for each in shown if KEY in each]
    settings.SECRET_KEY = "another" * 10
    settings.SECRET_KEY_FALLBACKS = []
    with pytest.raises(Refused, match="secret key of this Litmus has changed"):
        service_for(CHAT, CollectionFactory(), "ours")
    client.force_login(staff)
    assert client.get(reverse("endpoint_list")).status_code == 200


def test_a_stored_key_is_not_sent_to_another_server(staff: User) -> None:
    ours = add(key=KEY)

    def change(**values: Any) -> ModelEndpoint:
        return changes.change_endpoint(by=staff, at=AT, endpoint=ours, **values)

    for address in ("https://evil.example.org/v1", "http://llm.example.org/v1", "https://llm.example.org:444/v1"):
        with pytest.raises(Refused, match="typed for another server"):
            change(address=address)
    before = change(address="https://llm.example.org/v2").sealed_key
    assert change(address="https://new.example.org/v1", key="sk-new").sealed_key != before
    assert change(address="https://old.example.org/v1", remove_key=True).sealed_key == ""
    assert change(address="https://llm.example.org/v1").address == "https://llm.example.org/v1"  # nothing to guard


def test_a_page_that_leaves_the_key_empty_keeps_it(staff: User, client: Client) -> None:
    client.force_login(staff)
    before = add(key=KEY, price_in=0.15).sealed_key
    form = {
        "address": "https://llm.example.org/v1",
        "models": "wise, wiser",
        "key": "",
        "price_in": "",
        "price_out": "",
    }
    form |= {"initial-price_in": "0.15", "per_minute": "60", "collections": "all"}
    assert client.post(reverse("endpoint_change", args=["ours"]), form).status_code == 302
    ours = ModelEndpoint.objects.get()
    assert (ours.sealed_key, ours.model_names, ours.price_in) == (before, ["wise", "wiser"], None)


# --- who, and what is refused -----------------------------------------------------------------------------------------


def test_endpoints_are_for_staff_alone(client: Client) -> None:
    person, ours = UserFactory(), add()
    for act in (changes.change_endpoint, changes.remove_endpoint, changes.test_endpoint):
        with pytest.raises(NotAllowed):
            act(by=person, at=AT, endpoint=ours)
    with pytest.raises(NotAllowed):
        changes.add_endpoint(by=person, at=AT, name="mine", purpose="chat")
    client.force_login(person)
    assert client.get(reverse("endpoint_list")).status_code == 403
    assert "Model endpoints" not in client.get(reverse("home")).content.decode()


def test_names_are_given_once_and_default_is_that_of_the_environment() -> None:
    add("ours")
    with pytest.raises(Conflict, match="already"):
        add("ours")
    with pytest.raises(Refused, match="environment"):
        add("default")
    for wrong in ({"model_names": []}, {"name": "default"}, {"price_in": -1}, {"purpose": "paint"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            ModelEndpoint.objects.filter(name="ours").update(**wrong)


def test_the_page_says_what_there_is_and_what_to_do_without_any(staff: User, client: Client, settings: Any) -> None:
    client.force_login(staff)
    assert "No model endpoint yet" in client.get(reverse("endpoint_list")).content.decode()
    settings.LLM_BASE_URL, settings.LLM_MODEL = "http://me:secret@127.0.0.1:1/v1", "local"
    add(price_in=0.15, price_out=0.6, collections=["all"])
    page = client.get(reverse("endpoint_list")).content.decode()
    assert "http://127.0.0.1:1/v1" in page
    assert "secret@" not in page
    assert "0.15 sent, 0.6 received (USD per million tokens)" in page
    assert client.post(reverse("endpoint_remove", args=["ours"]), follow=True).status_code == 200
    assert not ModelEndpoint.objects.exists()
    assert client.get(reverse("endpoint_change", args=["ours"])).status_code == 404


# --- tests ------------------------------------------------------------------------------------------------------------


def test_a_test_says_time_tokens_and_price(staff: User, client: Client, settings: Any) -> None:
    settings.INNER_ADDRESSES = LOOPBACK
    client.force_login(staff)
    with ChatStub([Answer("Yes.", usage=(1000, 200))]) as stub:
        add(address=stub.url, price_in=1.5, price_out=3, key=KEY)
        page = client.post(reverse("endpoint_test", args=["ours"]), follow=True).content.decode()
        assert "wise at ours answered “Yes.” in 0." in page
        assert "(1,000 tokens sent, 200 received; 0.0021 USD)" in page
        read = client.post(reverse("api_endpoint_test", args=["ours"]), content_type="application/json").json()
        assert (read["prompt_tokens"], read["completion_tokens"], float(read["cost"])) == (1000, 200, 0.0021)
        assert stub.calls[0].headers["authorization"] == f"Bearer {KEY}"
        assert len(stub.calls) == 2


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (Status(401), "refused the request with 401"),
        (Status(404, body=b"no such model"), "404: no such model"),
        (Status(429, {"Retry-After": "5"}), "429"),
        (Status(302, {"Location": "http://127.0.0.1:1/"}), "redirects are not followed"),
        (Garbage(), "not a chat completion"),
        (Hang(), "no answer within 0.3 seconds"),
        (f"Your key is {KEY}.", ""),
    ],
)
def test_a_test_says_in_words_what_is_wrong(
    step: Any, said: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpus.endpoints.trials.PATIENCE", 0.3 if isinstance(step, Hang) else 10.0)
    settings.INNER_ADDRESSES = LOOPBACK
    with ChatStub([step]) as stub:
        ours = add(address=stub.url, key=KEY)
        if not said:
            assert KEY not in str(changes.test_endpoint(by=None, at=AT, endpoint=ours))
            return
        with pytest.raises(Refused, match=f"wise at ours did not answer: .*{said}"):
            changes.test_endpoint(by=None, at=AT, endpoint=ours)
    assert len(stub.calls) == 1


def test_a_test_does_not_reach_inside_and_says_who_could_allow_it() -> None:
    with ChatStub() as stub, pytest.raises(Refused, match="LITMUS_INNER_ADDRESSES"):
        changes.test_endpoint(by=None, at=AT, endpoint=add(address=stub.url))
    assert not stub.calls


def test_tests_are_throttled_also_those_that_fail(staff: User) -> None:
    ours = add(address="http://127.0.0.1:1/v1")
    for _ in range(changes.TESTS):
        with pytest.raises(Refused, match="did not answer"):
            changes.test_endpoint(by=staff, at=AT, endpoint=ours)
    with pytest.raises(Conflict, match="Wait a minute"):
        changes.test_endpoint(by=staff, at=AT, endpoint=ours)
    with pytest.raises(Refused, match="did not answer"):  # another has a count of its own
        changes.test_endpoint(by=staff, at=AT, endpoint=add("other", address="http://127.0.0.1:1/v1"))
