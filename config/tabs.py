"""The pages of this app that pages of apps below lead to."""

from accounts.slots import Tab

TABS = (
    Tab("operator", "", 10, "state", "State of this Litmus", "state"),
    Tab("examples", "", 10, "files", "Example files", "example_download"),  # of a tutorial, by its name
)
