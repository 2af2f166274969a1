// Loaded into the process of each gateway that is measured: tells what it has used, when asked.
process.on('message', (message) => {
  if (message !== 'usage') return;
  const { user, system } = process.cpuUsage();
  process.send?.({ usage: { cpuMicros: user + system, peakKilobytes: process.resourceUsage().maxRSS } });
});
// The listener alone keeps no process alive.
process.channel?.unref();
