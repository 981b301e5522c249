from adjudication.agreement.operations import REQUEST_AGREEMENT

Command = REQUEST_AGREEMENT.command
