// The cost of reading streamed replies in each format: the client, its bare parts (undici, eventsource-parser and
// JSON.parse) and the provider's own package, each in a fresh process, one after another in a rotated order. CPU time of the
// whole process; the round with the least counts, because other work on the machine disturbed it least.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { report } from './report.ts';
import { type BenchServer, startServer } from './startServer.ts';
import { type FormatName, type ReaderName, streamReaders } from './streamReaders.ts';

const rounds = 3;
/** The first replies of a window, on cold code, and many replies. */
const eventCounts = [40_000, 400_000] as const;
const program = fileURLToPath(new URL('streamProcess.ts', import.meta.url));
const readers: readonly ReaderName[] = ['client', 'bareParts', 'peer'];

interface Targets {
  readonly peerName: string;
  readonly ofPeer: number;
  /** The target relative to the bare parts, for writes of 16 KB and for one event in each write. */
  readonly ofBareParts: readonly [large: number, single: number];
}

const targets = {
  'chat completions': { peerName: 'openai', ofPeer: 0.6, ofBareParts: [0.8, 1.05] },
  messages: { peerName: '@anthropic-ai/sdk', ofPeer: 1, ofBareParts: [1, 1.05] },
  responses: { peerName: 'openai', ofPeer: 0.8, ofBareParts: [1.05, 1.05] },
  'content generation': { peerName: '@google/genai', ofPeer: 0.4, ofBareParts: [0.8, 1.05] },
  interactions: { peerName: '@google/genai', ofPeer: 1, ofBareParts: [1.05, 1.05] },
} as const satisfies Readonly<Record<FormatName, Targets>>;

/** Returns the CPU seconds for each of `eventCounts`. */
function measure(format: FormatName, reader: ReaderName, { baseUrl }: BenchServer): readonly number[] {
  const args = [program, format, reader, baseUrl, ...eventCounts.map(String)];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as number[];
}

/** Returns the least CPU seconds of each reader for each of `eventCounts`. */
function leastSeconds(format: FormatName, server: BenchServer): ReadonlyMap<ReaderName, readonly number[]> {
  const least = new Map<ReaderName, readonly number[]>();
  for (let round = 0; round < rounds; round++) {
    for (const at of readers.keys()) {
      const reader = readers[(at + round) % readers.length] ?? 'client';
      const seconds = measure(format, reader, server);
      const known = least.get(reader);
      least.set(
        reader,
        seconds.map((value, nth) => Math.min(value, known?.[nth] ?? value)),
      );
    }
  }
  return least;
}

function reportRatio(figure: string, ours: number, theirs: number, target: number): void {
  report({
    figure,
    value: `${(ours / theirs).toFixed(2)} (${ours.toFixed(2)} s / ${theirs.toFixed(2)} s)`,
    target: `<= ${target.toFixed(2)}`,
    met: ours / theirs <= target,
  });
}

for (const [nth, writes] of (['16 KB writes', 'single events'] as const).entries()) {
  const server = await startServer('streamServer.ts', ...(nth === 1 ? ['single'] : []));
  for (const format of Object.keys(streamReaders) as FormatName[]) {
    const { peerName, ofPeer, ofBareParts } = targets[format];
    const least = leastSeconds(format, server);
    for (const [at, count] of eventCounts.entries()) {
      const seconds = (reader: ReaderName) => least.get(reader)?.[at] ?? Number.NaN;
      const figure = `CPU of the first ${count} events of ${format}, ${writes}: client /`;
      reportRatio(`${figure} bare parts`, seconds('client'), seconds('bareParts'), ofBareParts[nth] ?? 1);
      reportRatio(`${figure} ${peerName}`, seconds('client'), seconds('peer'), ofPeer);
    }
  }
  server.close();
}
