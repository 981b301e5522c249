"""Inviting people through the API, with the reader of lists that the page of people has."""

from typing import Any, ClassVar

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.schema import answers
from corpus.collections.actions.invitations import invite_several
from corpus.collections.address_lists import HELP, BadList, read_addresses
from corpus.collections.api.base import InCollectionView
from corpus.models import Role


class InvitingSerializer(serializers.Serializer[Any]):
    """A list of addresses, and what those people will be."""

    emails = serializers.CharField(help_text=HELP)
    role = serializers.ChoiceField(Role.choices, default=Role.ANNOTATOR)
    dry_run = serializers.BooleanField(default=False, help_text="only say who would be invited")

    def validate_emails(self, text: str) -> Any:
        try:
            return read_addresses(text)
        except BadList as bad:
            raise serializers.ValidationError(list(bad.reasons)) from bad

    def validate_role(self, role: str) -> Role:
        return Role(role)


class NewInvitationSerializer(serializers.Serializer[Any]):
    email = serializers.EmailField()
    role = serializers.ChoiceField(Role.choices)
    link = serializers.CharField(allow_blank=True, help_text="to accept with, once, within fourteen days")
    mailed = serializers.BooleanField(help_text="if not, hand over the link")


class NotNewInvitationSerializer(serializers.Serializer[Any]):
    line = serializers.IntegerField(help_text="of the list, from 1")
    email = serializers.EmailField()
    reason = serializers.CharField()


class InvitationsSerializer(serializers.Serializer[Any]):
    """Who was invited (or would be), and who was not."""

    dry_run = serializers.BooleanField()
    invited = NewInvitationSerializer(many=True)
    refused = NotNewInvitationSerializer(many=True)


class Invitations(InCollectionView):
    """Asking people to join the collection."""

    serializer_class = InvitingSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"POST": (Role.MANAGER,)}

    @extend_schema(
        operation_id="invitations_create",
        responses=answers({200: InvitationsSerializer, 201: InvitationsSerializer}, 400, 403, 415),
    )
    def post(self, request: Request, slug: str) -> Response:
        """Invite every address of a list. A wrong address in it refuses the whole list, by line."""
        wanted = self.asked(InvitingSerializer)
        several = invite_several(by=self.person, at=timezone.now(), membership=self.membership, **wanted)
        return Response(several.data(), status=200 if several.is_dry else 201)
