"""Addresses of the corpus app."""

from django.urls import URLPattern, URLResolver, path

from corpus.views import audit, collections, invitations, people

urlpatterns: list[URLPattern | URLResolver] = [
    path("collections/", collections.collection_list, name="collection_list"),
    path("collections/new/", collections.collection_create, name="collection_create"),
    path("c/<slug:slug>/settings/", collections.collection_edit, name="collection_edit"),
    path("c/<slug:slug>/people/", people.member_list, name="member_list"),
    path("c/<slug:slug>/people/<int:pk>/role/", people.member_update, name="member_update"),
    path("c/<slug:slug>/people/<int:pk>/removal/", people.member_remove, name="member_remove"),
    path("c/<slug:slug>/invitations/", invitations.invitation_create, name="invitation_create"),
    path("c/<slug:slug>/invitations/<int:pk>/resending/", invitations.invitation_resend, name="invitation_resend"),
    path("c/<slug:slug>/invitations/<int:pk>/revocation/", invitations.invitation_revoke, name="invitation_revoke"),
    path("invitations/<str:token>/", invitations.invitation_accept, name="invitation_accept"),
    path("c/<slug:slug>/audit/", audit.audit_list, name="audit_list"),
    path("c/<slug:slug>/audit/csv/", audit.audit_download, name="audit_download"),
]
