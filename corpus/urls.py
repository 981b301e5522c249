"""Addresses of the corpus app."""

from typing import Any

from django.urls import URLPattern, URLResolver, path

from accounts.api import rest_addresses
from corpus.collections.api import collections as collections_api
from corpus.collections.api import invitations as invitations_api
from corpus.collections.api import jobs as jobs_api
from corpus.collections.api import persons as persons_api
from corpus.collections.api.base import InCollectionView
from corpus.collections.operations import ARCHIVE_COLLECTION, DELETE_COLLECTION, REOPEN_COLLECTION
from corpus.collections.pages import audit, collections, invitations, overview, people, persons
from corpus.documents import api as documents_api
from corpus.documents import pages as documents
from corpus.documents.operations import INDEX_DOCUMENTS
from corpus.endpoints import api as endpoints_api
from corpus.endpoints import pages as endpoints
from corpus.endpoints.operations import ADD_ENDPOINT, CHANGE_ENDPOINT, REMOVE_ENDPOINT, TEST_ENDPOINT
from corpus.imports import api as imports_api
from corpus.imports import pages as imports
from corpus.pools import api as pools_api
from corpus.pools import pages as pools
from corpus.questions.api import author_calls as author_calls_api
from corpus.questions.api import question_runs as question_runs_api
from corpus.questions.operations import CHANGE_CUTOFFS, CONTINUE_QUESTIONS, INVITE_AUTHOR, SEND_LETTERS
from corpus.questions.pages import author_answers, author_calls, generation, mentions
from corpus.runs import api as runs_api
from corpus.runs import pages as runs
from corpus.runs.operations import DELETE_RUN
from corpus.topics import api as topics_api
from corpus.topics.operations import MAKE_SUB_QUERIES, topic_create
from corpus.topics.pages import history, sub_queries, topics, workshop
from corpus.webhooks import api as webhooks_api
from corpus.webhooks import pages as webhooks
from corpus.webhooks.operations import (
    ADD_WEBHOOK,
    CHANGE_WEBHOOK,
    PING_WEBHOOK,
    REDELIVER_MESSAGE,
    REMOVE_WEBHOOK,
    REPLACE_SECRET,
)

PAGES: tuple[Any, ...] = (
    ("", overview.home),
    ("c/<slug:slug>/", overview.collection_dashboard),
    ("find/", overview.palette),
    ("my-data/", persons.own_data),
    ("my-data/erasure/", persons.own_erasure),
    ("people/", persons.person_list),
    ("people/<int:pk>/", persons.person_detail),
    ("people/<int:pk>/data/", persons.person_data),
    ("people/<int:pk>/erasure/", persons.person_erase),
    ("model-endpoints/", endpoints.endpoint_list),
    ("model-endpoints/new/", ADD_ENDPOINT.page, "endpoint_create"),
    ("model-endpoints/<slug:name>/settings/", CHANGE_ENDPOINT.page, "endpoint_change"),
    ("model-endpoints/<slug:name>/removal/", REMOVE_ENDPOINT.page, "endpoint_remove"),
    ("model-endpoints/<slug:name>/test/", TEST_ENDPOINT.page, "endpoint_test"),
    ("collections/", collections.collection_list),
    ("collections/new/", collections.collection_create),
    ("collections/deletions/<int:pk>/", collections.collection_removal),
    ("collections/deletions/<int:pk>/audit/", collections.collection_removal_audit),
    ("invitations/<str:token>/", invitations.invitation_accept),
    ("questions/<str:token>/", author_answers.author_answer),
    ("questions/<str:token>/withdrawal/", author_answers.author_withdrawal),
    ("questions/<str:token>/opt-out/", author_answers.author_opt_out),
)
IN_COLLECTION: tuple[Any, ...] = (
    ("settings/", collections.collection_edit),
    ("address/", collections.collection_rename),
    ("archive/", ARCHIVE_COLLECTION.page, "collection_archive"),
    ("reopening/", REOPEN_COLLECTION.page, "collection_reopen"),
    ("backup/", collections.collection_backup),
    ("deletion/", DELETE_COLLECTION.page, "collection_delete"),
    ("people/", people.member_list),
    ("people/<int:pk>/role/", people.member_update),
    ("people/<int:pk>/removal/", people.member_remove),
    ("invitations/", invitations.invitation_create),
    ("invitations/list/", invitations.invitation_list_create),
    ("invitations/<int:pk>/resending/", invitations.invitation_resend),
    ("invitations/<int:pk>/revocation/", invitations.invitation_revoke),
    ("documents/", documents.document_list),
    ("document-figures/", documents.document_figures),
    ("indexing/", INDEX_DOCUMENTS.page, "indexing_create"),
    ("documents/<path:docno>/", documents.document_detail),
    ("calls/", author_calls.author_call_list),
    ("calls/new/", author_calls.author_call_create),
    ("calls/preview/", author_calls.author_letter_preview),
    ("calls/<int:pk>/", author_calls.author_call_detail),
    ("calls/<int:pk>/settings/", author_calls.author_call_edit),
    ("calls/<int:pk>/authors/", INVITE_AUTHOR.page, "author_invitation_create"),
    ("calls/<int:pk>/authors/import/", author_calls.author_invitation_import),
    ("calls/<int:pk>/authors/<int:invitation>/revocation/", author_calls.author_invitation_revoke),
    ("calls/<int:pk>/mailings/", SEND_LETTERS.page, "author_mailing_create"),
    ("calls/<int:pk>/topics/", author_calls.author_question_take_in),
    ("topics/", topics.topic_list),
    ("sub-queries/", sub_queries.sub_query_list),
    ("sub-queries/new/", MAKE_SUB_QUERIES.page, "sub_query_create"),
    ("sub-queries/removal/", sub_queries.sub_query_delete),
    ("topics/new/", topic_create, "topic_create"),
    ("topics/<int:pk>/", topics.topic_detail),
    ("topics/<int:pk>/edit/", topics.topic_edit),
    ("topics/<int:pk>/deletion/", topics.topic_delete),
    ("topics/<int:pk>/position/", topics.topic_move),
    ("topics/<int:pk>/query/", workshop.topic_reword),
    ("topics/<int:pk>/checks/", workshop.topic_check),
    ("topics/<int:pk>/history/", workshop.topic_step),
    ("topics/<int:pk>/versions/", history.topic_version_list),
    ("topics/<int:pk>/versions/<int:number>/restoration/", history.topic_version_restore),
    ("topics/<int:pk>/review/", history.topic_review),
    ("topics/<int:pk>/review/request/", history.topic_review_request),
    ("topics/<int:pk>/review/withdrawal/", history.topic_review_withdraw),
    ("topics/<int:pk>/aspects/", workshop.aspect_create),
    ("topics/<int:pk>/aspects/<int:node>/", workshop.aspect_update),
    ("topics/<int:pk>/aspects/<int:node>/position/", workshop.aspect_move),
    ("topics/<int:pk>/aspects/<int:node>/ties/", workshop.aspect_tie),
    ("topics/<int:pk>/aspects/<int:node>/deletion/", workshop.aspect_delete),
    ("topics/<int:pk>/pool/", pools.pool_detail),
    ("topics/<int:pk>/pool/new/", pools.pool_entry_create),
    ("topics/<int:pk>/pool/<int:entry>/deletion/", pools.pool_entry_delete),
    ("mentions/", mentions.mention_list),
    ("mentions/links/", mentions.mention_link),
    ("mentions/<int:pk>/discard/", mentions.mention_discard),
    ("mentions/<int:pk>/restoration/", mentions.mention_restore),
    ("generation/", generation.generation_list),
    ("generation/new/", generation.generation_create),
    ("generation/prompt/", generation.prompt_edit),
    ("generation/<int:pk>/", generation.generation_detail),
    ("generation/<int:pk>/continuation/", CONTINUE_QUESTIONS.page, "generation_continue"),
    ("generation/<int:pk>/cut-offs/", CHANGE_CUTOFFS.page, "generation_cutoffs"),
    ("generation/<int:pk>/replies/<int:reply>/correction/", generation.reply_correct),
    ("generated/", generation.question_list),
    ("generated/<int:pk>/keeping/", generation.question_keep),
    ("generated/<int:pk>/discard/", generation.question_discard),
    ("runs/", runs.run_list),
    ("runs/new/", runs.run_create),
    ("runs/prompts/", runs.rerank_prompt_edit),
    ("runs/<int:pk>/", runs.run_detail),
    ("runs/<int:pk>/file/", runs.run_file),
    ("runs/<int:pk>/metadata/", runs.run_metadata),
    ("runs/<int:pk>/deletion/", DELETE_RUN.page, "run_delete"),
    ("pools/", pools.pool_list),
    ("pools/report/", pools.pool_report),
    ("pools/building/", pools.pool_build),
    ("imports/", imports.import_list),
    ("imports/new/<slug:kind>/", imports.import_create),
    ("imports/<int:pk>/", imports.import_detail),
    ("imports/<int:pk>/errors.csv", imports.import_errors),
    ("imports/<int:pk>/undoing/", imports.import_undo),
    ("imports/<int:pk>/import/", imports.import_follow),
    ("imports/<int:pk>/again/", imports.import_again),
    ("webhooks/", webhooks.webhook_list),
    ("webhooks/new/", ADD_WEBHOOK.page, "webhook_create"),
    ("webhooks/<int:pk>/", webhooks.webhook_detail),
    ("webhooks/<int:pk>/settings/", CHANGE_WEBHOOK.page, "webhook_change"),
    ("webhooks/<int:pk>/secret/", REPLACE_SECRET.page, "webhook_secret"),
    ("webhooks/<int:pk>/ping/", PING_WEBHOOK.page, "webhook_ping"),
    ("webhooks/<int:pk>/removal/", REMOVE_WEBHOOK.page, "webhook_remove"),
    ("webhook-deliveries/<int:pk>/redelivery/", REDELIVER_MESSAGE.page, "webhook_redeliver"),
    ("audit/", audit.audit_list),
    ("audit/csv/", audit.audit_download),
)

API: dict[str, tuple[Any, ...]] = {
    "": (
        ("me/data/", persons_api.OwnData, "api_own_data"),
        ("me/erasure-request/", persons_api.OwnErasureRequest, "api_own_erasure"),
        ("jobs/<slug:kind>/<int:pk>/", jobs_api.JobDetail, "api_job"),
        ("people/", persons_api.PersonList, "api_people"),
        ("people/<int:pk>/data/", persons_api.PersonData, "api_person_data"),
        ("people/<int:pk>/erasure/", persons_api.PersonErasureView, "api_person_erasure"),
        ("model-endpoints/", endpoints_api.EndpointList, "api_endpoints"),
        ("model-endpoints/<slug:name>/", endpoints_api.EndpointDetail, "api_endpoint"),
        (
            "model-endpoints/<slug:name>/test/",
            endpoints_api.StaffView.for_verbs({"post": TEST_ENDPOINT}),
            "api_endpoint_test",
        ),
        ("collections/", collections_api.CollectionList, "api_collections"),
    ),
    "collections/<slug:slug>/": (
        ("", collections_api.CollectionDetail, "api_collection"),
        ("archive/", collections_api.CollectionArchive, "api_collection_archive"),
        ("backup/", collections_api.CollectionBackup, "api_collection_backup"),
        ("invitations/", invitations_api.Invitations, "api_invitations"),
        ("invitations/<int:pk>/", invitations_api.InvitationDetail, "api_invitation"),
        ("documents/", documents_api.DocumentList, "api_documents"),
        ("documents/<path:docno>/", documents_api.DocumentDetail, "api_document"),
        ("topics/", topics_api.TopicList, "api_topics"),
        ("topics/<str:number>/", topics_api.TopicDetail, "api_topic"),
        ("topics/<str:number>/pool/", pools_api.TopicPoolView, "api_pool"),
        ("topics/<str:number>/versions/", topics_api.TopicVersions, "api_topic_versions"),
        ("topics/<str:number>/reviews/", topics_api.TopicReviews, "api_topic_reviews"),
        ("runs/", runs_api.RunList, "api_runs"),
        ("runs/<int:pk>/", runs_api.RunDetail, "api_run"),
        ("runs/<int:pk>/file/", runs_api.RunFileView, "api_run_file"),
        ("run-makings/", runs_api.RunMakings, "api_run_makings"),
        ("run-makings/<int:pk>/", runs_api.RunMakingDetail, "api_run_making"),
        ("sub-queries/", topics_api.SubQueryList, "api_sub_queries"),
        ("pools/report/", pools_api.PoolReportView, "api_pool_report"),
        ("pools/", pools_api.PoolBuilds, "api_pool_builds"),
        ("pools/<int:pk>/", pools_api.PoolBuildDetail, "api_pool_build"),
        ("imports/", imports_api.ImportList, "api_imports"),
        ("imports/<int:pk>/", imports_api.ImportDetail, "api_import"),
        ("imports/<int:pk>/undoing/", imports_api.ImportUndoing, "api_import_undoing"),
        ("question-runs/", question_runs_api.QuestionRunList, "api_question_runs"),
        ("question-runs/<int:pk>/", question_runs_api.QuestionRunDetail, "api_question_run"),
        (
            "question-runs/<int:pk>/continuation/",
            InCollectionView.for_verbs({"post": CONTINUE_QUESTIONS}),
            "api_question_run_continuation",
        ),
        ("author-calls/", author_calls_api.CallList, "api_author_calls"),
        ("author-calls/<int:pk>/", author_calls_api.CallDetail, "api_author_call"),
        ("author-calls/<int:pk>/authors/", author_calls_api.AuthorList, "api_authors"),
        ("author-calls/<int:pk>/authors/file/", author_calls_api.AuthorsFile, "api_authors_file"),
        (
            "author-calls/<int:pk>/authors/<int:author>/revocation/",
            author_calls_api.AuthorRevocation,
            "api_author_revocation",
        ),
        (
            "author-calls/<int:pk>/mailings/",
            author_calls_api.CallView.for_verbs({"post": SEND_LETTERS}),
            "api_author_mailings",
        ),
        ("author-calls/<int:pk>/topics/", author_calls_api.QuestionsTakenIn, "api_author_topics"),
        ("webhooks/", webhooks_api.WebhookList, "api_webhooks"),
        ("webhooks/<int:pk>/", webhooks_api.WebhookDetail, "api_webhook"),
        ("webhooks/<int:pk>/ping/", webhooks_api.ManagersView.for_verbs({"post": PING_WEBHOOK}), "api_webhook_ping"),
        (
            "webhooks/<int:pk>/secret/",
            webhooks_api.ManagersView.for_verbs({"post": REPLACE_SECRET}),
            "api_webhook_secret",
        ),
        ("webhooks/<int:pk>/deliveries/", webhooks_api.DeliveryList, "api_webhook_deliveries"),
        (
            "webhook-deliveries/<int:pk>/redelivery/",
            webhooks_api.ManagersView.for_verbs({"post": REDELIVER_MESSAGE}),
            "api_webhook_redelivery",
        ),
    ),
}

# Each address is named after its view, or, where an operation makes that, by the word after it.
urlpatterns: list[URLPattern | URLResolver] = [
    rest_addresses(API),
    *[
        path(f"{where}{address}", view, name=name[0] if name else view.__name__)
        for where, pages in (("", PAGES), ("c/<slug:slug>/", IN_COLLECTION))
        for address, view, *name in pages
    ],
]
