import assert from 'node:assert/strict';
import type { CDPSession } from 'playwright-core';
import { countLiveObjects, type SendToInspector } from '../../support/liveObjects.ts';
import { ChatTestPage, createTurn, noParameters } from './support/chatPage.ts';
import { GenerateTestPage, synthesisForm } from './support/generatePage.ts';
import { createTaskView, TaskTestPage } from './support/taskPage.ts';
import { getTestBrowser } from './support/testBrowser.ts';
import type { TestPage } from './support/testPage.ts';

const repetitions = 200;
/** The first repetitions fill caches. */
const warmUpRepetitions = 20;

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
async function assertNoGrowth<I, O extends { type: string; channel: string }>(
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
  const before = await run(warmUpRepetitions);
  const after = await run(repetitions);
  await session.detach();
  for (const name of ['nodes', 'listeners', 'objects'] as const) {
    const growth = after[name] - before[name];
    assert.ok(growth < maxGrowth, `${growth} ${name} in ${repetitions} repetitions`);
  }
}

const text =
  'A **bold** bird.\n\n- bird\n- `bird`\n\n```ts\nlet bird = 1;\n```\n\n| a | b |\n|-|-|\n| bird | $x^2$ |\n';

describe('D19 pages do not leak nodes, listeners or objects', function () {
  this.timeout(300_000);

  describe('in a chat', () => {
    const chat = new ChatTestPage(getTestBrowser);

    beforeEach(async () => {
      await chat.open();
      await chat.show([createTurn({ id: 'a', question: 'Which bird?', text })]);
      await chat.page.getByText('bold').waitFor();
    });

    afterEach(() => chat.close());

    it('when it is searched 200 times', async () => {
      const box = chat.page.getByRole('textbox', { name: 'Find' });
      await assertNoGrowth(chat, async () => {
        await chat.post({ type: 'perform', action: 'find' });
        await box.fill('bird');
        await chat.page.locator('.find-count', { hasText: /^1 of/ }).waitFor();
        await box.press('Escape');
        await box.waitFor({ state: 'detached' });
      });
    });

    it('when its parameters are opened 200 times', async () => {
      const sheet = chat.page.getByRole('complementary', { name: 'Parameters' });
      const schema = {
        type: 'object',
        properties: { seed: { type: 'integer', description: 'Same seed, same answer.' } },
      };
      await assertNoGrowth(chat, async () => {
        await chat.page.locator('.page-header [data-action="open-parameters"]').click();
        await chat.post({ ...noParameters, schema });
        await chat.page.locator('[role="searchbox"]:focus').waitFor();
        await chat.page.keyboard.press('Escape');
        await sheet.waitFor({ state: 'detached' });
      });
    });

    it('when a streamed reply replaces the previous one 200 times', async () => {
      await assertNoGrowth(chat, async (at) => {
        const turn = { id: `turn-${at}`, question: 'Which bird?' };
        await chat.show([createTurn({ ...turn, state: 'streaming' })]);
        for (let end = 20; end < text.length; end += 20)
          await chat.show([createTurn({ ...turn, state: 'streaming', text: text.slice(0, end) })]);
        await chat.show([createTurn({ ...turn, text: `${text}End ${at}.` })]);
        await chat.page.getByText(`End ${at}.`).waitFor();
      });
    });

    it('when another chat is shown 200 times', async () => {
      await assertNoGrowth(chat, async (at) => {
        const turns = [1, 2, 3].map((turn) =>
          createTurn({ id: `${at}-${turn}`, text: `${text}End ${at}-${turn}.` }),
        );
        await chat.show(turns, {}, { chat: `chat-${at}` });
        await chat.page.getByText(`End ${at}-3.`).waitFor();
      });
    });

    it('when models are compared 200 times', async () => {
      const models = ['red/first', 'green/second'];
      await assertNoGrowth(chat, async (at) => {
        const columns = models.map((model, place) => [
          createTurn({ id: `${at}-${place}`, question: 'Which bird?', model, text: `${text}End ${at}.` }),
        ]);
        const comparison = { sharesQuestion: true, columns };
        await chat.show([], { compared: models, isComparing: true }, { comparison });
        await chat.page.getByText(`End ${at}.`).last().waitFor();
        await chat.show([]);
        await chat.page.locator('mg-column').first().waitFor({ state: 'detached' });
      });
    });
  });

  describe('on the task page', () => {
    const page = new TaskTestPage();

    beforeEach(() => page.open());

    afterEach(() => page.close());

    it('when a task runs and completes 200 times', async () => {
      await assertNoGrowth(page, async (at) => {
        const tile = { key: `task-${at}`, prompt: `Cat ${at} on a roof` };
        await page.show(createTaskView({ tile: { ...tile, appearance: 'running', status: 'Running' } }));
        await page.page.getByText(tile.prompt).first().waitFor();
        await page.show(createTaskView({ tile }));
        await page.page.getByText('Completed').first().waitFor();
      });
    });
  });

  describe('on the Generate page', () => {
    const generate = new GenerateTestPage();

    beforeEach(() => generate.open());

    afterEach(() => generate.close());

    it('when a form with a task is shown 200 times', async () => {
      await assertNoGrowth(generate, async (at) => {
        const { tile } = createTaskView({ tile: { key: `task-${at}`, prompt: `Cat ${at} on a roof` } });
        await generate.show({ tiles: [tile] });
        await generate.page.getByText(tile.prompt).first().waitFor();
        await generate.show({ form: { ...synthesisForm, fields: [] }, tiles: [] });
        await generate.page.getByText(tile.prompt).first().waitFor({ state: 'detached' });
      });
    });
  });
});
