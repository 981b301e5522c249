from django.db import migrations, models
from django.db.models import Q

# Each verdict counts once: what a rule for ties left out is no tie that it resolved, and one label agrees with nobody.
FORWARD = """
UPDATE adjudication_verdict SET method = 'excluded' WHERE method = 'tie-policy' AND value IS NULL;
UPDATE adjudication_verdict SET method = 'single' WHERE method = 'unanimous' AND n_votes < 2;
UPDATE adjudication_verdict SET n_votes = 1 WHERE method = 'single' AND n_votes <> 1;
UPDATE adjudication_voterun
SET counts = counts || jsonb_build_object('tie_resolved', (counts->>'tie_resolved')::int - (counts->>'excluded')::int)
WHERE counts ?& array['tie_resolved', 'excluded'];
UPDATE adjudication_voterun r SET counts = r.counts || jsonb_build_object(
  'single', least(alone.n, (r.counts->>'unanimous')::int),
  'unanimous', greatest(0, (r.counts->>'unanimous')::int - alone.n))
FROM (
  SELECT DISTINCT ON (newest.campaign_id) newest.id, (
    SELECT count(*) FROM adjudication_verdict v JOIN annotation_item i ON i.id = v.item_id
    WHERE i.campaign_id = newest.campaign_id AND v.method = 'single') AS n
  FROM adjudication_voterun newest WHERE newest.state = 'done' ORDER BY newest.campaign_id, newest.id DESC
) alone
WHERE alone.id = r.id AND r.counts ? 'unanimous';
"""
BACK = """
UPDATE adjudication_verdict SET method = 'tie-policy' WHERE method = 'excluded';
UPDATE adjudication_verdict SET method = 'unanimous' WHERE method = 'single';
UPDATE adjudication_voterun SET counts = counts || jsonb_build_object(
  'tie_resolved', (counts->>'tie_resolved')::int + coalesce((counts->>'excluded')::int, 0),
  'unanimous', (counts->>'unanimous')::int + coalesce((counts->>'single')::int, 0))
WHERE counts ?& array['tie_resolved', 'unanimous'];
"""


class Migration(migrations.Migration):
    dependencies = [("adjudication", "0002_drop_leaderboards")]

    operations = [
        migrations.RunSQL(FORWARD, BACK),
        migrations.AlterField(
            model_name="verdict",
            name="method",
            field=models.CharField(
                choices=[
                    ("unanimous", "unanimous"),
                    ("single", "by a single label"),
                    ("majority", "by majority"),
                    ("tie-policy", "by the rule for ties"),
                    ("excluded", "left out by the rule for ties"),
                    ("by-hand", "by an adjudicator"),
                    ("unresolved", "undecided"),
                ],
                max_length=10,
            ),
        ),
        *(
            migrations.AddConstraint(
                model_name="verdict", constraint=models.CheckConstraint(condition=condition, name=name)
            )
            for name, condition in (
                ("verdict_excluded_has_no_value", ~Q(method="excluded") | Q(value__isnull=True)),
                ("verdict_unanimous_has_two_votes", ~Q(method="unanimous") | Q(n_votes__gte=2)),
                ("verdict_single_has_one_vote", ~Q(method="single") | Q(n_votes=1)),
            )
        ),
    ]
