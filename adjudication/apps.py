from django.apps import AppConfig


class AdjudicationConfig(AppConfig):
    name = "adjudication"
    collection_figures = {"questions": "adjudication.queries.question_statistics.question_figures"}

    def ready(self) -> None:
        from adjudication.queries.question_statistics import question_figures
        from adjudication.runs.undoing import standing_on_judgments
        from corpus.models import ImportKind
        from corpus.queries import statistics
        from corpus.runs.undoing import register_standing

        register_standing(ImportKind.JUDGMENTS, standing_on_judgments)
        statistics.register("questions", question_figures)
