"""The services of the settings, and the forms of what people type for them."""

from django.conf import settings

from adjudication.models.publications import Destination
from corpus.endpoints.sending import Service


def base_url(destination: str) -> str:
    """The address of the service, as the operator set it."""
    return settings.HUGGINGFACE_URL if destination == Destination.HUGGINGFACE else settings.ZENODO_URL


def own_token(destination: str) -> str:
    """The token of the server's environment, "" for none."""
    return settings.HUGGINGFACE_TOKEN if destination == Destination.HUGGINGFACE else settings.ZENODO_TOKEN


def service_of(destination: str, token: str) -> Service:
    """The service, asked with this token."""
    return Service(Destination(destination).label, base_url(destination), token)
