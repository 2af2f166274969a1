import assert from 'node:assert/strict';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { connectInspector, openOwnInspector } from '../support/liveObjects.ts';
import { MixedLoad } from '../support/mixedLoad.ts';
import { type ProcessSample, sampleProcess } from '../support/processSample.ts';
import { seed } from '../support/seed.ts';
import { createRandom } from '../support/seededRandom.ts';
import { startSoakUpstream } from '../support/soakUpstream.ts';

const minutes = Number(process.env.MODEL_GATEWAY_SOAK_MINUTES ?? 1);
const actionsPerSample = 200;
const lanes = 12;

/** The maximum use of each resource in the last quarter, as a multiple of the second quarter. */
const maxGrowth = 1.05;

/** The number of idle connections varies by about five, each with a descriptor and several listeners. */
const maxMore: Partial<Record<keyof ProcessSample, number>> = {
  descriptors: 5,
  timers: 5,
  sockets: 5,
  listeners: 75,
};

/** The first quarter fills caches and pools. */
const minSamples = 12;

function computeMedian(samples: readonly ProcessSample[], name: keyof ProcessSample): number {
  const sorted = samples.map((sample) => sample[name]).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? assert.fail();
}

const names = ['heapMiB', 'residentMiB', 'objects', 'descriptors', 'timers', 'sockets', 'listeners'] as const;

interface Row {
  readonly resource: string;
  readonly second: number;
  readonly last: number;
  readonly ratio: number;
  readonly hasGrown: boolean;
}

/** The median of each resource in the second and in the last quarter. */
function compareQuarters(owner: string, samples: readonly ProcessSample[]): readonly Row[] {
  const quarter = Math.floor(samples.length / 4);
  return names.map((name) => {
    const second = computeMedian(samples.slice(quarter, 2 * quarter), name);
    const last = computeMedian(samples.slice(-quarter), name);
    const ratio = second === 0 ? 1 + last : last / second;
    const isMore = last - second > (maxMore[name] ?? 0);
    return { resource: `${owner}: ${name}`, second, last, ratio, hasGrown: isMore && ratio > maxGrowth };
  });
}

async function connectInspectorTo(gateway: RunningGateway) {
  const [, address = ''] = /Debugger listening on (ws:\S+)/.exec(gateway.stderr()) ?? [];
  // The log of an hour must not count as memory of this process.
  gateway.process.stderr?.removeAllListeners('data').resume();
  return connectInspector(address);
}

describe('a local gateway and its clients under load', function () {
  this.timeout((minutes + 5) * 60_000);
  const opened: (() => unknown)[] = [];

  afterEach(async () => {
    for (const close of opened.splice(0).reverse()) await close();
  });

  it(`D19 do not use more memory, descriptors, timers and listeners the longer they run, for ${minutes} minutes`, async () => {
    const upstream = await startSoakUpstream();
    opened.push(() => upstream.close());
    const upstreams = ['steady', 'failing'].map((name) => {
      return { name, kind: 'openai-compatible', baseUrl: `${upstream.baseUrl}/${name}/v1` };
    });
    const env = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };
    const gateway = await startGateway({ config: { upstreams }, env });
    const gatewayInspector = await connectInspectorTo(gateway);
    const inspector = openOwnInspector();
    const load = new MixedLoad(gateway, createRandom(seed), lanes);
    opened.push(
      () => gateway.stop(),
      () => gatewayInspector.close(),
      () => inspector.close(),
      () => load.close(),
    );

    const samples: { gateway: ProcessSample; client: ProcessSample }[] = [];
    const end = performance.now() + minutes * 60_000;
    while (samples.length < minSamples || performance.now() < end) {
      await load.run(actionsPerSample);
      samples.push(
        await load.whileReceiving(async () => ({
          gateway: await sampleProcess(gatewayInspector.send, gateway.process.pid ?? 0),
          client: await sampleProcess(inspector.send, process.pid),
        })),
      );
    }

    const rows = (['gateway', 'client'] as const).flatMap((owner) =>
      compareQuarters(
        owner,
        samples.map((sample) => sample[owner]),
      ),
    );
    for (const { resource, second, last, ratio } of rows) {
      const figures = `${second.toFixed(1)}, then ${last.toFixed(1)} (${ratio.toFixed(3)} times)`;
      console.log(`      ${resource}: ${figures}`);
    }
    console.log(`      after ${samples.length * actionsPerSample} actions`);
    assert.deepEqual(
      rows.filter(({ hasGrown }) => hasGrown),
      [],
    );
  });
});
