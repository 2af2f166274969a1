// Loaded into each measured process: reports its resource usage on request, and exits with the benchmark. Plain
// JavaScript, because Node needs 20 MiB to read types.
process.on('message', (message) => {
  if (message !== 'usage') return;
  const { user, system } = process.cpuUsage();
  process.send?.({ usage: { cpuMicros: user + system, peakKilobytes: process.resourceUsage().maxRSS } });
});
process.on('disconnect', () => process.exit());
// The listeners alone must not keep a process alive.
process.channel?.unref();
