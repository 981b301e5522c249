from django.apps import AppConfig


class AdjudicationConfig(AppConfig):
    name = "adjudication"

    def ready(self) -> None:
        from adjudication.queries.question_statistics import question_figures
        from corpus.queries import statistics

        statistics.register("questions", question_figures)
