"""Sign-in, sign-out, password and one's own settings."""

from django.urls import include, path

from accounts import views

urlpatterns = [
    path("first/", views.first_account, name="first_account"),
    path("profile/", views.profile, name="account_profile"),
    path("theme/", views.update_theme, name="theme_update"),
    path("mail-warning/closing/", views.mail_warning_close, name="mail_warning_close"),
    path("tokens/", views.token_list, name="token_list"),
    path("tokens/<int:pk>/revocation/", views.token_revoke, name="token_revoke"),
    path("logout/", views.sign_out, name="account_logout"),  # these two go before allauth's own
    path("email/", views.change_email, name="account_email"),
    path("", include("allauth.urls")),
]
