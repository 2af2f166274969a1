// Loaded into each process that is measured: tells what it has used, when asked, and ends it with the benchmark.
// Plain JavaScript, because Node needs 20 MiB to read types.
process.on('message', (message) => {
  if (message !== 'usage') return;
  const { user, system } = process.cpuUsage();
  process.send?.({ usage: { cpuMicros: user + system, peakKilobytes: process.resourceUsage().maxRSS } });
});
process.on('disconnect', () => process.exit());
// The listeners alone keep no process alive.
process.channel?.unref();
