"""Which pages are translated; all others are in English as a whole (docs/adr/0067)."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers

from accounts.languages import ENGLISH, language_of

# By the names of their addresses: the pages of those who have no choice of language.
TRANSLATED = frozenset(
    "home consent_give consent_withdraw guideline_detail review_list rewrite_decide"
    " labelling_screen submission_create label_next label_leave label_history label_guideline label_search"
    " label_questions label_answers_seen label_session label_preferences"
    " extraction_queue extraction_detail extraction_revise extraction_step extraction_finish extraction_skip"
    " extraction_save extraction_move extraction_propose extraction_read extraction_search extraction_page"
    " author_answer author_withdrawal author_opt_out invitation_accept"
    " account_login account_logout account_inactive account_signup account_profile account_email"
    " account_change_password account_set_password account_confirm_email account_email_verification_sent"
    " account_reauthenticate"
    " account_reset_password account_reset_password_done account_reset_password_from_key"
    " account_reset_password_from_key_done mfa_index mfa_authenticate mfa_reauthenticate mfa_activate_totp"
    " mfa_deactivate_totp mfa_generate_recovery_codes mfa_view_recovery_codes"
    " openid_connect_login openid_connect_callback sign_on_connect socialaccount_connections"
    " socialaccount_login_cancelled socialaccount_login_error own_erasure language_update theme_update".split()
)


class LanguageMiddleware:
    """Each answer is in one language: a translated page in that of its reader, any other in English."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with translation.override(language_of(request)):
            response = self.get_response(request)
            response.headers.setdefault("Content-Language", translation.get_language() or ENGLISH)
        patch_vary_headers(response, ["Accept-Language"])
        return response

    def process_view(self, request: HttpRequest, *_: Any) -> None:
        match = request.resolver_match
        if match is None or match.view_name not in TRANSLATED:
            translation.activate(ENGLISH)
