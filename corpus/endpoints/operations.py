"""What staff can do with model endpoints: add, change, remove and test them."""

from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from rest_framework import serializers

from accounts.management.reporting import ReportingCommand, text_of
from accounts.operations import Found, Operation, Place, Rest
from accounts.refusals import NotHere
from accounts.requests import Request
from accounts.rest_records import serializer_of
from corpus.endpoints.changes import add_endpoint, change_endpoint, remove_endpoint, test_endpoint
from corpus.endpoints.forms import EndpointChangeForm, EndpointForm, slugs_of
from corpus.endpoints.rules import check_staff
from corpus.endpoints.trials import Trial
from corpus.models import ModelEndpoint

TrialSerializer = serializer_of(Trial, "EndpointAnswer", about="What an endpoint answered to one small question.")


class EndpointSerializer(serializers.ModelSerializer[ModelEndpoint]):
    """A model endpoint. The key itself is never shown."""

    models = serializers.ListField(child=serializers.CharField(), source="model_names")
    has_key = serializers.BooleanField(source="sealed_key")
    price_in = serializers.FloatField(allow_null=True, help_text="of a million tokens sent")
    price_out = serializers.FloatField(allow_null=True, help_text="of a million tokens received")
    collections = serializers.SerializerMethodField()

    class Meta:
        model = ModelEndpoint
        fields = (
            *("name", "purpose", "address", "models", "has_key", "price_in", "price_out", "per_minute"),
            "collections",
        )

    def get_collections(self, endpoint: ModelEndpoint) -> list[str]:
        """Short names of those that may use it, or `all`."""
        return list(slugs_of(endpoint))


@dataclass(frozen=True)
class KeyedOperation(Operation):
    """A verb that takes a key, which its command reads from a file: others may see what is typed in a shell."""

    @property
    def command(self) -> type[ReportingCommand]:
        base: Any = super().command

        class Command(base):
            def add_arguments(self, parser: Any) -> None:
                super().add_arguments(parser)
                option = next(each for each in parser._actions if each.dest == "key")
                option.metavar, option.help = "FILE", "file that holds the key; “-” reads it from standard input"

            def carry_out(self, *, key: str | None = None, **options: Any) -> tuple[str, dict[str, Any]]:
                return super().carry_out(key=key and text_of(key, 2_000).strip(), **options)

        return Command


def endpoint_with(name: str) -> ModelEndpoint:
    """Errors: NotHere."""
    found = ModelEndpoint.objects.filter(name=name).first()
    if found is None:
        raise NotHere(f"There is no model endpoint {name}.")
    return found


def _place(*, is_one: bool = True, is_form: bool = False) -> Place:
    """Among the endpoints, or at one of them, which a form may begin with."""

    def find(name: str = "") -> Found:
        target: dict[str, Any] = {"endpoint": endpoint_with(name)} if is_one else {}
        return Found(target, target if is_form else {}, target, reverse("endpoint_list"))

    def page(request: Request, _: tuple[Any, ...], **where: str) -> Found:
        check_staff(request.user)
        return find(**where)

    return Place(page, lambda view: find(**view.kwargs), find, {"name": "name of the endpoint"} if is_one else {})


def _list(_: Any) -> str:
    return reverse("endpoint_list")


def _as_json(endpoint: ModelEndpoint) -> dict[str, Any]:
    return dict(EndpointSerializer(endpoint).data)


ADD_ENDPOINT = KeyedOperation(
    called="add_endpoint",
    rest=Rest("endpoints_create", EndpointSerializer, takes="NewEndpoint"),
    task="Look after",
    example="add_endpoint our-llama --address https://llm.example.org/v1 --models llama",
    action=add_endpoint,
    place=_place(is_one=False),
    roles=(),
    about="Set up a model endpoint for all collections or some.",
    title="Add a model endpoint",
    button="Add endpoint",
    report=lambda endpoint: f"Endpoint {endpoint} added. Test it before somebody uses it.",
    goes_to=_list,
    shows=_as_json,
    form=EndpointForm,
    named=("name",),
    template="corpus/endpoints/endpoint_form.html",
)

CHANGE_ENDPOINT = KeyedOperation(
    called="change_endpoint",
    rest=Rest("endpoints_update", EndpointSerializer, status=200, takes="EndpointChanges"),
    task="Look after",
    example="change_endpoint our-llama --per-minute 30",
    action=change_endpoint,
    place=_place(is_form=True),
    roles=(),
    about="Change a model endpoint. Runs that wait or are continued ask it as it is then.",
    title="Change a model endpoint",
    button="Save",
    report=lambda endpoint: f"Endpoint {endpoint} saved.",
    goes_to=_list,
    shows=_as_json,
    form=EndpointChangeForm,
    is_change=True,
    template="corpus/endpoints/endpoint_form.html",
)

REMOVE_ENDPOINT = Operation(
    called="remove_endpoint",
    rest=Rest("endpoints_delete", status=204),
    task="Look after",
    example="remove_endpoint our-llama",
    action=remove_endpoint,
    place=_place(),
    roles=(),
    about="Remove a model endpoint with its key. Answers that it gave are kept; runs that wait cannot go on.",
    title="Remove the endpoint",
    button="Remove",
    report=lambda name: f"Endpoint {name} removed, and its key with it.",
    goes_to=_list,
    shows=lambda name: {"name": name},
    template="",
)

TEST_ENDPOINT = Operation(
    called="test_endpoint",
    rest=Rest("endpoints_test", TrialSerializer, status=200),
    task="Look after",
    example="test_endpoint our-llama",
    action=test_endpoint,
    place=_place(),
    roles=(),
    about="Ask a model endpoint one small question, which may cost: says time, tokens and price, or what is wrong.",
    title="Test the endpoint",
    button="Test",
    report=str,
    goes_to=_list,
    shows=lambda trial: TrialSerializer(trial).data,
    template="",
    prints=True,
)
