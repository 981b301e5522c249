"""Sign-in, sign-out, password and one's own settings."""

from django.urls import include, path

from accounts.views import profile, tokens

urlpatterns = [
    path("profile/", profile.profile, name="account_profile"),
    path("theme/", profile.update_theme, name="theme_update"),
    path("tokens/", tokens.token_list, name="token_list"),
    path("tokens/<int:pk>/revocation/", tokens.token_revoke, name="token_revoke"),
    path("email/", profile.change_email, name="account_email"),  # goes before allauth's own
    path("", include("allauth.urls")),
]
