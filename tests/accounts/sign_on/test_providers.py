"""The file of identity providers: what it says is taken, and what is wrong in it is named before anybody signs in."""

import re

import pytest

from accounts.sign_on.providers import ROLES, BadProvider, GroupRole, read_providers
from config.env import BadEnvironment
from config.sign_on import providers
from corpus.models import Role

WHOLE = """
[university]
label = "University of Example"
address = "https://id.example.org/realms/research"
client_id = "litmus"
client_secret = "s"
trust_email = true
domains = ["example.org"]
groups_claim = "groups"

[[university.roles]]
group = "leads"
collection = "trec"
role = "manager"

[orcid]
label = "ORCID"
address = "https://orcid.example"
client_id = "APP"
"""


def test_roles_are_those_of_collections():
    assert set(ROLES) == set(Role.values)


def test_several_providers_in_the_order_of_the_file():
    found = read_providers(WHOLE)
    assert list(found) == ["university", "orcid"]
    assert found["university"].roles == [GroupRole("leads", "trec", "manager")]
    assert (found["orcid"].trust_email, found["orcid"].anyone) == (False, False)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('label = "ORCID"\n', "", "[orcid] lacks the field label."),
        ("trust_email = true", 'trust_email = "yes"', "[university] trust_email must be true or false."),
        ('domains = ["example.org"]', 'domains = "example.org"', "[university] domains must be a list."),
        ("client_secret", "secret", "[university] has the unknown field secret."),
        ("https://orcid", "http://orcid", "[orcid] address must start with https://"),
        ("trust_email = true\n", "", "[university] needs trust_email = true"),
        ('groups_claim = "groups"\n', "", "[university] has roles but no groups_claim"),
        ('role = "manager"', "", "[[university.roles]] lacks the field role."),
        ('role = "manager"', 'role = "king"', "[[university.roles]] role must be one of"),
        ("[orcid]", '["or/cid"]', "[or/cid] must be a table whose name has letters"),
        ("\n[university]", "orcid = 1\n[university]", "it is not TOML"),
        ("[orcid]", "[orcid", "it is not TOML"),
    ],
)
def test_what_is_wrong_is_named(old, new, words):
    assert old in WHOLE
    with pytest.raises(BadProvider, match=re.escape(words)):
        read_providers(WHOLE.replace(old, new, 1))


def test_a_file_that_cannot_be_used_stops_litmus_with_its_name(tmp_path):
    assert providers(None) == {}
    (file := tmp_path / "sign-on.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(BadEnvironment, match=r"LITMUS_SIGN_ON_FILE='.*sign-on.toml'"):
        providers(file)
