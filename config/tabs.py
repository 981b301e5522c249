"""The pages of this app that pages of apps below lead to."""

from accounts.slots import Tab

TABS = (Tab("operator", "", 10, "state", "State of this Litmus", "state"),)
