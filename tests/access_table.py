"""The access table: every address of Litmus × who asks, with what comes back.

To add an address, add one line: its URL name, and what each of ROLES gets in that order, in one of these words

    login   is sent to the sign-in page (pages) or gets 401 (htmx, API)
    200     any number is exactly that status
    ok      200 to 299
    form    200 or 422: the form is shown again, because nothing was filled in
    gone    a redirect to somewhere else than the sign-in page: a write that was done, or a page that forwards
    404     does not exist for this person; an outsider must get it for everything of a collection

A line may have several methods, with a bar between. POST sends the form `data` (a dict made from the world), empty
where it is left out, so that the form's own validation answers 422; `json` is sent instead by any method that has a
body. `where` gives path parameters that are not in KWARGS. All three are functions of the world. Example:

    row("topic_edit", "GET login 404 403 403 403 200 | POST login 404 403 403 403 422", where=key_of("topic"))

Lines of the API are also asked with tokens of each scope: GET needs `read`, everything else `manage`, unless the line
says otherwise by `scope`.

`World` holds one of everything (tests/access_world.py); add to it what your addresses need.
tests/test_access.py walks all addresses and fails where one is missing here, or where one here no longer exists.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import uuid4

import numpy as np
from django.utils import timezone

from adjudication.machine_audits.strata import pack_frame
from adjudication.models import MachineAudit, VoteAcceptance
from annotation.models import QueueOrdering, WorkSummary
from corpus.collections.invitation_links import token_for
from corpus.models import AuthorInvitation, AuthorMailing, Indexing, PoolEntry, QuestionCall, Role
from corpus.questions.author_links import author_token
from tests.access_world import World
from tests.factories.accounts import AT

ROLES = ("anonymous", "outsider", "annotator", "viewer", "adjudicator", "manager")


def _cycle(w: World) -> dict[str, Any]:
    return {"number": w.cycle.number}


def _machine_audit(w: World) -> dict[str, Any]:
    """A sample of one item, the annotator's own."""
    found = MachineAudit.objects.first() or audit_of_one(w)
    return {"pk": found.pk}


def audit_of_one(w: World) -> MachineAudit:
    stratum = {"grades": [1], "least": 0.0, "most": 0.0, "topics": 1, "items": 1, "sample": 1}
    frame = pack_frame(*(np.array([number]) for number in (w.item.pk, 1, 0)))
    found = MachineAudit.objects.create(
        campaign=w.campaign,
        criterion=w.campaign.criteria.get(),
        machine=w.machine_run.annotator,
        seed=1,
        size=1,
        strata=[stratum],
        frame=frame,
        drawn_at=AT,
    )
    found.sample.create(item=w.item, stratum=0, value=1, probability=1.0)
    return found


def _queue_ordering(w: World) -> Any:
    facts = {"requested_by": w.user("manager"), "requested_at": AT, "order": "random"}
    return QueueOrdering.objects.get_or_create(campaign=w.campaign, defaults=facts)[0]


def _acceptance(w: World) -> Any:
    asked = {"requested_by": w.user("manager"), "requested_at": AT, "parameters": {"methods": [], "criterion": "x"}}
    return VoteAcceptance.objects.get_or_create(campaign=w.campaign, defaults=asked)[0]


def _reply(w: World) -> dict[str, Any]:
    return {"pk": w.machine_run.pk, "reply": w.machine_run.replies.get().stated.get().pk}


def _paper_of(w: World) -> dict[str, Any]:
    return {"campaign": "contexts", "pk": w.own_paper.pk}


def _paper_item(w: World) -> dict[str, Any]:
    return {"campaign": "contexts", "pk": w.own_paper.item_id}


def _ratings(_: World) -> dict[str, Any]:
    return {"campaign": "ratings"}


def _contexts(_: World) -> dict[str, Any]:
    return {"campaign": "contexts"}


# Path parameters by name, for the addresses that need nothing special.
KWARGS: dict[str, Callable[[World], Any]] = {
    "slug": lambda w: w.collection.slug,
    "campaign": lambda w: w.campaign.slug,
    "docno": lambda w: w.document.docno,
    "kind": lambda _: "documents",
}


@dataclass(frozen=True)
class Row:
    """What each role gets for one address and method."""

    name: str
    method: str
    expected: tuple[str, ...]
    where: Callable[[World], dict[str, Any]] = field(default=lambda _: {})
    data: Callable[[World], dict[str, Any]] = field(default=lambda _: {})
    json: Callable[[World], Any] | None = None
    headers: dict[str, str] = field(default_factory=dict)
    scope: str = ""  # of the API only: the narrowest scope of a token that is let in; "": by the method


def row(name: str, words: str, **more: Any) -> list[Row]:
    """The rows of one address, from its line."""
    rows = []
    for part in words.split("|"):
        method, *expected = part.split()
        if len(expected) != len(ROLES):
            raise ValueError(f"{name}: {part!r} must be a method and {len(ROLES)} words")
        rows.append(Row(name, method, tuple(expected), **more))
    return rows


def everybody(name: str, words: str, **more: Any) -> list[Row]:
    """The rows of an address where all who are signed in get the same: a method, anonymous, signed in."""
    parts = [part.split() for part in words.split("|")]
    return row(
        name, "|".join(f"{method} {anonymous} {' '.join([known] * 5)}" for method, anonymous, known in parts), **more
    )


def key_of(name: str) -> Callable[[World], dict[str, Any]]:
    """The path parameter pk from the world's object of that name."""
    return lambda w: {"pk": getattr(w, name).pk}


def _member(w: World) -> dict[str, Any]:
    return {"pk": w.members[Role.VIEWER].pk}


def _node(w: World) -> dict[str, Any]:
    return {"pk": w.topic.pk, "node": w.aspect.nodes.get().pk}


def _question_run(world: World) -> dict[str, Any]:
    return {"pk": world.question.reply.run_id}


def _question_reply(world: World) -> dict[str, Any]:
    return {"pk": world.question.reply.run_id, "reply": world.question.reply_id}


def _mention(world: World) -> dict[str, Any]:
    return {"pk": world.question.reply.mention_id}


def _entry(w: World) -> dict[str, Any]:
    return {"pk": w.topic.pk, "entry": PoolEntry.objects.get(topic=w.topic).pk}


def _figure(w: World) -> dict[str, Any]:
    return {"pk": w.agreement_run.pk, "file": "forest_accuracy.svg"}


def _call(w: World) -> QuestionCall:
    """An open call to authors with one author invited and one mailing."""
    call, _ = QuestionCall.objects.get_or_create(
        collection=w.collection,
        name="authors",
        defaults={
            "source": "author",
            "guideline": "Ask.",
            "mail_subject": "One question",
            "mail_body": "{link} {opt_out}",
            "deadline_at": timezone.now() + timedelta(days=3),
            "created_by": w.members[Role.MANAGER].user,
            "created_at": AT,
        },
    )
    return call


def _call_key(w: World) -> dict[str, Any]:
    return {"pk": _call(w).pk}


def _author(w: World) -> AuthorInvitation:
    rows = AuthorInvitation.objects
    return rows.get_or_create(
        call=_call(w), email="author@example.org", document=w.document, defaults={"created_at": AT}
    )[0]


def _indexing(w: World) -> Indexing:
    return Indexing.objects.get_or_create(collection=w.collection, defaults={"requested_at": AT})[0]


def _mailing(w: World) -> AuthorMailing:
    asked = {"requested_by": w.members[Role.MANAGER].user, "requested_at": AT}
    return AuthorMailing.objects.get_or_create(call=_call(w), purpose="invitation", **asked)[0]


def _work_count(w: World) -> WorkSummary:
    return WorkSummary.objects.get_or_create(campaign=w.campaign, defaults={"requested_at": AT})[0]


def job(kind: str, page: str, cancel: str, of: Callable[[World], Any]) -> list[Row]:
    """The rows of a kind of background jobs, from the words for its page and for its cancellation."""

    def where(w: World) -> dict[str, Any]:
        return {"kind": kind, "pk": of(w).pk}

    pages = [*row("job_detail", page, where=where), *row("api_job", page, where=where)]
    return [*pages, *row("job_cancel", cancel, where=where)]


def _author_link(w: World) -> dict[str, Any]:
    return {"token": author_token(_author(w))}


def _reviewer(w: World) -> dict[str, Any]:
    return {"reviewer": w.members[Role.ANNOTATOR].user.email}


def _question(w: World) -> dict[str, Any]:
    """A question to the managers as the labelling screen or a program sends it."""
    return {"uuid": str(uuid4()), "assignment": w.assignment.pk, "text": "Is green tea tea?"}


def _answer(w: World) -> dict[str, Any]:
    """A judgment as the labelling screen or a program sends it."""
    answer = {"uuid": str(uuid4()), "assignment": w.assignment.pk, "answers": {"relevance": 1}, "guideline": 1}
    return {"submissions": [answer]}


def _release(w: World) -> dict[str, Any]:
    return {"name": w.release.name}


def _release_file(w: World) -> dict[str, Any]:
    return {"name": w.release.name, "path": "README.md"}


def _outsider(w: World) -> dict[str, Any]:
    return {"pk": w.outsider.pk}


def _delivery(w: World) -> dict[str, Any]:
    return {"pk": w.webhook.deliveries.get().pk}


def _endpoint(_: World) -> dict[str, Any]:
    return {"name": "our-llama"}


STAFF_PAGE = "GET login 403 403 403 403 403"
STAFF_WRITE = "POST login 403 403 403 403 403"
MANAGERS_FORM = "GET login 404 403 403 403 200 | POST login 404 403 403 403 form"
MANAGERS_FORM_SENT = "POST login 404 403 403 403 form"
MANAGERS_WRITE = "POST login 404 403 403 403 gone"
MANAGERS_PAGE = "GET login 404 403 403 403 200"
OVERSEERS_PAGE = "GET login 404 403 200 200 200"
TOPIC_REVIEW = "GET login 404 403 403 200 200 | POST login 404 403 403 422 422"
FROZEN_RELEASE = "GET login 404 403 404 404 404"
MEMBERS_PAGE = "GET login 404 200 200 200 200"
DECIDERS_WRITE = "POST login 404 403 403 gone gone"


TABLE: list[Row] = [
    # --- everybody's own ---------------------------------------------------------------------------------------------
    *everybody("home", "GET login 200"),
    *everybody("help", "GET 200 200"),
    *everybody("documentation", "GET 200 200"),  # built or not; its files: tests/config/test_documentation.py
    *everybody("documentation_page", "GET 200 200", where=lambda _: {"path": "glossary/"}),
    *everybody("example_download", "GET login 200", where=lambda _: {"name": "litsearch"}),
    *everybody("statistics_help", "GET 200 200"),
    *everybody("style", "GET login 200"),
    *everybody("collection_list", "GET login 200"),
    *everybody("palette", "GET login 200"),
    *everybody("own_data", "GET login 200"),
    *everybody("own_erasure", "POST login gone"),
    *everybody("api_own_data", "GET login 200"),
    *everybody("api_own_erasure", "PUT login 400", json=lambda _: {}),
    *everybody("api_own_erasure", "DELETE login 409"),
    # All people are for staff, whatever their role: tests/corpus/collections/test_persons.py
    *row("person_list", STAFF_PAGE),
    *row("person_detail", STAFF_PAGE, where=_outsider),
    *row("person_data", STAFF_WRITE, where=_outsider),
    *row("person_erase", STAFF_WRITE, where=_outsider),
    *row("api_people", STAFF_PAGE),
    *row("api_person_data", STAFF_WRITE, where=_outsider),
    *row("api_person_erasure", STAFF_WRITE, where=_outsider, json=lambda _: {}),
    *row("endpoint_list", STAFF_PAGE),  # tests/corpus/endpoints/test_endpoints.py
    *row("endpoint_create", STAFF_PAGE),
    *row("endpoint_create", STAFF_WRITE),
    *row("endpoint_change", STAFF_PAGE, where=_endpoint),
    *row("endpoint_change", STAFF_WRITE, where=_endpoint),
    *row("endpoint_remove", STAFF_WRITE, where=_endpoint),
    *row("endpoint_test", STAFF_WRITE, where=_endpoint),
    *row("api_endpoints", STAFF_PAGE),
    *row("api_endpoints", STAFF_WRITE, json=lambda _: {}),
    *row("api_endpoint", STAFF_PAGE, where=_endpoint),
    *row("api_endpoint", STAFF_WRITE.replace("POST", "PATCH"), where=_endpoint, json=lambda _: {}),
    *row("api_endpoint", STAFF_WRITE.replace("POST", "DELETE"), where=_endpoint),
    *row("api_endpoint_test", STAFF_WRITE, where=_endpoint, json=lambda _: {}),
    *everybody("account_profile", "GET login 200 | POST login 422"),
    *everybody("theme_update", "POST gone gone", data=lambda _: {"theme": "dark"}),
    *everybody("language_update", "POST gone gone", data=lambda _: {"language": "de"}),
    *everybody("mail_warning_close", "POST login gone"),
    *everybody("token_list", "GET login 200 | POST login 422"),
    *row("token_revoke", "POST login gone 404 404 404 404", where=lambda w: {"pk": w.api_token.pk}),
    *everybody("web_manifest", "GET 200 200"),
    *everybody("favicon", "GET gone gone"),
    *row("state", "GET login 403 403 403 403 403"),  # for staff, whatever their role: tests/config/test_state.py
    *row("state_figures", "GET login 403 403 403 403 403"),
    *row("state_test", "POST login 403 403 403 403 403", where=lambda _: {"part": "storage"}),
    *row("guide_step", "POST login 404 403 403 403 gone", where=lambda _: {"step": "pools", "act": "build"}),
    *row("demo_remove", "POST login 403 403 403 403 403"),  # for staff: tests/config/test_demo.py
    *everybody("first_account", "GET gone gone | POST gone gone"),  # while there is an account
    *row("collection_create", "GET login 403 403 403 403 200 | POST login 403 403 403 403 422"),
    # --- allauth's: sign-in, password, e-mail, second factor ---------------------------------------------------------
    *everybody("account_login", "GET 200 gone | POST 200 gone"),
    *everybody("account_logout", "GET gone 200 | POST gone gone"),
    *everybody("account_signup", "GET 200 gone | POST 200 gone"),
    *everybody("account_inactive", "GET 200 200"),
    *everybody("account_reauthenticate", "GET login 200 | POST login 200"),
    *everybody("account_email", "GET login 200"),
    *everybody("account_email_verification_sent", "GET 200 200"),
    *everybody("account_confirm_email", "GET 200 200", where=lambda _: {"key": "none"}),
    *everybody("account_change_password", "GET login 200 | POST login 200"),
    *everybody("account_set_password", "GET login gone"),
    *everybody("account_reset_password", "GET 200 200 | POST 200 200"),
    *everybody("account_reset_password_done", "GET 200 200"),
    *everybody("account_reset_password_from_key", "GET 200 200", where=lambda _: {"uidb36": "1", "key": "none"}),
    *everybody("account_reset_password_from_key_done", "GET 200 200"),
    *everybody("account_confirm_login_code", "GET gone gone"),
    *everybody("mfa_index", "GET login 200"),
    *everybody("mfa_authenticate", "GET gone gone"),
    *everybody("mfa_reauthenticate", "GET login gone"),
    *everybody("mfa_activate_totp", "GET login gone"),
    *everybody("mfa_deactivate_totp", "GET login 404"),
    *everybody("mfa_view_recovery_codes", "GET login 404"),
    *everybody("mfa_generate_recovery_codes", "GET login gone"),
    *everybody("mfa_download_recovery_codes", "GET login 404"),
    *everybody("openid_connect_login", "GET 404 404", where=lambda _: {"provider_id": "nobody"}),
    *everybody("openid_connect_callback", "GET 404 404", where=lambda _: {"provider_id": "nobody"}),
    *everybody("socialaccount_connections", "GET login 200"),
    *everybody("socialaccount_signup", "GET gone gone"),
    *everybody("socialaccount_login_error", "GET login login"),  # allauth's word for it is 401
    *everybody("socialaccount_login_cancelled", "GET 200 200"),
    *everybody("sign_on_connect", "POST login 404", where=lambda _: {"key": "nobody"}),
    # --- a collection and its people ---------------------------------------------------------------------------------
    *row("collection_edit", "GET login 404 403 403 403 200 | POST login 404 403 403 403 422"),
    *row("collection_rename", "POST login 404 403 403 403 422"),
    *row("collection_archive", MANAGERS_WRITE),
    *row("collection_reopen", MANAGERS_WRITE),
    *row("collection_backup", MANAGERS_PAGE),
    *row("collection_delete", "GET login 404 403 403 403 200 | POST login 404 403 403 403 422"),
    *row("collection_removal", "GET login 404 404 404 404 200", where=key_of("removal")),
    *row("collection_removal_audit", "GET login 404 404 404 404 200", where=key_of("removal")),
    *row("member_list", f"{OVERSEERS_PAGE} | {MANAGERS_WRITE}"),
    *row(
        "member_update",
        "POST login 404 403 403 403 gone",
        where=_member,
        data=lambda _: {"role": "annotator"},
    ),
    *row("member_remove", "POST login 404 403 gone 403 gone", where=_member),  # the viewer asks to leave
    *row("invitation_create", "POST login 404 403 403 403 422"),
    *row("invitation_list_create", "POST login 404 403 403 403 422"),
    *row("invitation_resend", "POST login 404 403 403 403 gone", where=lambda w: {"pk": w.invited.pk}),
    *row("invitation_revoke", "POST login 404 403 403 403 gone", where=lambda w: {"pk": w.invited.pk}),
    *everybody(
        "invitation_accept",
        "GET 200 409 | POST 422 409",
        where=lambda w: {"token": token_for(w.invited.invitation, mailed=True)},
    ),
    *everybody(  # the link that managers see
        "invitation_accept", "GET 200 409 | POST 200 409", where=lambda w: {"token": token_for(w.invited.invitation)}
    ),
    *row("webhook_list", MANAGERS_PAGE),
    *row("webhook_create", MANAGERS_FORM),
    *row("webhook_detail", MANAGERS_PAGE, where=key_of("webhook")),
    *row("webhook_detail", MANAGERS_WRITE, where=key_of("webhook")),
    *row("webhook_change", MANAGERS_FORM, where=key_of("webhook")),
    *row("webhook_secret", "GET login 404 403 403 403 200", where=key_of("webhook")),
    *row("webhook_secret", MANAGERS_FORM_SENT, where=key_of("webhook")),
    *row("webhook_ping", MANAGERS_WRITE, where=key_of("webhook")),
    *row("webhook_remove", MANAGERS_WRITE, where=key_of("webhook")),
    *row("webhook_redeliver", MANAGERS_WRITE, where=_delivery),
    *row("audit_list", "GET login 404 403 403 403 200"),
    *row("audit_download", "GET login 404 403 403 403 200"),
    # --- questions from authors ---------------------------------------------------------------------------------------
    *row("author_call_list", MANAGERS_PAGE),
    *row("author_call_create", "GET login 404 403 403 403 200 | POST login 404 403 403 403 422"),
    *row("author_letter_preview", "POST login 404 403 403 403 200"),
    *row("author_call_detail", MANAGERS_PAGE, where=_call_key),
    *row("author_call_edit", "GET login 404 403 403 403 200 | POST login 404 403 403 403 422", where=_call_key),
    *row("author_invitation_create", "GET login 404 403 403 403 200 | POST login 404 403 403 403 422", where=_call_key),
    *row("author_invitation_import", "POST login 404 403 403 403 422", where=_call_key),
    *row(
        "author_invitation_revoke",
        MANAGERS_WRITE,
        where=lambda w: {"pk": _call(w).pk, "invitation": _author(w).pk},
    ),
    *row("author_mailing_create", MANAGERS_WRITE, where=_call_key),
    *row("author_question_take_in", MANAGERS_WRITE, where=_call_key),
    *everybody("author_answer", "GET 200 200 | POST 422 422", where=_author_link),
    *everybody("author_withdrawal", "POST gone gone", where=_author_link),
    *everybody("author_opt_out", "GET 200 200 | POST 200 200", where=_author_link),
    # --- background jobs ---------------------------------------------------------------------------------------------
    *job("imports", MANAGERS_PAGE, MANAGERS_WRITE, lambda w: w.import_run),
    *job("runs", OVERSEERS_PAGE, MANAGERS_WRITE, lambda w: w.run_making),
    *job("pools", OVERSEERS_PAGE, MANAGERS_WRITE, lambda w: w.pool_run),
    *job("indexing", OVERSEERS_PAGE, "POST login 404 403 403 403 403", _indexing),
    *job("questions", OVERSEERS_PAGE, MANAGERS_WRITE, lambda w: w.question.reply.run),
    *job("mailings", MANAGERS_PAGE, MANAGERS_WRITE, _mailing),
    *job("deletions", "GET login 404 404 404 404 200", "POST login 404 404 404 404 403", lambda w: w.removal),
    *job(
        "erasures", "GET login 404 404 404 404 404", "POST login 404 404 404 404 404", lambda w: w.removal
    ),  # for staff
    *job("items", MANAGERS_PAGE, MANAGERS_WRITE, lambda w: w.item_build),
    *job("work", MANAGERS_PAGE, MANAGERS_WRITE, _work_count),
    *job("assignments", MANAGERS_PAGE, MANAGERS_WRITE, lambda w: w.assignment_run),
    *job("queue-orders", MANAGERS_PAGE, MANAGERS_WRITE, _queue_ordering),
    *job("machines", OVERSEERS_PAGE, MANAGERS_WRITE, lambda w: w.machine_run),
    *job("prompt-trials", MANAGERS_PAGE, MANAGERS_WRITE, lambda w: w.prompt_trial),
    *job("agreement", OVERSEERS_PAGE, DECIDERS_WRITE, lambda w: w.agreement_run),
    *job("votes", OVERSEERS_PAGE, DECIDERS_WRITE, lambda w: w.vote_run),
    *job("acceptances", OVERSEERS_PAGE, DECIDERS_WRITE, _acceptance),
    *job("evaluations", OVERSEERS_PAGE, DECIDERS_WRITE, lambda w: w.evaluation),
    *job("releases", OVERSEERS_PAGE, MANAGERS_WRITE, lambda w: w.release),
    # --- documents, topics -------------------------------------------------------------------------------------------
    *row("document_list", MEMBERS_PAGE),
    *row("document_figures", MEMBERS_PAGE),
    *row("document_detail", MEMBERS_PAGE),
    *row("indexing_create", MANAGERS_WRITE),
    *row("topic_list", f"{MEMBERS_PAGE} | {MANAGERS_WRITE}"),
    *row("topic_create", MANAGERS_FORM),
    *row("topic_detail", MEMBERS_PAGE, where=key_of("topic")),
    *row("topic_edit", MANAGERS_FORM, where=key_of("topic")),
    *row("topic_delete", MANAGERS_WRITE, where=key_of("topic")),
    *row("topic_move", MANAGERS_FORM_SENT, where=key_of("topic")),
    *row("topic_reword", MANAGERS_WRITE, where=key_of("topic")),
    *row("topic_check", "POST login 404 403 403 403 200", where=key_of("topic")),
    *row("topic_step", MANAGERS_WRITE, where=key_of("topic")),
    *row("topic_version_list", OVERSEERS_PAGE, where=key_of("topic")),
    *row("topic_version_restore", MANAGERS_WRITE, where=lambda w: {"pk": w.topic.pk, "number": 1}),
    *row("topic_review", TOPIC_REVIEW, where=key_of("topic")),
    *row("topic_review_request", MANAGERS_WRITE, where=key_of("topic")),
    *row("topic_review_withdraw", MANAGERS_WRITE, where=key_of("topic")),
    *row("aspect_create", MANAGERS_WRITE, where=key_of("topic")),
    *row("aspect_tie", MANAGERS_WRITE, where=_node),
    *row("aspect_update", MANAGERS_WRITE, where=_node),
    *row("aspect_move", MANAGERS_WRITE, where=_node),
    *row("aspect_delete", MANAGERS_WRITE, where=_node),
    # --- citation mentions, generated questions ----------------------------------------------------------------------
    *row("mention_list", OVERSEERS_PAGE),
    *row("mention_link", MANAGERS_WRITE),
    *row("mention_discard", MANAGERS_WRITE, where=_mention),
    *row("mention_restore", MANAGERS_WRITE, where=_mention),
    *row("paper_list", OVERSEERS_PAGE),
    *row("paper_detail", OVERSEERS_PAGE, where=key_of("paper")),
    *row("paper_doi", "POST login 404 403 403 403 gone", where=key_of("paper")),
    *row("paper_file", "GET login 404 403 404 404 404", where=key_of("paper")),  # it came without a file
    *row("generation_list", OVERSEERS_PAGE),
    *row("generation_create", MANAGERS_FORM),
    *row("generation_detail", OVERSEERS_PAGE, where=_question_run),
    *row("generation_continue", MANAGERS_WRITE, where=_question_run),
    *row("generation_cutoffs", MANAGERS_WRITE, where=_question_run),
    *row("reply_correct", MANAGERS_FORM, where=_question_reply),
    *row("prompt_edit", "GET login 404 403 200 200 200 | POST login 404 403 403 403 form"),
    *row("question_list", f"{OVERSEERS_PAGE} | {MANAGERS_WRITE}"),
    *row("question_keep", MANAGERS_WRITE, where=key_of("question")),
    *row("question_discard", MANAGERS_WRITE, where=key_of("question")),
    # --- runs, pools -------------------------------------------------------------------------------------------------
    *row("run_list", OVERSEERS_PAGE),
    *row(
        "run_detail",
        "GET login 404 403 200 200 200 | POST login 404 403 403 403 gone",
        where=key_of("retrieval_run"),
        data=lambda _: {"description": "The usual baseline."},
    ),
    *row("run_delete", MANAGERS_WRITE, where=key_of("retrieval_run")),
    *row("rerank_prompt_edit", "GET login 404 403 200 200 200 | POST login 404 403 403 403 form"),
    *row("run_create", "GET login 404 403 403 403 200 | POST login 404 403 403 403 422"),
    *row("run_file", OVERSEERS_PAGE, where=key_of("retrieval_run")),
    *row("run_metadata", OVERSEERS_PAGE, where=key_of("retrieval_run")),
    *row("sub_query_list", OVERSEERS_PAGE),
    *row("sub_query_create", MANAGERS_WRITE),
    *row("sub_query_delete", MANAGERS_WRITE),
    *row("pool_list", OVERSEERS_PAGE),
    *row("pool_report", OVERSEERS_PAGE),
    *row("pool_build", MANAGERS_FORM_SENT),
    *row("pool_detail", OVERSEERS_PAGE, where=key_of("topic")),
    *row("pool_entry_create", MANAGERS_FORM_SENT, where=key_of("topic")),
    *row("pool_entry_delete", MANAGERS_WRITE, where=_entry),
    # --- imports -----------------------------------------------------------------------------------------------------
    *row("import_list", MANAGERS_PAGE),
    *row("import_create", MANAGERS_FORM),
    *row("import_detail", MANAGERS_PAGE, where=key_of("import_run")),
    *row("import_errors", MANAGERS_PAGE, where=key_of("import_run")),
    *row("item_remove", "GET login 404 403 403 403 200 | POST login 404 403 403 403 422"),
    *row("api_items", "DELETE login 404 403 403 403 422"),
    *row("import_undo", MANAGERS_WRITE, where=key_of("import_run")),
    *row("import_follow", MANAGERS_WRITE, where=key_of("import_run")),
    *row("import_again", MANAGERS_WRITE, where=key_of("import_run")),
    # --- campaigns ---------------------------------------------------------------------------------------------------
    *row("campaign_list", f"{MEMBERS_PAGE} | {MANAGERS_WRITE}"),
    *row("campaign_create", MANAGERS_FORM),
    *row("campaign_cost", MANAGERS_PAGE),
    *row("campaign_detail", MEMBERS_PAGE),
    *row("campaign_edit", MANAGERS_FORM),
    *row("campaign_copy", MANAGERS_FORM_SENT),
    *row("campaign_open", MANAGERS_WRITE),
    *row("campaign_close", MANAGERS_WRITE),
    *row("campaign_delete", MANAGERS_WRITE),
    *row("criteria_edit", MANAGERS_FORM),
    *row("criteria_import", MANAGERS_FORM_SENT),
    *row("guideline_edit", MANAGERS_FORM),
    *row("guideline_preview", MANAGERS_FORM_SENT),
    *row("guideline_detail", MEMBERS_PAGE, where=lambda _: {"version": 1}),
    *row("item_list", f"{OVERSEERS_PAGE} | {MANAGERS_WRITE}"),
    *row("item_build", MANAGERS_FORM),
    *row("calibration_create", MANAGERS_WRITE),
    *row("rewrite_list", OVERSEERS_PAGE, where=_ratings),
    *row("rewrite_list", "GET login 404 403 404 404 404"),  # nothing is rewritten in a campaign of this kind
    *row("rewrite_ask", "POST login 404 403 403 gone gone", where=_ratings, data=_reviewer),
    *row("review_list", MEMBERS_PAGE, where=_ratings),
    *row("review_list", "GET login 404 404 404 404 404"),
    *row("rewrite_decide", "POST login 404 gone gone gone gone", where=lambda w: _ratings(w) | {"pk": 1}),
    *row("rewrite_decide", "POST login 404 404 404 404 404", where=lambda _: {"pk": 1}),
    *row("inquiry_list", MANAGERS_PAGE),
    *row("inquiry_detail", MANAGERS_FORM, where=key_of("inquiry")),
    *row("annotator_list", OVERSEERS_PAGE),
    *row("annotator_create", MANAGERS_FORM_SENT),
    *row("annotator_name", MANAGERS_FORM_SENT),
    *row("annotator_edit", MANAGERS_FORM, where=key_of("annotator")),
    *row("annotator_state", MANAGERS_WRITE, where=key_of("annotator")),
    *row("annotator_release", MANAGERS_WRITE, where=key_of("annotator")),
    *row("annotator_hand_over", MANAGERS_FORM_SENT, where=key_of("annotator")),
    *row("judgment_import", MANAGERS_FORM),
    *row("judgment_import", "GET login 404 403 403 403 404", where=_contexts),  # papers have no judgments
    # What is right about which item: nobody who judges learns it.
    *row("gold_detail", MANAGERS_PAGE),
    *row("gold_detail", "GET login 404 403 403 403 404", where=_contexts),  # papers are not graded
    *row("known_answer_set", MANAGERS_FORM),
    *row("known_answer_import", MANAGERS_FORM),
    *row("known_answer_remove", MANAGERS_WRITE, where=key_of("known_answer")),
    *row("known_answers_draw", MANAGERS_FORM),
    *row("machine_audit_list", OVERSEERS_PAGE),
    *row("machine_audit_draw", MANAGERS_FORM),
    *row("machine_audit_detail", OVERSEERS_PAGE, where=_machine_audit),
    *row("machine_audit_file", OVERSEERS_PAGE, where=_machine_audit),
    *row("purpose_set", MANAGERS_WRITE),
    *row("rejudging_request", MANAGERS_FORM),
    *row("rejudging_withdraw", MANAGERS_WRITE),
    *row("cycle_list", OVERSEERS_PAGE),
    *row("cycle_create", MANAGERS_FORM_SENT),
    *row("cycle_detail", OVERSEERS_PAGE, where=_cycle),
    *row("cycle_freeze", MANAGERS_WRITE, where=_cycle, data=lambda _: {"machine": "none"}),
    *row("cycle_test_set", MANAGERS_WRITE, where=_cycle, data=lambda w: {"campaign": w.cycle.dev.slug}),
    *row("cycle_run", MANAGERS_WRITE, where=_cycle, data=lambda w: {"campaign": w.cycle.dev_id}),
    *row("cycle_test", MANAGERS_WRITE, where=_cycle),
    *row(
        "cycle_decide",
        f"{MANAGERS_PAGE} | {MANAGERS_WRITE}",
        where=_cycle,
        data=lambda _: {"outcome": "stop", "reason": "Enough."},
    ),
    *row("machine_list", OVERSEERS_PAGE),
    *row("machine_create", MANAGERS_FORM),
    *row("committee_request", MANAGERS_FORM),
    *row("machine_detail", OVERSEERS_PAGE, where=key_of("machine_run")),
    *row("machine_continue", MANAGERS_WRITE, where=key_of("machine_run")),
    *row("reply_decide", MANAGERS_WRITE, where=_reply, data=lambda _: {"value": "1"}),
    *row("machine_prompt_edit", MANAGERS_FORM),
    *row("machine_prompt_preview", "POST login 404 403 403 403 200", data=lambda _: {"body": "{aspect}"}),
    *row("machine_prompt_detail", OVERSEERS_PAGE, where=key_of("prompt")),
    *row("assignment_plan", MANAGERS_FORM),
    *row("queue_order", MANAGERS_FORM),
    *row("assignment_detail", MANAGERS_PAGE, where=key_of("assignment_run")),
    *row("assignment_confirm", MANAGERS_WRITE, where=key_of("assignment_run")),
    # --- judging: the campaign's own annotators only -----------------------------------------------------------------
    *everybody("label_worker", "GET 200 200"),
    *everybody("label_session", "GET login 200"),
    *everybody("label_preferences", "POST login 200", json=lambda _: {}),
    *row("labelling_screen", "GET login 404 200 403 403 403"),
    *row("submission_create", "POST login 404 200 403 403 403", json=_answer),
    *row("label_next", "GET login 404 200 403 403 403"),
    *row("label_leave", "POST login 404 200 403 403 403", json=lambda _: {"visit": 1, "seen": []}),
    *row("label_questions", "GET login 404 200 403 403 403 | POST login 404 200 403 403 403", json=_question),
    *row("label_answers_seen", "POST login 404 200 403 403 403", json=lambda _: {"seen": []}),
    *row("label_history", "GET login 404 200 403 403 403"),
    *row("label_search", "GET login 404 404 403 403 403"),  # documents are searched next to questions
    *row("label_guideline", "GET login 404 200 403 403 403 | POST login 404 200 403 403 403", json=lambda _: {}),
    *row("extraction_queue", "GET login 404 200 403 403 403", where=lambda _: {"campaign": "contexts"}),
    *row("extraction_detail", "GET login 404 200 404 404 404", where=_paper_of),
    *row("extraction_download", "GET login 404 200 404 404 404", where=_paper_of),
    *row("extraction_revise", "POST login 404 422 404 404 404", where=_paper_of),
    *row("extraction_step", "POST login 404 gone 404 404 404", where=_paper_of),
    *row("extraction_finish", "POST login 404 gone 404 404 404", where=_paper_of),
    *row("extraction_skip", "POST login 404 gone 404 404 404", where=_paper_of),
    *row("extraction_save", "POST login 404 400 404 404 404", where=_paper_of),
    *row("extraction_move", "POST login 404 422 404 404 404", where=_paper_of, json=lambda _: {"step": "undo"}),
    *row("extraction_propose", "POST login 404 422 404 404 404", where=_paper_of, json=lambda _: {"blocks": [9]}),
    *row("extraction_read", "POST login 404 200 404 404 404", where=_paper_of, json=lambda _: {"text": "See [1]."}),
    *row("extraction_search", "POST login 404 200 404 404 404", where=_paper_of, json=lambda _: {"numbers": ["1"]}),
    *row("extraction_page", "GET login 404 404 404 404 404", where=lambda w: {**_paper_of(w), "page": 1}),
    # --- agreement, votes, verdicts ----------------------------------------------------------------------------------
    *row("agreement_detail", OVERSEERS_PAGE),
    *row("agreement_report", OVERSEERS_PAGE),
    *row("agreement_table", "GET login 404 403 404 404 404", where=lambda _: {"form": "csv"}),
    *row("agreement_figure", "GET login 404 403 404 404 404", where=_figure),
    *row("sample_size", OVERSEERS_PAGE),
    *row("agreement_create", DECIDERS_WRITE),
    *row("agreement_download", OVERSEERS_PAGE, where=key_of("agreement_run")),
    *row("extraction_agreement", OVERSEERS_PAGE, where=lambda _: {"campaign": "contexts"}),
    *row("disagreement_list", OVERSEERS_PAGE),
    # How fast and how alike others judge, and whom a manager might ask about it: nobody else's business.
    *row("work_detail", MANAGERS_PAGE),
    *row("work_count", MANAGERS_WRITE),
    *row("pay_rate_set", MANAGERS_FORM),
    *row("cost_detail", MANAGERS_PAGE),
    *row("consent_edit", MANAGERS_FORM),
    *row("consent_detail", MANAGERS_PAGE),
    *row("consent_give", "GET login 404 200 200 200 200 | POST login 404 422 422 422 422"),
    *row("consent_withdraw", "POST login 404 gone gone gone gone"),
    *row("pay_sheet", "GET login 404 403 403 403 422"),
    *row("quality_file", "GET login 404 403 403 403 422"),
    *row("judgment_list", OVERSEERS_PAGE),
    *row("machine_label_list", OVERSEERS_PAGE),
    *row("machine_label_correct", DECIDERS_WRITE),
    *row("machine_label_undo", DECIDERS_WRITE),
    *row("relevance_list", OVERSEERS_PAGE),
    *row("relevance_detail", OVERSEERS_PAGE, where=lambda place: {"topic": place.topic.pk}),
    *row("vote_create", DECIDERS_WRITE),
    *row("adjudication_screen", "GET login 404 403 403 200 200"),
    *row("unparsed_answer_list", OVERSEERS_PAGE),
    *row(
        "verdict_open",
        DECIDERS_WRITE,
        where=lambda w: {"item": w.verdict.item_id},
        data=lambda w: {"criterion": w.verdict.criterion.key},
    ),
    *row("own_items_decide", "POST login 404 403 403 403 gone"),
    *row("verdict_decide", "POST login 404 403 403 form form", where=key_of("verdict")),
    *row("verdict_withdraw", DECIDERS_WRITE, where=key_of("verdict")),
    *row("verdict_send_back", "POST login 404 403 403 form form", where=key_of("verdict")),
    *row("verdict_recall", DECIDERS_WRITE, where=key_of("verdict")),
    *row("paper_choose", DECIDERS_WRITE, where=_paper_item),
    *row("paper_step", DECIDERS_WRITE, where=_paper_item),
    *row("paper_accept", "POST login 404 403 403 422 422", where=_paper_item),
    *row("paper_send_back", "POST login 404 403 403 422 422", where=_paper_item),  # it waits for its annotator already
    *row("paper_edit", "GET login 404 403 403 gone gone", where=_paper_item),
    *row("paper_edit", "POST login 404 403 403 422 422", where=_paper_item),
    *row("paper_save", "POST login 404 403 403 404 404", where=_paper_item),
    *row("paper_move", "POST login 404 403 403 404 404", where=_paper_item),
    *row("paper_propose", "POST login 404 403 403 404 404", where=_paper_item),
    *row("paper_read", "POST login 404 403 403 404 404", where=_paper_item),
    *row("paper_search", "POST login 404 403 403 404 404", where=_paper_item),
    *row("paper_page", "GET login 404 403 403 404 404", where=lambda w: {**_paper_item(w), "page": 1}),
    *row("acceptance", "GET login 404 403 403 200 200 | POST login 404 403 403 form form"),
    *row("acceptance_undo", DECIDERS_WRITE),
    # --- evaluation --------------------------------------------------------------------------------------------------
    *row("evaluation_list", OVERSEERS_PAGE),
    *row("evaluation_create", "GET login 404 403 403 200 200 | POST login 404 403 403 form form"),
    *row("qrels_delete", MANAGERS_WRITE, where=key_of("qrels")),
    *row("evaluation_detail", OVERSEERS_PAGE, where=key_of("evaluation")),
    *row("evaluation_repetition", DECIDERS_WRITE, where=key_of("measured")),
    *row("split_list", OVERSEERS_PAGE),
    *row("split_create", MANAGERS_FORM),
    *row("split_detail", OVERSEERS_PAGE, where=lambda w: {"name": w.split.name}),
    *row("split_delete", MANAGERS_WRITE, where=lambda w: {"name": w.split.name}),
    *row("evaluation_topics", OVERSEERS_PAGE, where=key_of("measured")),
    *row("evaluation_run", OVERSEERS_PAGE, where=key_of("measured")),
    *row("evaluation_topic", OVERSEERS_PAGE, where=key_of("measured")),
    *row("evaluation_matrix", OVERSEERS_PAGE, where=key_of("measured")),
    *row("evaluation_matrix_file", OVERSEERS_PAGE, where=lambda w: {"pk": w.measured.pk, "form": "csv"}),
    *row("evaluation_judging", MANAGERS_FORM, where=key_of("measured")),
    *row("evaluation_plot", OVERSEERS_PAGE, where=lambda w: {"pk": w.measured.pk, "form": "svg"}),
    *row("evaluation_table", "GET login 404 403 404 404 404", where=lambda w: {"pk": w.evaluation.pk, "form": "csv"}),
    # --- citation contexts in figures --------------------------------------------------------------------------------
    *row("context_report", OVERSEERS_PAGE),
    *row("context_table", OVERSEERS_PAGE, where=lambda _: {"form": "csv"}),
    *row("context_topics_create", MANAGERS_WRITE, data=lambda _: {"level": "sentence"}),
    # --- dashboard, exports ------------------------------------------------------------------------------------------
    *row("collection_dashboard", MEMBERS_PAGE),
    *row("question_set", OVERSEERS_PAGE),
    *row("export_list", OVERSEERS_PAGE),
    *row("export_download", "GET login 404 403 422 422 422", where=lambda _: {"name": "qrels"}),  # nothing to export
    # --- releases: the world's is queued, so its name leads to no page yet
    *row("release_list", OVERSEERS_PAGE),
    *row("release_create", MANAGERS_FORM),
    *row("statement_edit", "GET login 404 403 403 403 200 | POST login 404 403 403 403 gone"),
    *row("line_detail", OVERSEERS_PAGE),
    *row("release_detail", FROZEN_RELEASE, where=_release),
    *row("release_archive", FROZEN_RELEASE, where=_release),
    *row("release_file", FROZEN_RELEASE, where=_release_file),
    *row("release_address", "GET login 404 403 403 403 404 | POST login 404 403 403 403 404", where=_release),
    *row("release_publish", "POST login 404 403 404 404 404", where=_release),
    *everybody("public_release", "GET 404 404", where=_release),
    *everybody("public_archive", "GET 404 404", where=_release),
    *everybody("public_file", "GET 404 404", where=_release_file),
    *everybody("reviewing_release", "GET 404 404", where=lambda _: {"token": "x"}),
    *everybody("reviewing_archive", "GET 404 404", where=lambda _: {"token": "x"}),
    *everybody("reviewing_file", "GET 404 404", where=lambda _: {"token": "x", "path": "README.md"}),
    *row("api_releases", "GET login 404 403 200 200 200 | POST login 404 403 403 403 400", json=lambda _: {}),
    *row("api_release", OVERSEERS_PAGE, where=_release),
    *row("api_release", "PATCH login 404 403 403 403 404", where=_release, json=lambda _: {"doi": ""}),
    *row("api_release_archive", "GET login 404 403 404 404 404", where=_release),
    *row("api_release_file", "GET login 404 403 404 404 404", where=_release_file),
    *row("api_line", "GET login 404 403 422 422 422"),
    # --- API ---------------------------------------------------------------------------------------------------------
    *everybody("api_schema", "GET login 200"),
    *everybody("api_docs", "GET login 200"),
    *everybody("api_campaign_templates", "GET login 200"),
    *row("api_collections", "GET login 200 200 200 200 200"),
    *row("api_collections", "POST login 403 403 403 403 201", json=lambda _: {"slug": "mate", "title": "Mate"}),
    *row("api_collection", "GET login 404 200 200 200 200 | PATCH login 404 403 403 403 200", json=lambda _: {}),
    *row("api_documents", "GET login 404 200 200 200 200 | POST login 404 403 403 403 400", json=lambda _: {}),
    *row("api_document", MEMBERS_PAGE),
    *row("api_topics", "GET login 404 200 200 200 200 | POST login 404 403 403 403 400", json=lambda _: {}),
    *row("api_topic", MEMBERS_PAGE, where=lambda _: {"number": "1"}),
    *row("api_topic_versions", OVERSEERS_PAGE, where=lambda _: {"number": "1"}),
    *row("api_topic_reviews", OVERSEERS_PAGE, where=lambda _: {"number": "1"}),
    *row("api_pool", OVERSEERS_PAGE, where=lambda _: {"number": "1"}),
    *row("api_runs", OVERSEERS_PAGE),
    *row("api_pool_report", OVERSEERS_PAGE),
    *row(
        "api_sub_queries",
        "GET login 404 403 200 200 200 | POST login 404 403 403 403 422 | DELETE login 404 403 403 403 400",
        json=lambda _: {},
    ),
    *row("api_webhooks", "GET login 404 403 403 403 200 | POST login 404 403 403 403 400", json=lambda _: {}),
    *row("api_webhook", "GET login 404 403 403 403 200", where=key_of("webhook")),
    *row("api_webhook", "PATCH login 404 403 403 403 400", where=key_of("webhook"), json=lambda _: {}),
    *row("api_webhook", "DELETE login 404 403 403 403 204", where=key_of("webhook")),
    *row("api_webhook_ping", "POST login 404 403 403 403 200", where=key_of("webhook"), json=lambda _: {}),
    *row("api_webhook_secret", "POST login 404 403 403 403 200", where=key_of("webhook"), json=lambda _: {}),
    *row("api_webhook_deliveries", MANAGERS_PAGE, where=key_of("webhook")),
    *row("api_webhook_redelivery", "POST login 404 403 403 403 202", where=_delivery, json=lambda _: {}),
    *row("api_run", "GET login 404 403 200 200 200 | DELETE login 404 403 403 403 422", where=key_of("retrieval_run")),
    *row("api_run_file", "GET login 404 403 200 200 200", where=key_of("retrieval_run")),
    *row("api_run_makings", "GET login 404 403 200 200 200 | POST login 404 403 403 403 400", json=lambda _: {}),
    *row(
        "api_run_making",
        "GET login 404 403 200 200 200 | DELETE login 404 403 403 403 202",
        where=key_of("run_making"),
    ),
    *row("api_pool_builds", "GET login 404 403 200 200 200 | POST login 404 403 403 403 409", json=lambda _: {}),
    *row(
        "api_pool_build", "GET login 404 403 200 200 200 | DELETE login 404 403 403 403 202", where=key_of("pool_run")
    ),
    *row("api_imports", "GET login 404 403 403 403 200 | POST login 404 403 403 403 400"),
    *row("api_collection", "DELETE login 404 403 403 403 422"),
    *row("api_collection_archive", "PUT login 404 403 403 403 422", json=lambda _: {}),
    *row("api_invitations", "GET login 404 403 403 403 200", scope="manage"),  # links let people in
    *row("api_invitations", "POST login 404 403 403 403 400", json=lambda _: {}),
    *row("api_invitation", "DELETE login 404 403 403 403 200", where=lambda w: {"pk": w.invited.pk}),
    *row("api_collection_archive", "DELETE login 404 403 403 403 409"),
    *row("api_import_undoing", "POST login 404 403 403 403 422", where=key_of("import_run")),
    *row("api_collection_backup", "GET login 404 403 403 403 200"),
    *row("api_import", "GET login 404 403 403 403 200 | DELETE login 404 403 403 403 202", where=key_of("import_run")),
    *row("api_campaigns", "GET login 404 200 200 200 200 | POST login 404 403 403 403 400", json=lambda _: {}),
    *row("api_campaign", "GET login 404 200 200 200 200 | PATCH login 404 403 403 403 400", json=lambda _: {}),
    *row("api_items", "POST login 404 403 403 403 422", json=lambda _: {}),
    *row("api_calibration", "POST login 404 403 403 403 400", json=lambda _: {}),
    *row("api_plans", "POST login 404 403 403 403 422", json=lambda _: {}),
    *row(
        "api_machine_labels",
        "GET login 404 403 200 200 200 | POST login 404 403 403 400 400",
        json=lambda _: {},
    ),
    *row("api_correction_undoing", "POST login 404 403 403 400 400", json=lambda _: {}),
    *row("api_queue_order", "GET login 404 403 403 403 200 | POST login 404 403 403 403 400", json=lambda _: {}),
    *row("api_annotators", "GET login 404 403 200 200 200 | POST login 404 403 403 403 400", json=lambda _: {}),
    *row(
        "api_annotator",
        "GET login 404 403 200 200 200 | PATCH login 404 403 403 403 400",
        where=key_of("annotator"),
        json=lambda _: {},
    ),
    *row("api_assignments", MEMBERS_PAGE),
    *row("api_next", "GET login 404 200 403 403 403", scope="judge"),
    *row("api_submissions", "POST login 404 200 403 403 403", json=_answer, scope="judge"),
    *row("api_inquiries", MANAGERS_PAGE),
    *row(
        "api_inquiry_answer",
        "PUT login 404 403 403 403 200",
        where=key_of("inquiry"),
        json=lambda _: {"answer": "Yes."},
    ),
    *row("api_own_inquiries", "GET login 404 200 403 403 403"),
    *row("api_own_inquiries", "POST login 404 200 403 403 403", json=_question, scope="judge"),
    *row("api_judgment_imports", "GET login 404 403 403 403 200 | POST login 404 403 403 403 400"),
    *row("api_judgment_imports", "GET login 404 403 403 403 404", where=_contexts),
    *row("api_known_answers", "GET login 404 403 403 403 200 | POST login 404 403 403 403 400", json=lambda _: {}),
    *row("api_known_answer", "DELETE login 404 403 403 403 204", where=key_of("known_answer")),
    *row("api_known_answer_imports", "POST login 404 403 403 403 400"),
    *row("api_known_answer_drawings", "POST login 404 403 403 403 400", json=lambda _: {}),
    *row(
        "api_rejudging",
        "GET login 404 403 403 403 200 | POST login 404 403 403 403 422 | DELETE login 404 403 403 403 422",
        json=lambda _: {},
    ),
    *row("api_purpose", "PUT login 404 403 403 403 400", json=lambda _: {}),
    *row("api_gold", "GET login 404 403 403 403 200"),
    *row("api_judgments", MEMBERS_PAGE),
    *row("api_judgments", "GET login 404 404 404 404 404", where=_contexts),  # papers are not graded
    *row("api_machine_runs", "GET login 404 403 200 200 200 | POST login 404 403 403 403 422", json=lambda _: {}),
    *row("api_machine_runs", "GET login 404 403 404 404 404", where=_contexts),
    *row("api_committees", "POST login 404 403 403 403 400", json=lambda _: {}),
    *row("api_machine_run", OVERSEERS_PAGE, where=key_of("machine_run")),
    *row("api_machine_run", "PATCH login 404 403 403 403 400", where=key_of("machine_run"), json=lambda _: {}),
    *row("api_machine_run", "DELETE login 404 403 403 403 202", where=key_of("machine_run")),
    *row("api_machine_replies", OVERSEERS_PAGE, where=key_of("machine_run")),
    *row("api_prompts", "GET login 404 403 200 200 200 | POST login 404 403 403 403 400", json=lambda _: {}),
    *row("api_prompt", OVERSEERS_PAGE, where=key_of("prompt")),
    *row("api_prompt_trials", "POST login 404 403 403 403 400", json=lambda _: {}),
    *row("api_prompt_trial", MANAGERS_PAGE, where=key_of("prompt_trial")),
    *row("api_prompt_preview", "POST login 404 403 403 403 200", json=lambda _: {"body": "{aspect}"}),
    *row("api_agreement", "GET login 404 403 200 200 200 | POST login 404 403 403 422 422", json=lambda _: {}),
    *row("api_agreement", "GET login 404 403 404 404 404", where=_contexts),
    *row("api_votes", "GET login 404 403 200 200 200 | POST login 404 403 403 422 422", json=lambda _: {}),
    *row("api_votes", "GET login 404 403 404 404 404", where=_contexts),
    *row("api_relevance", OVERSEERS_PAGE),
    *row("api_topic_relevance", OVERSEERS_PAGE, where=lambda _: {"number": "1"}),
    *row("api_verdicts", OVERSEERS_PAGE),
    *row("api_verdicts", "GET login 404 403 404 404 404", where=_contexts),
    *row("api_rewrites", OVERSEERS_PAGE, where=_ratings),
    *row("api_rewrites", "GET login 404 403 404 404 404"),
    *row(
        "api_rewrite_decision",
        "POST login 404 409 409 409 409",
        where=lambda w: _ratings(w) | {"pk": 1},
        json=lambda _: {"decision": "confirmed"},
        scope="manage",
    ),
    *row("api_rewrite_reviews", "GET login 404 200 200 200 200", where=_ratings),
    *row("api_rewrite_reviews", "GET login 404 404 404 404 404"),
    *row("api_rewrite_reviews", "POST login 404 403 403 400 400", where=_ratings, json=lambda _: {}),
    *row("api_paper_queue", "GET login 404 403 403 200 200", where=lambda _: {"campaign": "contexts"}),
    *row("api_paper_majorities", "POST login 404 403 403 200 200", where=lambda _: {"campaign": "contexts"}),
    *row("api_paper_case", "GET login 404 403 403 200 200", where=_paper_item),
    *row("api_paper_opening", "POST login 404 403 403 200 200", where=_paper_item),
    *row("api_paper_choice", "POST login 404 403 403 422 422", where=_paper_item, json=lambda _: {"rest": "A"}),
    *row("api_paper_step", "POST login 404 403 403 422 422", where=_paper_item, json=lambda _: {"step": "undo"}),
    *row("api_paper_content", "GET login 404 403 403 200 200", where=_paper_item),
    *row("api_paper_content", "PUT login 404 403 403 422 422", where=_paper_item, json=lambda _: {"content": {}}),
    *row("api_paper_acceptance", "POST login 404 403 403 422 422", where=_paper_item, json=lambda _: {}),
    *row("api_paper_acceptance", "DELETE login 404 403 403 409 409", where=_paper_item),
    *row("api_paper_sending_back", "POST login 404 403 403 409 409", where=_paper_item, json=lambda _: {}),
    *row("api_question_runs", "GET login 404 403 200 200 200 | POST login 404 403 403 403 422", json=lambda _: {}),
    *row("api_question_run_continuation", "POST login 404 403 403 403 422", where=_question_run, json=lambda _: {}),
    *row("api_question_run", OVERSEERS_PAGE, where=_question_run),
    *row("api_question_run", "PATCH login 404 403 403 403 400", where=_question_run, json=lambda _: {}),
    *row("api_author_calls", "GET login 404 403 403 403 200 | POST login 404 403 403 403 400", json=lambda _: {}),
    *row("api_author_call", MANAGERS_PAGE, where=_call_key, scope="manage"),
    *row("api_author_call", "PATCH login 404 403 403 403 200", where=_call_key, json=lambda _: {}),
    *row("api_authors", MANAGERS_PAGE, where=_call_key, scope="manage"),
    *row("api_authors", "POST login 404 403 403 403 400", where=_call_key, json=lambda _: {}),
    *row("api_authors_file", "POST login 404 403 403 403 400", where=_call_key),
    *row(
        "api_author_revocation",
        "POST login 404 403 403 403 200",
        where=lambda w: {"pk": _call(w).pk, "author": _author(w).pk},
    ),
    *row("api_author_mailings", "POST login 404 403 403 403 400", where=_call_key, json=lambda _: {}),
    *row("api_author_topics", "POST login 404 403 403 403 422", where=_call_key),
    *row("api_cycles", "GET login 404 403 200 200 200 | POST login 404 403 403 403 400", json=lambda _: {}),
    *row("api_cycle", OVERSEERS_PAGE, where=_cycle),
    *row("api_cycle_test_set", "POST login 404 403 403 403 422", where=_cycle, json=lambda _: {"campaign": "dev"}),
    *row("api_cycle_freezing", "POST login 404 403 403 403 422", where=_cycle, json=lambda _: {"machine": "none"}),
    *row("api_cycle_runs", "POST login 404 403 403 403 422", where=_cycle, json=lambda _: {"campaign": "dev"}),
    *row("api_cycle_test", "POST login 404 403 403 403 422", where=_cycle),
    *row(
        "api_cycle_decision",
        "POST login 404 403 403 403 200",
        where=_cycle,
        json=lambda _: {"outcome": "stop", "reason": "Enough."},
    ),
    *row("search_sheet", "GET login 404 403 200 200 200 | POST login 404 403 403 403 422"),
    *row("search_sheet_file", "GET login 404 403 422 422 422"),
    *row("api_consent_text", "GET login 404 200 200 200 200 | PUT login 404 403 403 403 422", json=lambda _: {}),
    *row("api_consent", "POST login 404 400 400 400 400 | DELETE login 404 422 422 422 422", json=lambda _: {}),
    *row("api_machine_audit", OVERSEERS_PAGE, where=_machine_audit),
    *row("api_machine_audits", "GET login 404 403 200 200 200 | POST login 404 403 403 403 422", json=lambda _: {}),
    *row("api_quality", "GET login 404 403 403 403 422"),
    *row("api_costs", MANAGERS_PAGE),
    *row("api_pay", "GET login 404 403 403 403 422 | PUT login 404 403 403 403 400", json=lambda _: {}),
    *row("api_question_set", "GET login 404 403 200 200 200"),
    *row("api_splits", "GET login 404 403 200 200 200 | POST login 404 403 403 403 400", json=lambda _: {}),
    *row(
        "api_split",
        "GET login 404 403 200 200 200 | DELETE login 404 403 403 403 204",
        where=lambda w: {"name": w.split.name},
    ),
    *row("api_evaluations", "GET login 404 403 200 200 200 | POST login 404 403 403 422 422", json=lambda _: {}),
    *row("api_evaluation", OVERSEERS_PAGE, where=key_of("evaluation")),
    *row("api_evaluation_judging", "POST login 404 403 403 403 422", where=key_of("measured"), json=lambda _: {}),
    *row("api_exports", OVERSEERS_PAGE),
    *row("api_search_sheet", "GET login 404 403 422 422 422"),
    *row("api_filled_sheet", "POST login 404 403 403 403 400"),
    *row("api_context_topics", "POST login 404 403 403 403 422", json=lambda _: {"level": "sentence"}),
    *row("api_export", "GET login 404 403 422 422 422", where=lambda _: {"name": "qrels"}),  # nothing to export
]
