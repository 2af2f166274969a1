import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { TaskAction, TaskView } from '../../../src/protocol/taskPage.ts';
import type { PageOptions } from './support/pageBrowser.ts';
import { createTaskView, startedAt, type TaskDraft, TaskTestPage } from './support/taskPage.ts';
import { completed, failed, running } from './support/taskShowcase.ts';
import { measureBoxes, waitForFocus } from './support/waits.ts';

describe('the task page', () => {
  const page = new TaskTestPage();

  async function open(view: TaskView, options?: PageOptions): Promise<void> {
    await page.open(options);
    await page.show(view);
  }

  afterEach(() => page.close());

  const button = (name: string): Locator => page.page.getByRole('button', { name, exact: true });
  const readFocused = (): Promise<string> =>
    page.page.evaluate(() => document.activeElement?.textContent.trim() ?? '');

  async function postedActions(): Promise<readonly TaskAction[]> {
    return (await page.readPosted()).flatMap((message) =>
      message.type === 'action' ? [message.action] : [],
    );
  }

  describe('with buttons', () => {
    it('shows the main buttons of a running task in its progress region, and the others in the menu', async () => {
      await open(running);
      await page.page
        .getByRole('region', { name: 'Running' })
        .getByRole('button', { name: 'Cancel Task' })
        .click();
      assert.equal(await button('Stop Watching').count(), 0);
      await button('More Actions…').click();
      assert.deepEqual(await page.page.getByRole('menuitem').allInnerTexts(), [
        'Stop Watching',
        'Copy Task ID',
        'Delete at the Gateway…',
      ]);
      await page.page.getByRole('menuitem', { name: 'Stop Watching' }).click();
      assert.deepEqual(await postedActions(), ['cancel', 'stop-watching']);
      assert.equal(await page.page.getByRole('menu').count(), 0);
    });

    it('sends one action for a double click', async () => {
      await open(running);
      await button('Cancel Task').dblclick();
      await button('Check Now').dblclick();
      assert.deepEqual(await postedActions(), ['cancel', 'watch-now']);
    });

    it('shows all buttons in the menu when it is narrow', async () => {
      await open(completed(undefined), { width: 300 });
      assert.equal(await button('Edit and Run Again…').isVisible(), false);
      await button('More Actions…').click();
      assert.equal(await page.page.getByRole('menuitem').count(), 5);
    });

    it('shows the menu only when it is narrow if all buttons are main buttons', async () => {
      await open({ ...completed(undefined), mainButtons: 5 }, { width: 1000 });
      assert.equal(await button('More Actions…').count(), 0);
      await page.resize(300, 600);
      assert.equal(await button('More Actions…').count(), 1);
    });

    it('has a menu that can be used by keyboard', async () => {
      await open(running);
      await button('More Actions…').focus();
      await page.page.keyboard.press('Enter');
      assert.equal(await readFocused(), 'Stop Watching');
      for (const [key, item] of [
        ['ArrowDown', 'Copy Task ID'],
        ['ArrowUp', 'Stop Watching'],
        ['ArrowUp', 'Delete at the Gateway…'],
        ['ArrowDown', 'Stop Watching'],
        ['End', 'Delete at the Gateway…'],
        ['Home', 'Stop Watching'],
      ] as const) {
        await page.page.keyboard.press(key);
        assert.equal(await readFocused(), item, key);
      }
      await page.page.keyboard.press('Escape');
      assert.equal(await page.page.getByRole('menu').count(), 0);
      await waitForFocus(button('More Actions…'));
      await page.page.keyboard.press('ArrowDown');
      await page.page.keyboard.press('ArrowDown');
      await page.page.keyboard.press('Enter');
      assert.deepEqual(await postedActions(), ['copy-task-id']);
      await waitForFocus(button('More Actions…'));
    });

    it('closes the menu by a click elsewhere or a second click on its button', async () => {
      await open(running);
      await button('More Actions…').click();
      const menu = page.page.getByRole('menu');
      await menu.waitFor();
      await page.page.locator('.percent').click();
      await menu.waitFor({ state: 'detached' });
      await button('More Actions…').click();
      await menu.waitFor();
      await button('More Actions…').click();
      await menu.waitFor({ state: 'detached' });
      assert.deepEqual(await postedActions(), []);
    });

    it('keeps an open menu open, with its focus, when a new state arrives', async () => {
      await open(running);
      await button('More Actions…').click();
      await page.page.keyboard.press('ArrowDown');
      await page.show({ ...running, record: '{}' });
      assert.equal(await readFocused(), 'Copy Task ID');
      await page.show({
        ...running,
        buttons: running.buttons.filter(({ action }) => action !== 'copy-task-id'),
      });
      assert.equal(await readFocused(), 'Stop Watching');
    });

    it('keeps the focus on a button when another button is removed', async () => {
      await open(running);
      await button('Check Now').focus();
      await page.show({ ...running, buttons: running.buttons.slice(1) });
      assert.equal(await readFocused(), 'Check Now');
    });
  });

  describe('has notices that', () => {
    for (const severity of ['info', 'error'] as const) {
      it(`show a title, a detail and a button for the severity ${severity}`, async () => {
        const notice = { ...failed.notice, title: 'What', detail: 'Why,\nin two lines', severity };
        await open(
          createTaskView({
            notice: { ...notice, buttons: [{ action: 'set-credential', label: 'Set Credential…' }] },
          }),
        );
        assert.equal(await page.page.locator('.notice strong').innerText(), 'What');
        assert.equal(await page.page.locator('.notice-detail').innerText(), 'Why,\nin two lines');
        assert.equal(await page.page.locator(`.notice .codicon-${severity}`).count(), 1);
        await button('Set Credential…').click();
        assert.deepEqual(await page.readPosted(), [
          { type: 'action', action: 'set-credential', channel: 'test-channel' },
        ]);
      });
    }
  });

  describe('has a timeline that', () => {
    it('lists the states in order, with their times and durations', async () => {
      await open(running, { now: startedAt + 42_300 });
      assert.deepEqual(
        (await page.page.locator('.step').allInnerTexts()).map((text) => text.split('\n')),
        [
          ['Submitted', '14:01:02', '1 s'],
          ['Queued', '14:01:03', '17 s'],
          ['Running', '14:01:20'],
        ],
      );
    });

    it('shows the states that the gateway reported in tooltips', async () => {
      await open(running);
      const tooltips = page.page.locator('.step-label, .task-status');
      assert.deepEqual(await tooltips.evaluateAll((all) => all.map((each) => each.getAttribute('title'))), [
        'Reported by the gateway: “in_progress”',
        null,
        null,
        'Reported by the gateway: “in_progress”, “running”',
      ]);
    });

    it('is horizontal when it fits, and vertical when it does not', async () => {
      await open(running, { width: 1000 });
      const tops = async () =>
        new Set(
          await page.page
            .locator('.step')
            .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().top)),
        );
      assert.equal((await tops()).size, 1);
      await page.resize(500, 600);
      assert.equal((await tops()).size, 3);
      await page.resize(1000, 600);
      const many = Array.from({ length: 9 }, (_, at) => ({
        at,
        label: `state ${at}`,
        appearance: 'running' as const,
      }));
      await page.show({ ...running, timeline: many });
      assert.equal((await tops()).size, 9);
    });

    it('shows long durations in one line between the icons of five steps', async () => {
      const hour = 3_600_000;
      const timeline = ['Submitted', 'Queued', 'Running', 'Saving', 'Completed'].map((label, nth) => ({
        at: startedAt + nth * 23.99 * hour,
        label,
        appearance: 'completed' as const,
      }));
      await open({ ...running, timeline }, { width: 925 });
      const steps = page.page.locator('.step');
      for (const nth of [0, 1, 2, 3]) {
        const step = steps.nth(nth);
        const [duration, label, icon, nextIcon] = await measureBoxes(
          step.locator('.step-duration'),
          step.locator('.step-label'),
          step.locator('.codicon'),
          steps.nth(nth + 1).locator('.codicon'),
        );
        assert.ok(duration.y + duration.height <= label.y, `the duration covers the label of step ${nth}`);
        assert.ok(duration.x >= icon.x + icon.width, `the duration covers the icon of step ${nth}`);
        assert.ok(
          duration.x + duration.width <= nextIcon.x,
          `the duration covers the icon after step ${nth}`,
        );
      }
    });
  });

  describe('has a prompt that', () => {
    const more = (): Locator => button('Show More');

    it('is shortened when it is long, until Show More is pressed', async () => {
      await open(running);
      const prompt = page.page.locator('.prompt-text');
      const [folded] = await measureBoxes(prompt);
      await more().click();
      assert.ok((await measureBoxes(prompt))[0].height > folded.height * 1.5);
      await page.show({ ...running, record: '{}' });
      await button('Show Less').click();
      assert.equal((await measureBoxes(prompt))[0].height, folded.height);
    });

    it('is shown completely when it has few lines, and omitted when it is unknown', async () => {
      await open(createTaskView({ tile: { prompt: 'one\ntwo' } }));
      assert.equal(await page.page.locator('.prompt-text').innerText(), 'one\ntwo');
      assert.equal(await more().count(), 0);
      await page.show(createTaskView({ tile: { prompt: '' } }));
      assert.equal(await page.page.getByText('Prompt').count(), 0);
    });
  });

  describe('has details that', () => {
    it('show the labels of the Generate form, and the sent names and values in tooltips', async () => {
      const size = { label: 'Size', value: '1280 × 720', name: 'parameters.size', sent: '1280*720' };
      await open(createTaskView({ recipe: [size, { label: 'Gateway', value: 'work' }] }));
      const tooltips = await page.page
        .locator('.recipe :is(dt, dd)')
        .evaluateAll((all) => all.map((each) => [each.textContent, each.getAttribute('title')]));
      assert.deepEqual(tooltips, [
        ['Size', 'parameters.size'],
        ['1280 × 720', '1280*720'],
        ['Gateway', null],
        ['work', null],
      ]);
    });

    it('list the recipe and the ids, which can be copied', async () => {
      await open(
        createTaskView({ recipe: [{ label: 'Seed', value: '42' }], taskId: 'tsk_1', requestId: 'req_1' }),
      );
      assert.deepEqual(await page.page.getByRole('term').allInnerTexts(), ['Seed', 'Task ID', 'Request ID']);
      await button('Copy Task ID').click();
      await button('Copy Request ID').click();
      assert.deepEqual(await postedActions(), ['copy-task-id', 'copy-request-id']);
      await page.page.getByRole('status').getByText('Copied').waitFor();
    });
  });

  describe('with another task', () => {
    it('starts at the top, with all folds closed, without an announcement', async () => {
      const long = JSON.stringify(
        Array.from({ length: 300 }, (_, each) => each),
        null,
        2,
      );
      await open(createTaskView({ record: long, tile: { prompt: 'one' } }), { height: 240 });
      await page.page.getByText('Original record from the gateway').click();
      const scroller = page.page.locator('main');
      await scroller.evaluate((each) => each.scrollTo(0, 200));
      await page.show(
        createTaskView({ record: long, tile: { key: 'task-2', prompt: 'two', status: 'Failed' } }),
      );
      assert.equal(await page.page.locator('details[open]').count(), 0);
      await page.page.waitForFunction(() => document.querySelector('main')?.scrollTop === 0);
      assert.equal(await page.page.locator('.prompt-text').innerText(), 'two');
      assert.equal(await page.page.getByRole('status').innerText(), '');
    });
  });

  describe('with a new state', () => {
    const long: TaskDraft = {
      record: JSON.stringify(
        { status: 'running', list: Array.from({ length: 200 }, (_, at) => at) },
        null,
        2,
      ),
      request: '{\n  "model": "wan-t2v"\n}',
      failedPolls: [{ at: startedAt, text: 'No answer' }],
    };

    it('does not change folds, scroll position and selection', async () => {
      await open(createTaskView(long), { height: 240 });
      await page.page.getByText('Original record from the gateway').click();
      await page.page.getByText('"running"').waitFor();
      await page.page.getByText('Failed status checks (1)').click();
      const scroller = page.page.locator('main');
      await scroller.evaluate((each) => each.scrollTo(0, 100));
      await page.page
        .locator('.json')
        .first()
        .evaluate((each) => getSelection()?.selectAllChildren(each));
      await page.show(createTaskView({ ...long, record: '{"status": "completed"}', durationMs: 5000 }));
      assert.equal(await scroller.evaluate((each) => each.scrollTop), 100);
      assert.equal(await page.page.locator('details[open]').count(), 2);
      assert.match(await page.page.evaluate(() => String(getSelection())), /"running"/);
      await page.page.evaluate(() => getSelection()?.empty());
      await page.page.getByText('"completed"').waitFor();
    });

    it('restores folds and scroll position after the page was hidden', async () => {
      await open(createTaskView(long), { height: 240 });
      await page.page.getByText('Request', { exact: true }).click();
      await page.page.getByText('Original record from the gateway').click();
      await page.page.getByText('Request', { exact: true }).click();
      await page.page.locator('main').evaluate(
        (each) =>
          new Promise((resolve) => {
            each.addEventListener('scrollend', resolve, { once: true });
            each.scrollTo(0, 100);
          }),
      );
      await page.page.reload();
      await page.page.waitForFunction(() => window.posted.length > 0);
      await page.show(createTaskView(long));
      assert.equal(await page.page.locator('details[open]').count(), 1);
      await page.page.getByText('"running"').waitFor();
      await page.page.waitForFunction(() => document.querySelector('main')?.scrollTop === 100);
    });
  });

  describe('has a record of 1 MB that', () => {
    const record = JSON.stringify(
      Array.from({ length: 9000 }, (_, id) => ({ id, status: 'running', note: 'x'.repeat(60), done: false })),
      null,
      2,
    );

    it('is shown completely, with highlighting only at its start', async () => {
      assert.ok(record.length > 1_000_000);
      await open(createTaskView({ record }));
      assert.equal(await page.page.locator('.json-box').count(), 0);
      await page.page.getByText('Original record from the gateway').click();
      await page.page.locator('.json-box').first().waitFor();
      const code = page.page.locator('.json code');
      assert.equal(await code.evaluate((each) => each.textContent), record);
      const coloured = await code.locator('.token-string').count();
      assert.ok(coloured > 100 && coloured < 2000, `${coloured} words in colour`);
      await button('Copy Record').click();
      assert.deepEqual(await postedActions(), ['copy-record']);
    });
  });
});
