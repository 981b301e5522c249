import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from accounts.migrations._operations import CreateModels
from accounts.migrations._tables import LIMITS, NO_LIMITS


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        CreateModels([
            migrations.CreateModel(
                name='User',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('password', models.CharField(max_length=128, verbose_name='password')),
                    ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                    ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                    ('email', models.EmailField(max_length=254, unique=True, verbose_name='e-mail address')),
                    ('name', models.CharField(blank=True, max_length=150)),
                    ('is_active', models.BooleanField(default=True)),
                    ('is_staff', models.BooleanField(default=False)),
                    ('date_joined', models.DateTimeField(default=django.utils.timezone.now)),
                    ('preferences', models.JSONField(blank=True, default=dict)),
                    ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                    ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(django.db.models.functions.text.Lower('email'), name='user_email_unique_whatever_case')],
                },
            ),
            migrations.CreateModel(
                name='ApiToken',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('label', models.CharField(max_length=100)),
                    ('digest', models.CharField(max_length=64, unique=True)),
                    ('scope', models.CharField(choices=[('read', 'read'), ('judge', 'read and judge'), ('manage', 'everything you may do')], max_length=10)),
                    ('created_at', models.DateTimeField()),
                    ('expires_at', models.DateTimeField()),
                    ('last_used_at', models.DateTimeField(blank=True, null=True)),
                    ('revoked_at', models.DateTimeField(blank=True, null=True)),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='api_tokens', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('expires_at__gt', models.F('created_at'))), name='api_token_expires_after_creation'), models.CheckConstraint(condition=models.Q(('scope__in', ['read', 'judge', 'manage'])), name='api_token_scope_known')],
                },
            ),
            migrations.CreateModel(
                name='AuditEvent',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('at', models.DateTimeField()),
                    ('actor_id', models.BigIntegerField(blank=True, null=True)),
                    ('actor', models.CharField(max_length=254)),
                    ('verb', models.CharField(max_length=60)),
                    ('scope_id', models.BigIntegerField(blank=True, null=True)),
                    ('scope', models.CharField(blank=True, max_length=80)),
                    ('target_type', models.CharField(max_length=60)),
                    ('target_id', models.CharField(max_length=60)),
                    ('target', models.CharField(max_length=200)),
                    ('data', models.JSONField(default=dict)),
                ],
                options={
                    'indexes': [models.Index(fields=['scope_id', '-id'], name='audit_scope_newest')],
                },
            ),
            migrations.CreateModel(
                name='Digest',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('day', models.DateField()),
                    ('covered_until', models.DateTimeField()),
                    ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='digest', to=settings.AUTH_USER_MODEL)),
                ],
            ),
            migrations.CreateModel(
                name='ErasureRequest',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('keep_labels', models.BooleanField()),
                    ('requested_at', models.DateTimeField()),
                    ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='erasure_request', to=settings.AUTH_USER_MODEL)),
                ],
            ),
            migrations.CreateModel(
                name='Invitation',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('email', models.EmailField(max_length=254)),
                    ('created_at', models.DateTimeField()),
                    ('expires_at', models.DateTimeField()),
                    ('accepted_at', models.DateTimeField(blank=True, null=True)),
                    ('revoked_at', models.DateTimeField(blank=True, null=True)),
                    ('accepted_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='accepted_invitations', to=settings.AUTH_USER_MODEL)),
                    ('invited_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sent_invitations', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('accepted_at__isnull', True), ('accepted_by__isnull', True)), models.Q(('accepted_at__isnull', False), ('accepted_by__isnull', False)), _connector='OR'), name='invitation_accepted_at_and_by_paired')],
                },
            ),
            migrations.CreateModel(
                name='JobClaim',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(max_length=80)),
                    ('job', models.BigIntegerField()),
                    ('holder', models.UUIDField()),
                    ('renewed_at', models.DateTimeField()),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('kind', 'job'), name='job_claimed_once')],
                },
            ),
        ]),
        migrations.RunSQL(LIMITS, NO_LIMITS),
    ]
