import assert from 'node:assert/strict';
import type { CDPSession } from 'playwright-core';
import { countLiveObjects, type SendToInspector } from '../../support/liveObjects.ts';
import { browserOfTests } from './support/browserOfTests.ts';
import { ChatTestPage, noParameters, reply } from './support/chatPage.ts';
import { GenerateTestPage, synthesisForm } from './support/generatePage.ts';
import { TaskTestPage, task } from './support/taskPage.ts';
import type { TestPage } from './support/testPage.ts';

const repetitions = 200;
/** The first repetitions fill caches. */
const first = 20;

/** Fewer than one for two repetitions. */
const maxGrowth = repetitions / 2;

interface PageUse {
  readonly nodes: number;
  readonly listeners: number;
  readonly objects: number;
}

/** Reads the use of a page after garbage has been collected; some needs several collections. */
async function readUse(session: CDPSession): Promise<PageUse> {
  const send = session.send.bind(session) as SendToInspector;
  let objects = Number.POSITIVE_INFINITY;
  for (let next = await countLiveObjects(send); next < objects; next = await countLiveObjects(send)) {
    objects = next;
    await send('HeapProfiler.collectGarbage');
  }
  const { metrics } = await session.send('Performance.getMetrics');
  const valueNamed = (name: string) =>
    metrics.find((metric) => metric.name === name)?.value ?? assert.fail(name);
  return { nodes: valueNamed('Nodes'), listeners: valueNamed('JSEventListeners'), objects };
}

/** Repeats an action, and checks that the page then uses no more than after a few repetitions. */
async function repeats<I, O extends { type: string; channel: string }>(
  tested: TestPage<I, O>,
  act: (at: number) => Promise<unknown>,
): Promise<void> {
  const { page } = tested;
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const run = async (count: number) => {
    for (let at = 0; at < count; at += 1) await act(at);
    await tested.nextFrames();
    // The messages that the test recorded.
    await page.evaluate(() => window.posted.splice(0));
    return readUse(session);
  };
  const before = await run(first);
  const after = await run(repetitions);
  await session.detach();
  for (const name of ['nodes', 'listeners', 'objects'] as const) {
    const growth = after[name] - before[name];
    assert.ok(growth < maxGrowth, `${growth} ${name} in ${repetitions} repetitions`);
  }
}

const text =
  'A **bold** bird.\n\n- bird\n- `bird`\n\n```ts\nlet bird = 1;\n```\n\n| a | b |\n|-|-|\n| bird | $x^2$ |\n';

describe('D19 repeated 200 times without more nodes, listeners and objects', function () {
  this.timeout(300_000);

  describe('in a chat', () => {
    const chat = new ChatTestPage(browserOfTests);

    beforeEach(async () => {
      await chat.open();
      await chat.show([reply({ id: 'a', question: 'Which bird?', text })]);
      await chat.page.getByText('bold').waitFor();
    });

    afterEach(() => chat.close());

    it('find', async () => {
      const box = chat.page.getByRole('textbox', { name: 'Find' });
      await repeats(chat, async () => {
        await chat.post({ type: 'perform', action: 'find' });
        await box.fill('bird');
        await chat.page.locator('.find-count', { hasText: /^1 of/ }).waitFor();
        await box.press('Escape');
        await box.waitFor({ state: 'detached' });
      });
    });

    it('the parameters', async () => {
      const sheet = chat.page.getByRole('complementary', { name: 'Parameters' });
      const schema = {
        type: 'object',
        properties: { seed: { type: 'integer', description: 'Same seed, same answer.' } },
      };
      await repeats(chat, async () => {
        await chat.page.locator('.page-header [data-action="open-parameters"]').click();
        await chat.post({ ...noParameters, schema });
        await chat.page.locator('[role="searchbox"]:focus').waitFor();
        await chat.page.keyboard.press('Escape');
        await sheet.waitFor({ state: 'detached' });
      });
    });

    it('a request, whose streamed reply replaces the previous one', async () => {
      await repeats(chat, async (at) => {
        const turn = { id: `turn-${at}`, question: 'Which bird?' };
        await chat.show([reply({ ...turn, state: 'streaming' })]);
        for (let end = 20; end < text.length; end += 20)
          await chat.show([reply({ ...turn, state: 'streaming', text: text.slice(0, end) })]);
        await chat.show([reply({ ...turn, text: `${text}End ${at}.` })]);
        await chat.page.getByText(`End ${at}.`).waitFor();
      });
    });

    it('another chat', async () => {
      await repeats(chat, async (at) => {
        const turns = [1, 2, 3].map((turn) =>
          reply({ id: `${at}-${turn}`, text: `${text}End ${at}-${turn}.` }),
        );
        await chat.show(turns, {}, { chat: `chat-${at}` });
        await chat.page.getByText(`End ${at}-3.`).waitFor();
      });
    });

    it('a comparison', async () => {
      const models = ['red/first', 'green/second'];
      await repeats(chat, async (at) => {
        const columns = models.map((model, place) => [
          reply({ id: `${at}-${place}`, question: 'Which bird?', model, text: `${text}End ${at}.` }),
        ]);
        const comparison = { sharesQuestion: true, columns };
        await chat.show([], { compared: models, isComparing: true }, { comparison });
        await chat.page.getByText(`End ${at}.`).last().waitFor();
        await chat.show([]);
        await chat.page.locator('mg-column').first().waitFor({ state: 'detached' });
      });
    });
  });

  describe('in the page of a task', () => {
    const page = new TaskTestPage();

    beforeEach(() => page.open());

    afterEach(() => page.close());

    it('a task that runs and completes', async () => {
      await repeats(page, async (at) => {
        const tile = { key: `task-${at}`, prompt: `Cat ${at} on a roof` };
        await page.show(task({ tile: { ...tile, appearance: 'running', status: 'Running' } }));
        await page.page.getByText(tile.prompt).first().waitFor();
        await page.show(task({ tile }));
        await page.page.getByText('Completed').first().waitFor();
      });
    });
  });

  describe('in the page for videos', () => {
    const generate = new GenerateTestPage();

    beforeEach(() => generate.open());

    afterEach(() => generate.close());

    it('a form with a task', async () => {
      await repeats(generate, async (at) => {
        const { tile } = task({ tile: { key: `task-${at}`, prompt: `Cat ${at} on a roof` } });
        await generate.show({ tiles: [tile] });
        await generate.page.getByText(tile.prompt).first().waitFor();
        await generate.show({ form: { ...synthesisForm, fields: [] }, tiles: [] });
        await generate.page.getByText(tile.prompt).first().waitFor({ state: 'detached' });
      });
    });
  });
});
