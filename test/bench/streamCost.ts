import { median, report } from './report.ts';

const streamsPerRound = 100;
const streamsAtOnce = 10;
const roundCount = 7;

/** Reads one stream and returns the number of texts in it. */
type ReadStream = () => Promise<number>;

interface StreamReaders {
  /** The events of one stream, encoded in its format. */
  readonly events: string;
  readonly client: ReadStream;
  /** undici, eventsource-parser and `JSON.parse`. */
  readonly bareParts: ReadStream;
  readonly peer: ReadStream;
  readonly peerName: string;
  /** The target for the client's CPU time, as a fraction of the peer's. */
  readonly peerTarget: number;
}

const maxOfBareParts = 1.15;

/**
 * Reports the CPU time of a hundred streams, ten at once, read by the client, by its bare parts and by its peer:
 * the median of several rounds, in which they alternate. Measures twice: with warm code, and right after a garbage
 * collection without an open reply, when V8 discards the machine code for replies and compiles it again.
 *
 * @param textCount how many texts each reader must see
 */
export async function reportStreamCost(textCount: number, readers: StreamReaders): Promise<void> {
  for (const collects of [false, true]) {
    const [client = 0, bareParts = 0, peer = 0] = await cpuTimes(textCount, collects, [
      readers.client,
      readers.bareParts,
      readers.peer,
    ]);
    const figure = `CPU of ${streamsPerRound} x ${readers.events}${collects ? ', after collecting garbage' : ''}: client / `;
    reportRatio(`${figure}undici + parser + JSON.parse`, client, bareParts, maxOfBareParts);
    reportRatio(`${figure}${readers.peerName}`, client, peer, readers.peerTarget);
  }
}

function reportRatio(figure: string, ours: number, theirs: number, target: number): void {
  report({
    figure,
    value: `${(ours / theirs).toFixed(2)} (${ours.toFixed(0)} ms / ${theirs.toFixed(0)} ms)`,
    target: `<= ${target.toFixed(2)}`,
    met: ours / theirs <= target,
  });
}

async function cpuTimes(
  textCount: number,
  collects: boolean,
  readers: readonly ReadStream[],
): Promise<readonly number[]> {
  for (const read of readers) await cpuMs(read, textCount);
  const rounds: number[][] = readers.map(() => []);
  for (let round = 0; round < roundCount; round++) {
    for (const [at, read] of readers.entries()) {
      if (collects) globalThis.gc?.();
      rounds[at]?.push(await cpuMs(read, textCount));
    }
  }
  return rounds.map(median);
}

async function cpuMs(read: ReadStream, textCount: number): Promise<number> {
  const before = process.cpuUsage();
  for (let at = 0; at < streamsPerRound; at += streamsAtOnce) {
    for (const seen of await Promise.all(Array.from({ length: streamsAtOnce }, read))) {
      if (seen !== textCount) throw new Error(`${seen} texts instead of ${textCount}`);
    }
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
