// Reads streams with one client in one format, and prints the CPU seconds that the whole process needs for the
// first 40,000 and the first 400,000 events, after 8,000 events of warm-up. Arguments: format, reader, base URL, and the
// number of events to stop at.
import { type FormatName, type ReaderName, streamReaders } from './streamReaders.ts';

const eventsPerStream = 2_000;
const streamsAtOnce = 10;
const warmUpEvents = 8_000;

const [format, reader, baseUrl, ...marks] = process.argv.slice(2);
const read = await streamReaders[format as FormatName][reader as ReaderName](baseUrl ?? '');
const texts = eventsPerStream - 1;

async function readEvents(count: number): Promise<void> {
  let waiting = count / eventsPerStream;
  const readInTurn = async () => {
    while (waiting-- > 0) {
      const seen = await read(texts);
      if (seen !== texts) throw new Error(`${seen} texts instead of ${texts}`);
    }
  };
  await Promise.all(Array.from({ length: streamsAtOnce }, readInTurn));
}

await readEvents(warmUpEvents);
const before = process.cpuUsage();
let done = 0;
const seconds: number[] = [];
for (const mark of marks.map(Number)) {
  await readEvents(mark - done);
  done = mark;
  const { user, system } = process.cpuUsage(before);
  seconds.push((user + system) / 1e6);
}
console.log(JSON.stringify(seconds));
process.exit(0);
