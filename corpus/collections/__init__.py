"""Collections: members and invitations, overview, figures, audit log, archiving, deletion, backup."""
