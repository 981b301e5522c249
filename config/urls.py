"""All addresses: each app brings its own, of pages and of the REST API, which is described here."""

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from accounts import documentation, icons
from accounts.api_schema import RENDERERS, DescriptionGenerator
from accounts.views import job_cancel, job_detail
from config import views

urlpatterns = [
    path("accounts/", include("accounts.urls")),
    path(
        "api/schema/",
        SpectacularAPIView.as_view(generator_class=DescriptionGenerator, renderer_classes=RENDERERS),
        name="api_schema",
    ),
    path(
        "api/docs/",
        SpectacularSwaggerSplitView.as_view(url_name="api_schema", template_name="api_docs.html"),
        name="api_docs",
    ),
    path("docs/", documentation.show_page, name="documentation"),
    path("docs/<path:path>", documentation.show_page, name="documentation_page"),
    path("examples/<slug:name>/", views.example_download, name="example_download"),
    path("jobs/<slug:kind>/<int:pk>/", job_detail, name="job_detail"),
    path("jobs/<slug:kind>/<int:pk>/cancellation/", job_cancel, name="job_cancel"),
    path("favicon.ico", icons.favicon, name="favicon"),
    path("manifest.webmanifest", icons.web_manifest, name="web_manifest"),
    path("state/", views.state, name="state"),
    path("state/figures/", views.state_figures, name="state_figures"),
    path("demo/removal/", views.demo_remove, name="demo_remove"),
    path("state/<slug:part>/test/", views.state_test, name="state_test"),
    path("", include("corpus.urls")),
    path("", include("annotation.urls")),
    path("", include("adjudication.urls")),
]

handler400 = "config.errors.show_bad_request"
handler404 = "config.errors.show_not_found"
handler500 = "config.errors.show_server_error"
