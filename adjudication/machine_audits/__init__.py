"""Audits of machine labels: a sample of them goes blind to people, and figures are corrected by what people say."""
