from adjudication.agreement.commands.agreement import Command
