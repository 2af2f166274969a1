import { readdirSync } from 'node:fs';
import { readLiveObjects, type SendToInspector } from './liveObjects.ts';

/** The resources that a process of Node uses after garbage has been collected. */
export interface ProcessSample {
  readonly heapMiB: number;
  readonly residentMiB: number;
  /** All objects and functions. */
  readonly objects: number;
  readonly descriptors: number;
  /** Including handles that do not keep the process alive. */
  readonly timers: number;
  readonly sockets: number;
  /** Of all event emitters and abort signals. */
  readonly listeners: number;
}

const emitterListeners = `function () {
  let count = 0;
  for (const emitter of this)
    // Prototypes of getters throw.
    try { for (const name of emitter.eventNames()) count += emitter.listenerCount(name); } catch {}
  return count;
}`;

const signalListeners = `function () {
  const { getEventListeners } = process.getBuiltinModule('node:events');
  let count = 0;
  for (const signal of this) try { count += getEventListeners(signal, 'abort').length; } catch {}
  return count;
}`;

const timerPrototype = `(() => {
  const timer = setTimeout(() => {});
  clearTimeout(timer);
  return Object.getPrototypeOf(timer);
})()`;

const waitingTimers = 'function () { return this.filter((timer) => timer._destroyed === false).length; }';

const usageExpression = '({ ...process.memoryUsage(), resources: process.getActiveResourcesInfo() })';

interface Usage {
  readonly heapUsed: number;
  readonly rss: number;
  readonly resources: readonly string[];
}

/** @param send to the inspector of the process */
export async function sampleProcess(send: SendToInspector, pid: number): Promise<ProcessSample> {
  const emitters = `process.getBuiltinModule('node:events').prototype`;
  const listeners =
    (await readLiveObjects(send, emitters, emitterListeners)) +
    (await readLiveObjects(send, 'AbortSignal.prototype', signalListeners));
  const timers = await readLiveObjects(send, timerPrototype, waitingTimers);
  const objects = await readLiveObjects(send, 'Object.prototype');
  await send('HeapProfiler.collectGarbage');
  const reply = (await send('Runtime.evaluate', { expression: usageExpression, returnByValue: true })) as {
    readonly result: { readonly value: Usage };
  };
  const { heapUsed, rss, resources } = reply.result.value;
  return {
    heapMiB: heapUsed / 2 ** 20,
    residentMiB: rss / 2 ** 20,
    objects,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    timers,
    sockets: resources.filter((name) => name.includes('Socket')).length,
    listeners,
  };
}
