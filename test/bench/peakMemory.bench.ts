// The peak memory of a process that reads 20 streams at once, one event in each write, above that of the bare parts.
// The extension records transcripts of its requests; users of the library do so only on demand.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createGatewayClient } from '../../src/client/gatewayClient.ts';
import { median, report } from './report.ts';
import { startServer } from './startServer.ts';
import { type ReadStream, streamReaders } from './streamReaders.ts';

const streamsAtOnce = 20;
const eventsPerStream = 2_000;
const readingRounds = 3;
const processes = 5;
const maxAddedMiB = 6;

const readers = {
  'bare parts': streamReaders['chat completions'].bareParts,
  client: createUnrecordedReader,
  'client with transcripts': streamReaders['chat completions'].client,
  openai: streamReaders['chat completions'].peer,
} as const satisfies Readonly<Record<string, (baseUrl: string) => ReadStream | Promise<ReadStream>>>;

type ReaderName = keyof typeof readers;

function createUnrecordedReader(baseUrl: string): ReadStream {
  const client = createGatewayClient({ baseUrl, credential: async () => 'test-credential' });
  return async (texts) => {
    const messages = [{ role: 'user' as const, content: 'go' }];
    const body = { model: 'bench-model', max_tokens: texts + 1, messages, stream: true as const };
    const { outcome } = await client.chatCompletions(body, () => {});
    if (outcome.kind !== 'complete') throw new Error(outcome.kind);
    return texts;
  };
}

/** Runs in a process of its own. */
async function printPeak(reader: ReaderName, baseUrl: string): Promise<void> {
  const read = await readers[reader](baseUrl);
  for (let round = 0; round < readingRounds; round++)
    await Promise.all(Array.from({ length: streamsAtOnce }, () => read(eventsPerStream - 1)));
  console.log(process.resourceUsage().maxRSS / 1024);
  process.exit(0);
}

async function compare(): Promise<void> {
  const server = await startServer('streamServer.ts', 'single');
  const measure = (reader: ReaderName) =>
    Number(
      execFileSync(process.execPath, [fileURLToPath(import.meta.url), reader, server.baseUrl], {
        encoding: 'utf8',
      }),
    );
  const peaks = new Map<ReaderName, number[]>();
  for (let nth = 0; nth < processes; nth++)
    for (const reader of Object.keys(readers) as ReaderName[])
      peaks.set(reader, [...(peaks.get(reader) ?? []), measure(reader)]);
  server.close();
  const peak = (reader: ReaderName) => median(peaks.get(reader) ?? []);
  for (const reader of ['client', 'client with transcripts', 'openai'] as const) {
    const added = peak(reader) - peak('bare parts');
    report({
      figure: `peak memory of ${streamsAtOnce} streams above the bare parts: ${reader}`,
      value: `${added.toFixed(1)} MiB (${peak(reader).toFixed(0)} / ${peak('bare parts').toFixed(0)})`,
      target: reader === 'client' ? `<= ${maxAddedMiB} MiB` : 'none',
      met: reader !== 'client' || added <= maxAddedMiB,
    });
  }
}

const [reader, baseUrl] = process.argv.slice(2);
if (reader !== undefined && baseUrl !== undefined) await printPeak(reader as ReaderName, baseUrl);
else await compare();
