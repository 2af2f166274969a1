import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { TaskProgress } from '../../../src/base/taskProgress.ts';
import type { TaskView } from '../../../src/protocol/taskPage.ts';
import type { PageOptions } from './support/pageBrowser.ts';
import { createTaskView, startedAt, TaskTestPage } from './support/taskPage.ts';
import { running, unknownOutcome } from './support/taskShowcase.ts';
import { measureBoxes } from './support/waits.ts';

describe('the progress of a task on its page', () => {
  const page = new TaskTestPage();

  async function open(view: TaskView, options?: PageOptions): Promise<void> {
    await page.open(options);
    await page.show(view);
  }

  afterEach(() => page.close());

  const title = (): Locator => page.page.getByRole('heading', { level: 1 });
  const elapsed = (): Locator => page.page.locator('.underway-state');

  it('fills the place of the result with the state, a progress bar, the next step and buttons', async () => {
    await open({ ...running, next: 'When it is done, the result is kept.' }, { width: 1000, height: 800 });
    const underway = page.page.getByRole('region', { name: 'Running' });
    for (const part of [
      underway.getByText(/^Running for/),
      underway.getByRole('progressbar'),
      underway.getByText('When it is done'),
      underway.getByRole('button', { name: 'Cancel Task' }),
    ]) {
      await part.waitFor();
    }
    const [box, room] = await measureBoxes(underway, page.page.locator('.task-output'));
    assert.ok(box.width === room.width && box.height === room.height);
    assert.ok(box.height > 150, `${box.height} pixels high`);
    await page.savePicture('task-running-fills');
  });

  describe('has a time that', () => {
    const now = startedAt + 42_300;

    it('counts seconds while the task runs', async () => {
      await open(running, { now });
      await page.passTime(60_000);
      assert.match(await elapsed().innerText(), /1 min 42 s/);
      await page.passTime(1000);
      assert.match(await elapsed().innerText(), /1 min 43 s/);
      await page.passTime(17_000);
      assert.match(await elapsed().innerText(), /2 min$/);
    });

    it('is not updated while the page is hidden, and is correct when it is shown again', async () => {
      await open(running, { now });
      await page.passTime(60_000);
      await setHidden(true);
      await page.passTime(20_000);
      assert.match(await elapsed().innerText(), /1 min 42 s/);
      await setHidden(false);
      assert.match(await elapsed().innerText(), /2 min 2 s/);
      await page.passTime(1000);
      assert.match(await elapsed().innerText(), /2 min 3 s/);
    });

    it('stops when the task ends', async () => {
      await open(running, { now });
      await page.show(createTaskView({ durationMs: 53_000 }));
      assert.match(await title().innerText(), /53 s$/);
    });

    it('is the start time when the end of the task is unknown', async () => {
      await open(unknownOutcome, { now });
      assert.match(await title().innerText(), /14:01:02$/);
      await page.passTime(24 * 3600_000);
      await page.show({ ...unknownOutcome });
      assert.match(await title().innerText(), /2026-11-20 14:01:02$/);
    });

    async function setHidden(hidden: boolean): Promise<void> {
      await page.page.evaluate(async (value) => {
        Object.defineProperty(document, 'hidden', { value, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
        await Promise.resolve();
      }, hidden);
    }
  });

  describe('has a bar that', () => {
    const bar = (): Locator => page.page.getByRole('progressbar');

    const readFigure = (): Promise<string> => page.page.locator('.percent').innerText();
    const readSource = (): Promise<string> => page.page.locator('.progress-source').innerText();

    function withProgress(progress: TaskProgress): TaskView {
      return createTaskView({ tile: { appearance: 'running', status: 'Running', progress } });
    }

    function at(percent: number): TaskView {
      return withProgress({ kind: 'reported', percent });
    }

    it('shows the percentage that the gateway reported, and marks a decrease', async () => {
      await open(at(40));
      assert.deepEqual([await readFigure(), await readSource()], ['40 %', 'As reported by the gateway.']);
      assert.equal(await bar().evaluate((each: HTMLProgressElement) => each.value), 40);
      await page.show(withProgress({ kind: 'reported', percent: 25, previousPercent: 40 }));
      assert.equal(await readFigure(), '25 % (was 40 %)');
    });

    it('marks an estimate, advances it over time, and shows when it is exceeded', async () => {
      const now = startedAt + 60_000;
      await open(withProgress({ kind: 'estimated', startedAt, typicalMs: 80_000 }), { now });
      await page.passTime(2000);
      assert.match(await readFigure(), /^about 62 %$/);
      assert.match(await readSource(), /^Estimated from your earlier tasks .* which took about 1 min\.$/);
      await page.passTime(20_000);
      assert.match(await readFigure(), /^about 82 %$/);
      await page.passTime(20_000);
      assert.equal(await readFigure(), 'longer than usual (about 1 min)');
      assert.equal(await bar().evaluate((each: HTMLProgressElement) => each.matches(':indeterminate')), true);
    });

    it('is indeterminate when the progress is unknown, and disappears when the task ends', async () => {
      await open(createTaskView({ tile: { appearance: 'queued', status: 'Queued' } }));
      assert.equal(await bar().evaluate((each: HTMLProgressElement) => each.matches(':indeterminate')), true);
      await page.show(at(0));
      assert.equal(
        await bar().evaluate((each: HTMLProgressElement) => each.matches(':indeterminate')),
        false,
      );
      await page.show(createTaskView());
      assert.equal(await bar().count(), 0);
    });

    it('is announced after large changes, and replaced by the final state', async () => {
      await open(at(10));
      await page.show(at(12));
      const status = page.page.getByRole('status');
      assert.equal(await status.innerText(), '');
      await page.show(at(52));
      assert.equal(await status.innerText(), '52 %');
      await page.show(createTaskView());
      assert.equal(await status.innerText(), 'Completed');
    });
  });
});
