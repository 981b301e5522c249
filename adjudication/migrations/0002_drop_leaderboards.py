from django.db import migrations


class Migration(migrations.Migration):
    """Leaderboards go with all their rows (ADR 48). The audit log keeps what was done on them."""

    dependencies = [('adjudication', '0001_tables')]

    operations = [migrations.DeleteModel(name='LeaderboardEntry'), migrations.DeleteModel(name='Leaderboard')]
