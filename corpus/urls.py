"""Addresses of the corpus app."""

from django.urls import URLPattern, URLResolver, path

from corpus.views import aspects, audit, collections, documents, imports, invitations, people, topics

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
    path("c/<slug:slug>/documents/", documents.document_list, name="document_list"),
    path("c/<slug:slug>/documents/<path:docno>/", documents.document_detail, name="document_detail"),
    path("c/<slug:slug>/topics/", topics.topic_list, name="topic_list"),
    path("c/<slug:slug>/topics/new/", topics.topic_create, name="topic_create"),
    path("c/<slug:slug>/topics/<int:pk>/", topics.topic_detail, name="topic_detail"),
    path("c/<slug:slug>/topics/<int:pk>/edit/", topics.topic_edit, name="topic_edit"),
    path("c/<slug:slug>/topics/<int:pk>/deletion/", topics.topic_delete, name="topic_delete"),
    path("c/<slug:slug>/topics/<int:pk>/position/", topics.topic_move, name="topic_move"),
    path("c/<slug:slug>/topics/<int:pk>/aspects/", aspects.aspect_create, name="aspect_create"),
    path("c/<slug:slug>/topics/<int:pk>/aspects/restoration/", aspects.aspect_restore, name="aspect_restore"),
    path("c/<slug:slug>/topics/<int:pk>/aspects/<int:node>/", aspects.aspect_update, name="aspect_update"),
    path("c/<slug:slug>/topics/<int:pk>/aspects/<int:node>/position/", aspects.aspect_move, name="aspect_move"),
    path("c/<slug:slug>/topics/<int:pk>/aspects/<int:node>/deletion/", aspects.aspect_delete, name="aspect_delete"),
    path("c/<slug:slug>/imports/", imports.import_list, name="import_list"),
    path("c/<slug:slug>/imports/new/<slug:kind>/", imports.import_create, name="import_create"),
    path("c/<slug:slug>/imports/<int:pk>/", imports.import_detail, name="import_detail"),
    path("c/<slug:slug>/imports/<int:pk>/cancellation/", imports.import_cancel, name="import_cancel"),
    path("c/<slug:slug>/imports/<int:pk>/import/", imports.import_follow, name="import_follow"),
    path("c/<slug:slug>/audit/", audit.audit_list, name="audit_list"),
    path("c/<slug:slug>/audit/csv/", audit.audit_download, name="audit_download"),
]
