from adjudication.exports.commands import Command
