"""Inviting people through the API, with the reader of lists that the page of people has."""

from typing import Any, ClassVar

from django.conf import settings
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import TokenScope
from accounts.rest_records import serializer_of
from accounts.schema import answers
from corpus.collections.address_lists import HELP, BadList, read_addresses
from corpus.collections.api.base import InCollectionView
from corpus.collections.collections import open_invitations
from corpus.collections.forms import INVITED_IN
from corpus.collections.invitation_links import link_for
from corpus.collections.invitations import NotInvited, invite_several, revoke_invitation
from corpus.collections.rules import MANAGE
from corpus.models import InvitedRole, Role


class InvitingSerializer(serializers.Serializer[Any]):
    """A list of addresses, and what those people will be."""

    emails = serializers.CharField(help_text=HELP, trim_whitespace=False)  # lines are counted as they were sent
    role = serializers.ChoiceField(Role.choices, default=Role.ANNOTATOR)
    mail_language = serializers.ChoiceField(settings.LANGUAGES, default=settings.LANGUAGE_CODE, help_text=INVITED_IN)
    dry_run = serializers.BooleanField(default=False, help_text="only say who would be invited")

    def validate_emails(self, text: str) -> Any:
        try:
            return read_addresses(text)
        except BadList as bad:
            raise serializers.ValidationError(list(bad.reasons)) from bad

    def validate_role(self, role: str) -> Role:
        return Role(role)


LINK = (
    "To hand over. Who has an account with the address signs in with it; others have a link mailed to the address, or,"
    " where no mail server is set up, choose a password"
)


class NewInvitationSerializer(serializers.Serializer[Any]):
    email = serializers.EmailField()
    role = serializers.ChoiceField(Role.choices)
    link = serializers.CharField(allow_blank=True, help_text=LINK)
    mailed = serializers.BooleanField(help_text="if not, hand over the link")


NotNewInvitationSerializer = serializer_of(NotInvited, "NotNewInvitation", email=serializers.EmailField())


class InvitationsSerializer(serializers.Serializer[Any]):
    """Who was invited (or would be), and who was not."""

    dry_run = serializers.BooleanField()
    invited = NewInvitationSerializer(many=True)
    refused = NotNewInvitationSerializer(many=True)


class OpenInvitationSerializer(serializers.Serializer[Any]):
    """An invitation that was neither accepted nor revoked."""

    id = serializers.IntegerField(source="pk")
    email = serializers.EmailField(source="invitation.email")
    role = serializers.ChoiceField(Role.choices)
    invited_by = serializers.CharField(source="invitation.invited_by")
    created_at = serializers.DateTimeField(source="invitation.created_at")
    expires_at = serializers.DateTimeField(source="invitation.expires_at")
    link = serializers.SerializerMethodField(help_text=LINK)

    def get_link(self, invited: InvitedRole) -> str:
        return link_for(invited.invitation)


class Invitations(InCollectionView):
    """Asking people to join the collection."""

    serializer_class = InvitingSerializer
    ordering = "-pk"
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": MANAGE, "POST": MANAGE}
    scopes: ClassVar[dict[str, TokenScope]] = {"GET": TokenScope.MANAGE}  # a link lets somebody in

    @extend_schema(operation_id="invitations_list", responses=answers({200: OpenInvitationSerializer(many=True)}))
    def get(self, request: Request, slug: str) -> Response:
        """List the open invitations, the newest first; expired ones are among them until they are revoked."""
        page = self.paginate_queryset(open_invitations(self.collection))
        return self.get_paginated_response(OpenInvitationSerializer(page, many=True).data)

    @extend_schema(
        operation_id="invitations_create",
        responses=answers({200: InvitationsSerializer, 201: InvitationsSerializer}, 415),
    )
    def post(self, request: Request, slug: str) -> Response:
        """Invite every address of a list. A wrong address in it refuses the whole list, by line."""
        invitations = self.body(InvitingSerializer)
        report = invite_several(by=self.person, at=timezone.now(), membership=self.membership, **invitations)
        return Response(report.as_json(), status=200 if report.is_dry else 201)


class InvitationDetail(InCollectionView):
    """One open invitation."""

    serializer_class = OpenInvitationSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"DELETE": MANAGE}

    @extend_schema(operation_id="invitations_revoke", responses=answers({200: OpenInvitationSerializer}, 409))
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Revoke an invitation: its links no longer work."""
        rows = InvitedRole.objects.select_related("invitation__invited_by")
        invited = get_object_or_404(rows, pk=pk, collection=self.collection)
        revoke_invitation(by=self.person, at=timezone.now(), membership=self.membership, invited=invited)
        return Response(OpenInvitationSerializer(invited).data)
