// Replaces `@vscode/native-watchdog`, which is not compiled here. It ends an extension host that hangs after its
// server has ended; scripts/processes.mjs ends whole process groups instead.
exports.start = () => {};
exports.exit = (code) => process.exit(code);
