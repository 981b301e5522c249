from adjudication.agreement.commands import MeasureAgreement as Command
