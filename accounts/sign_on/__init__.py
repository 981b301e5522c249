"""Signing in through the identity provider of an institution, by OpenID Connect."""
