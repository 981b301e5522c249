"""Sign-in, sign-out, password and one's own settings."""

from django.urls import include, path

from accounts import views
from accounts.sign_on.pages import sign_on_callback, sign_on_connect, sign_on_start

urlpatterns = [
    path("first/", views.first_account, name="first_account"),
    path("profile/", views.profile, name="account_profile"),
    path("language/", views.update_language, name="language_update"),
    path("theme/", views.update_theme, name="theme_update"),
    path("mail-warning/closing/", views.mail_warning_close, name="mail_warning_close"),
    path("tokens/", views.token_list, name="token_list"),
    path("tokens/<int:pk>/revocation/", views.token_revoke, name="token_revoke"),
    path("logout/", views.sign_out, name="account_logout"),  # these go before allauth's own
    path("email/", views.change_email, name="account_email"),
    path("oidc/<slug:provider_id>/login/", sign_on_start, name="openid_connect_login"),
    path("oidc/<slug:provider_id>/login/callback/", sign_on_callback, name="openid_connect_callback"),
    path("sign-on/<slug:key>/connection/", sign_on_connect, name="sign_on_connect"),
    path("", include("allauth.account.urls")),
    path("2fa/", include("allauth.mfa.urls")),
    path("3rdparty/", include("allauth.socialaccount.urls")),
    path("", include("allauth.socialaccount.providers.openid_connect.urls")),
]
