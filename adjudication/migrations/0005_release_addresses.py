import re

from django.db import migrations, models
from django.db.models import Q
from django.utils import timezone

DOI = r'^10\.\d{4,9}(\.\d+)*/\S+$'
ADDRESS = r'^https?://[^\s<>\"]+$'


def carry_over(apps, schema_editor):
    """Each release gets the DOI and the address of its publications that were sent to the end: of a public one before a
    private one, of the Hub before Zenodo, which the DOI leads to, of the newest.

    The fields are shown to readers, so where a release has a public page they get no draft and nothing private, and
    nowhere the anonymous variant. What was known of each publication goes to the audit log.
    """
    Publication = apps.get_model('adjudication', 'Publication')
    AuditEvent = apps.get_model('accounts', 'AuditEvent')
    found = Publication.objects.exclude(address='', doi='').filter(release__frozen_at__isnull=False)
    candidates = {}
    for one in found.select_related('release__collection').order_by('pk'):
        release = one.release
        AuditEvent.objects.create(
            at=timezone.now(), actor='system', verb='carry_over_publication',
            scope_id=release.collection_id, scope=release.collection.slug,
            target_type='adjudication.release', target_id=str(release.pk), target=f'release {release.name}',
            data={
                'destination': one.destination, 'anonymous': one.anonymous, 'public': one.public, 'state': one.state,
                'remote': one.remote, 'address': one.address, 'doi': one.doi,
            },
        )
        if one.state == 'done' and not one.anonymous and (one.public or release.public_at is None):
            rank = (one.public, one.destination == 'huggingface', one.pk)
            candidates.setdefault(release, []).append((rank, one))
    for release, ranked in candidates.items():
        best = [one for _, one in sorted(ranked, key=lambda each: each[0], reverse=True)]
        release.doi = next((one.doi for one in best if re.fullmatch(DOI, one.doi)), '')
        release.address = next((one.address for one in best if re.fullmatch(ADDRESS, one.address)), '')
        release.save(update_fields=['doi', 'address'])


class Migration(migrations.Migration):
    """Publications go (ADR 52): managers upload releases themselves and state the DOI and the address."""

    dependencies = [('adjudication', '0004_cluster_of_agreement'), ('accounts', '0001_initial')]

    operations = [
        migrations.AddField('release', 'doi', models.CharField(blank=True, max_length=200)),
        migrations.AddField('release', 'address', models.CharField(blank=True, max_length=500)),
        migrations.AddConstraint('release', models.CheckConstraint(
            condition=Q(('frozen_at__isnull', False), Q(('address', ''), ('doi', '')), _connector='OR'),
            name='release_elsewhere_is_frozen',
        )),
        migrations.AddConstraint('release', models.CheckConstraint(
            condition=Q(('doi', ''), ('doi__regex', DOI), _connector='OR'), name='release_doi_form',
        )),
        migrations.AddConstraint('release', models.CheckConstraint(
            condition=Q(('address', ''), ('address__regex', ADDRESS), _connector='OR'), name='release_address_form',
        )),
        migrations.RunPython(carry_over, migrations.RunPython.noop),
        migrations.DeleteModel('Publication'),
    ]
