from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        """Make the Celery application current, so that `shared_task.delay` finds the broker.

        Here and not in config/__init__.py: the keepers of the embedded servers import this package and stay small.
        """
        import config.celery  # noqa: F401
