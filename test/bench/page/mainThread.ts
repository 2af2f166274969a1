import type { CDPSession, Page } from 'playwright-core';

/** The processor time of a page's main thread, in milliseconds: the load of other programs does not count. */
export class MainThread {
  readonly #session: CDPSession;

  static async of(page: Page): Promise<MainThread> {
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    return new MainThread(session);
  }

  private constructor(session: CDPSession) {
    this.#session = session;
  }

  /** The duration of its tasks during `work`. */
  async cost(work: () => Promise<void>): Promise<number> {
    const before = await this.#taskTime();
    await work();
    return (await this.#taskTime()) - before;
  }

  async #taskTime(): Promise<number> {
    const { metrics } = await this.#session.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  }
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** The longest task of the page's main thread during `work`, in milliseconds of its processor time. */
export async function longestTask(page: Page, work: () => Promise<void>): Promise<number> {
  const browser = page.context().browser();
  if (!browser) throw new Error('The page has no browser');
  await browser.startTracing(page, { categories: ['toplevel'] });
  await work();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[];
  };
  const mains = traceEvents.filter(
    ({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain',
  );
  const isMain = ({ pid, tid }: TraceEvent) => mains.some((main) => main.pid === pid && main.tid === tid);
  const tasks = traceEvents.filter((event) => event.ph === 'X' && event.tdur !== undefined && isMain(event));
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}
