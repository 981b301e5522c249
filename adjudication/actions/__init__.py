"""Every write of the adjudication app that a person asks for."""
