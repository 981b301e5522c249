from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"
    digest_lines = {"accounts": "accounts.digests.job_lines"}

    def ready(self) -> None:
        from accounts.management.finder import install

        install()
