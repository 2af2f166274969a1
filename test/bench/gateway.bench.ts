// The overhead of the local gateway per request, compared with a bare Node pipe and two other gateways. Each runs
// in its own process in front of the same upstream, and they are measured in turn, round by round. The best round
// of each counts, because other work on the machine disturbed it least.
import { Caller, requestBytes } from './gateways/callers.ts';
import { type Measured, startGateways, startUpstream } from './gateways/measured.ts';
import { median, report } from './report.ts';

const rounds = 6;
const path = '/v1/chat/completions';
const eventCount = 200;
/** A prompt of 128 KB, with the quotes and line ends that code has. */
const longPrompt = 'words and "quotes"\n'.repeat(6_400);

interface Load {
  readonly callers: number;
  readonly requests: number;
  readonly prompt?: string;
  /** The number of streamed events. */
  readonly events?: number;
}

/** The figures of one load, from its best round. */
interface Result {
  readonly latencyMs: number;
  readonly firstByteMs: number;
  readonly perSecond: number;
  readonly cpuMicros: number;
}

const loads = {
  warm: { callers: 12, requests: 1_500 },
  alone: { callers: 1, requests: 600 },
  twelve: { callers: 12, requests: 1_500 },
  many: { callers: 32, requests: 1_500 },
  longPrompt: { callers: 4, requests: 250, prompt: longPrompt },
  firstToken: { callers: 1, requests: 60, events: 1 },
  stream: { callers: 8, requests: 48, events: eventCount },
} as const satisfies Readonly<Record<string, Load>>;

type LoadName = keyof typeof loads;

async function run(to: Measured, load: Load): Promise<Result> {
  const { callers: count, requests, prompt = 'hello', events } = load;
  const body = {
    model: to.model,
    messages: [{ role: 'user', content: prompt }],
    ...(events !== undefined && { stream: true, max_tokens: events }),
  };
  const bytes = requestBytes({ port: to.port, path, headers: to.headers, body });
  const callers = await Promise.all(Array.from({ length: count }, () => Caller.connect(to.port)));
  const before = await to.usage?.();
  const started = performance.now();
  let remaining = requests;
  const replies = callers.map(async (caller) => {
    const times: Awaited<ReturnType<Caller['ask']>>[] = [];
    while (remaining-- > 0) times.push(await caller.ask(bytes));
    return times;
  });
  const times = (await Promise.all(replies)).flat();
  const ms = performance.now() - started;
  const after = await to.usage?.();
  for (const caller of callers) caller.close();
  return {
    latencyMs: median(times.map(({ totalMs }) => totalMs)),
    firstByteMs: median(times.map(({ firstByteMs }) => firstByteMs)),
    perSecond: (requests / ms) * 1_000,
    cpuMicros: ((after?.cpuMicros ?? 0) - (before?.cpuMicros ?? 0)) / requests,
  };
}

function best(results: readonly Result[]): Result {
  return {
    latencyMs: Math.min(...results.map(({ latencyMs }) => latencyMs)),
    firstByteMs: Math.min(...results.map(({ firstByteMs }) => firstByteMs)),
    perSecond: Math.max(...results.map(({ perSecond }) => perSecond)),
    cpuMicros: Math.min(...results.map(({ cpuMicros }) => cpuMicros)),
  };
}

const upstream = await startUpstream();
const gateways = await startGateways(upstream.port);
const measured: readonly Measured[] = [upstream, ...gateways];
const found = new Map<string, Result[]>();
for (const name of Object.keys(loads) as LoadName[]) {
  for (let round = 0; round < rounds; round++) {
    for (const to of measured.filter(({ lacksStreams }) => !(lacksStreams && 'events' in loads[name]))) {
      const key = `${name} ${to.name}`;
      found.set(key, [...(found.get(key) ?? []), await run(to, loads[name])]);
    }
  }
}
const peaks = new Map<string, number>();
for (const { name, usage } of gateways) peaks.set(name, ((await usage?.())?.peakKilobytes ?? 0) / 1024);
for (const { close } of measured) close();

const result = (load: LoadName, name: string) => best(found.get(`${load} ${name}`) ?? []);

/** A figure of each gateway. */
type Figure = (name: string) => number;

const addedLatencyAt =
  (load: LoadName): Figure =>
  (name) =>
    result(load, name).latencyMs - result(load, 'upstream').latencyMs;
const addedLatency = addedLatencyAt('alone');
const addedFirstToken: Figure = (name) =>
  result('firstToken', name).firstByteMs - result('firstToken', 'upstream').firstByteMs;
const perSecondAt12: Figure = (name) => result('twelve', name).perSecond;
const perSecondAt32: Figure = (name) => result('many', name).perSecond;
const cpuPerRequest: Figure = (name) => result('twelve', name).cpuMicros;
const cpuPerEvent: Figure = (name) => result('stream', name).cpuMicros / eventCount;
const cpuOfLongPrompt: Figure = (name) => result('longPrompt', name).cpuMicros;
const peakMemory: Figure = (name) => peaks.get(name) ?? Number.NaN;

interface Comparison {
  readonly name: string;
  readonly figure: Figure;
  readonly unit: string;
  /** The upper or lower limits of our figure relative to another gateway's, by the name of that gateway. */
  readonly atMost?: Readonly<Record<string, number>>;
  readonly atLeast?: Readonly<Record<string, number>>;
}

const comparisons: readonly Comparison[] = [
  {
    name: 'added latency, p50',
    figure: addedLatency,
    unit: 'ms',
    atMost: { Portkey: 1 / 3, musistudio: 1 / 2 },
  },
  { name: 'added latency of 12 callers, p50', figure: addedLatencyAt('twelve'), unit: 'ms' },
  { name: 'requests a second of 12 callers', figure: perSecondAt12, unit: '', atLeast: { pipe: 1 } },
  {
    name: 'requests a second of 32 callers',
    figure: perSecondAt32,
    unit: '',
    atLeast: { pipe: 1, Portkey: 5, musistudio: 2.5 },
  },
  { name: 'CPU of a request', figure: cpuPerRequest, unit: 'µs', atMost: { pipe: 1.1 } },
  { name: 'CPU of a streamed event', figure: cpuPerEvent, unit: 'µs', atMost: { pipe: 0.7 } },
  { name: 'added time to the first token, p50', figure: addedFirstToken, unit: 'ms', atMost: { pipe: 1.2 } },
  { name: 'CPU of a prompt of 128 KB', figure: cpuOfLongPrompt, unit: 'µs', atMost: { pipe: 2 } },
  { name: 'peak memory', figure: peakMemory, unit: 'MiB', atMost: { Portkey: 1 / 2 } },
];

/** Reports a figure of one gateway next to that of another. The targets apply to our gateway. */
function compare(one: string, other: string, { name, figure, unit, atMost = {}, atLeast = {} }: Comparison) {
  const ratio = figure(one) / figure(other);
  if (!Number.isFinite(ratio) || ratio === 0) return;
  const isOurs = one === 'ours';
  const most = isOurs ? atMost[other] : undefined;
  const least = isOurs ? atLeast[other] : undefined;
  const format = (value: number) => `${value.toPrecision(3)}${unit === '' ? '' : ` ${unit}`}`;
  report({
    figure: `gateway: ${name}, ${one} / ${other}`,
    value: `${ratio.toFixed(2)} (${format(figure(one))} / ${format(figure(other))})`,
    target: most !== undefined ? `<= ${most.toFixed(2)}` : least !== undefined ? `>= ${least}` : 'none',
    met: (most === undefined || ratio <= most) && (least === undefined || ratio >= least),
  });
}

/** Reports a figure of our gateway alone. */
function reportOwn(name: string, value: number, unit: string, atMost: number): void {
  report({
    figure: `gateway: ${name}, ours`,
    value: `${value.toPrecision(3)} ${unit}`,
    target: `<= ${atMost} ${unit}`,
    met: value <= atMost,
  });
}

reportOwn('added latency, p50', addedLatency('ours'), 'ms', 0.2);
reportOwn('peak memory', peakMemory('ours'), 'MiB', 130);

const others = gateways.map(({ name }) => name).filter((name) => name !== 'ours');
for (const comparison of comparisons) {
  for (const other of others) compare('ours', other, comparison);
  if (comparison.figure !== addedLatency) continue;
  // The targets against gateways with more features than a pipe.
  for (const other of others.filter((name) => name !== 'pipe')) compare('pipe', other, comparison);
}
