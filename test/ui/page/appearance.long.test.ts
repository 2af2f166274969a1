import assert from 'node:assert/strict';
import { findAccessibilityFaults } from './support/accessibility.ts';
import { ChatTestPage, createTurn } from './support/chatPage.ts';
import { notSent, showcase } from './support/showcase.ts';
import { getTestBrowser } from './support/testBrowser.ts';
import type { ThemeName } from './support/themes.ts';
import { measureBoxes } from './support/waits.ts';

describe('the chat page', () => {
  const chat = new ChatTestPage(getTestBrowser);
  const themes: readonly ThemeName[] = ['light', 'dark', 'high-contrast'];

  after(() => chat.close());

  for (const theme of themes) {
    describe(`in the ${theme} theme`, () => {
      before(() => chat.open({ theme, height: 1400 }));

      it('shows a conversation that meets the accessibility guidelines', async () => {
        await chat.show(showcase);
        await chat.page.getByText('That is all.').waitFor();
        await chat.nextFrames();
        await chat.savePicture(`conversation-${theme}`);
        assert.deepEqual(await findAccessibilityFaults(chat.page), []);
      });

      it('shows a waiting reply and notices of formatting limits that meet the accessibility guidelines', async () => {
        const deep = `${'> '.repeat(14)}deep\n\nAfter it.\n\n${'word'.repeat(2500)}\n\n`;
        const wide = `${'|a'.repeat(60)}|\n${'|-'.repeat(60)}|\n${'|b'.repeat(60)}|\n\nThe end.`;
        const waiting = createTurn({ id: 'b', state: 'waiting', waitedMs: 12_000 });
        await chat.show([createTurn({ id: 'a', text: deep + wide }), waiting]);
        await chat.page.getByText('The end.').waitFor({ state: 'attached' });
        await chat.page.locator('mg-elapsed', { hasText: ' s' }).waitFor();
        await chat.nextFrames();
        await chat.savePicture(`limits-${theme}`);
        assert.deepEqual(await findAccessibilityFaults(chat.page), []);
      });

      it('shows unsent turns, a queued question and a stalled reply that meet the accessibility guidelines', async () => {
        const stalled = createTurn({ id: 'stalled', state: 'streaming', text: 'Half', waitedMs: 12_000 });
        const queued = { text: 'And what comes then?', pictures: 0 };
        await chat.show([...notSent, stalled], {}, { excludedTurns: ['failed', 'old'], queued });
        await chat.page.locator('.stall mg-elapsed', { hasText: ' s' }).waitFor();
        await chat.nextFrames();
        await chat.savePicture(`not-sent-${theme}`);
        assert.deepEqual(await findAccessibilityFaults(chat.page), []);
      });

      it('shows an empty conversation that meets the accessibility guidelines', async () => {
        await chat.show([]);
        await chat.nextFrames();
        await chat.savePicture(`empty-${theme}`);
        assert.deepEqual(await findAccessibilityFaults(chat.page), []);
      });
    });
  }

  it('shows the name on the gateway button at 460 pixels or more, and hides it at 330', async () => {
    await chat.open({ width: 460, height: 300 });
    await chat.show([], { model: 'openai/gpt-5', gateway: 'gateway.example:8443' });
    const button = chat.page.locator('.gateway-button');
    for (const [width, hasLabel] of [
      [900, true],
      [560, true],
      [460, true],
      [330, false],
    ] as const) {
      await chat.resize(width, 300);
      const seen = await button.evaluate((each) => {
        const name = each.querySelector('.model-name')?.getBoundingClientRect();
        const { bottom, right } = each.getBoundingClientRect();
        return !!name && name.width >= 40 && name.top < bottom && name.right <= right;
      });
      assert.equal(seen, hasLabel, `${width}`);
    }
  });

  it('fits a conversation into 300 pixels without horizontal scrolling', async () => {
    await chat.open({ width: 300, height: 1400 });
    await chat.show(showcase);
    await chat.page.getByText('That is all.').waitFor();
    await chat.nextFrames();
    await chat.savePicture('conversation-narrow');
    const width = await chat.page.evaluate(() => document.documentElement.scrollWidth);
    assert.equal(width, 300);
    const wide = await chat.page.locator('.turns').evaluate((each) => each.scrollWidth > each.clientWidth);
    assert.equal(wide, false);
  });

  it('shows an empty conversation from its top in a low window', async () => {
    await chat.open({ width: 400, height: 300 });
    const suggestions = ['Explain a gateway', 'Write some code', 'Compare streaming'].map(
      (each) => `${each}.`,
    );
    await chat.show([], { suggestions });
    await chat.page.getByRole('button', { name: 'Compare streaming' }).waitFor({ state: 'attached' });
    await chat.nextFrames();
    const [top, rest] = await chat.page
      .locator('.turns')
      .evaluate(({ scrollTop, scrollHeight, clientHeight }) => [scrollTop, scrollHeight - clientHeight]);
    assert.equal(top, 0);
    assert.ok(Number(rest) > 50, 'the window is not low enough');
  });

  it('centres the icon of an info notice vertically on its title', async () => {
    await chat.open({ width: 900, height: 600 });
    const buttons = [{ action: 'again' as const, label: 'Ask Again' }];
    const notice = { severity: 'info' as const, title: 'Stopped', detail: 'By you.', buttons };
    await chat.show([createTurn({ id: 'a', text: 'Half', notice })]);
    const part = (selector: string) => chat.page.locator(`.notice.info ${selector}`);
    const [icon, words] = await measureBoxes(part('> .codicon'), part('strong'));
    const apart = Math.abs(icon.y + icon.height / 2 - words.y - words.height / 2);
    assert.ok(apart <= 2, `${apart} pixels apart`);
  });

  it('shows a filled square on the Stop button', async () => {
    await chat.open();
    await chat.show([createTurn({ id: 'a', state: 'streaming', text: 'Half' })]);
    const square = await chat.page.getByRole('button', { name: 'Stop', exact: true }).evaluate((button) => {
      const icon = button.firstElementChild;
      const { width = 0, height = 0 } = icon?.getBoundingClientRect() ?? {};
      const { backgroundColor } = icon ? getComputedStyle(icon) : { backgroundColor: '' };
      return { width, height, isFilled: backgroundColor === getComputedStyle(button).color };
    });
    assert.deepEqual(square, { width: 10, height: 10, isFilled: true });
  });

  for (const width of [250, 300, 360, 500]) {
    it(`does not start or end a line of figures with a separator at ${width} pixels`, async () => {
      await chat.open({ width });
      const gatewayRequestId = 'req_0123456789';
      const figures = { inputTokens: 1204, outputTokens: 318, firstTokenMs: 412, totalMs: 4500 };
      const more = { tokensPerSecond: 86, end: 'complete', gatewayRequestId };
      await chat.show([createTurn({ id: 'a', text: 'Done.', figures: { ...figures, ...more } })]);
      const shown = chat.page.locator('.figures > *');
      await shown.last().waitFor();
      const lines = await shown.evaluateAll((each) => {
        const rooms = each.map((figure) => Number.parseFloat(getComputedStyle(figure).marginLeft));
        const box = each[0]?.parentElement?.getBoundingClientRect();
        const clip = box ? getComputedStyle(each[0]?.parentElement ?? document.body).clipPath : '';
        const begins = each.map((figure, at) => {
          const { left, top } = figure.getBoundingClientRect();
          return { left: left - (rooms[at] ?? 0) - (box?.left ?? 0), top };
        });
        const first = begins.filter(({ top }, at) => at === 0 || top > (begins[at - 1]?.top ?? 0) + 4);
        return { clip, lefts: first.map(({ left }) => Math.round(left)) };
      });
      assert.match(lines.clip, /13px\)$/, 'text before a line is cut off');
      assert.deepEqual(new Set(lines.lefts), new Set([0]));
      await chat.savePicture(`figures-${width}`);
    });
  }

  it('shows figures next to the buttons, or aligned with the reply text if it is narrower', async () => {
    const figures = {
      inputTokens: 1204,
      outputTokens: 318,
      firstTokenMs: 412,
      totalMs: 4500,
      end: 'complete',
    };
    await chat.open({ width: 900 });
    await chat.show([createTurn({ id: 'a', text: 'Done.', figures })]);
    const figure = chat.page.locator('.figures > :first-child');
    const button = chat.page.locator('.reply-foot [data-action=delete-reply]');
    const [beside, { x, width }] = await measureBoxes(figure, button);
    const room = Math.round(beside.x) - x - width;
    assert.ok(room > 12 && room < 24, `${room} pixels apart`);
    await chat.resize(560, 700);
    const [below, text] = await measureBoxes(figure, chat.page.locator('.reply-text'));
    assert.equal(Math.round(below.x), Math.round(text.x));
  });

  it('does not name a model in its header before it is known, and shows when models are loading', async () => {
    await chat.open();
    const header = chat.page.getByRole('banner');
    await header.waitFor({ state: 'attached' });
    assert.equal((await header.innerText()).trim(), '');
    const [before] = await measureBoxes(header);
    await chat.show([], { model: undefined, isLoading: true });
    await header.getByText('Loading models…').waitFor();
    const [after] = await measureBoxes(header);
    assert.equal(after.height, before.height);
    await chat.show([], { model: undefined });
    await header.getByText('No model').waitFor();
  });

  it('shows the model and the short name of the API format in its header at 250 pixels', async () => {
    await chat.open({ width: 250 });
    const shown = { format: 'Messages (Anthropic)', formatShort: 'Messages', isFormatChanged: true };
    await chat.show([], { ...shown, parametersSet: 2 });
    const format = chat.page.getByRole('button', { name: 'API format: Messages (Anthropic)' });
    assert.equal(await format.innerText(), 'Messages');
    const widths = await chat.page
      .locator('.page-header :is([data-action="choose-model"] > .model-name, .short-name)')
      .evaluateAll((names) => names.map(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth]));
    assert.equal(widths.length, 2);
    for (const [full, shown] of widths) assert.equal(shown, full);
    const header = chat.page.getByRole('banner');
    assert.equal(await header.evaluate((each) => each.scrollWidth > each.clientWidth), false);
    await chat.savePicture('header-narrow');
  });

  it('shows table buttons next to a table, and does not make a wide table scroll', async () => {
    await chat.open({ width: 900 });
    const wordy = `| A | B |\n|--|--|\n| ${'many words '.repeat(30)} | ${'more of them '.repeat(30)} |`;
    await chat.showReplies('| A | B |\n|--|--|\n| 1 | 2 |', wordy);
    const [narrow, wide] = await chat.page.locator('.table').evaluateAll((boxes) =>
      boxes.map((box) => {
        const tools = box.querySelector('.table-tools')?.getBoundingClientRect();
        const table = box.querySelector('table')?.getBoundingClientRect();
        return {
          apart: (tools?.left ?? 0) - (table?.right ?? 0),
          scrolls: box.scrollWidth > box.clientWidth,
        };
      }),
    );
    assert.ok(narrow && narrow.apart >= 0 && narrow.apart <= 8, `${narrow?.apart} pixels apart`);
    assert.equal(wide?.scrolls, false);
    await chat.page.locator('.table').first().hover();
    await chat.savePicture('table-tools');
  });

  it('fits a waiting reply and notices of formatting limits into 300 pixels', async () => {
    await chat.open({ width: 300, height: 900 });
    const nested = `${'> '.repeat(12)}deep\n\n${'> '.repeat(14)}deeper\n\nThe end.`;
    const waiting = createTurn({ id: 'b', state: 'waiting', waitedMs: 3_590_000 });
    await chat.show([createTurn({ id: 'a', text: nested }), waiting]);
    await chat.page.getByText('The end.').waitFor({ state: 'attached' });
    await chat.page.locator('mg-elapsed', { hasText: '59 min' }).waitFor();
    await chat.savePicture('limits-narrow');
    const wide = await chat.page.locator('.turns').evaluate((each) => each.scrollWidth > each.clientWidth);
    assert.equal(wide, false);
  });

  it('shows reasoning and a message that is too long, which meet the accessibility guidelines', async () => {
    await chat.open({ theme: 'light' });
    await chat.show([createTurn({ id: 'a', state: 'waiting' })]);
    await chat.savePicture('waiting');
    await chat.show([
      createTurn({ id: 'a', state: 'streaming', reasoning: 'First I look at the **question**.' }),
    ]);
    await chat.page.getByText('First I look').waitFor();
    await chat.savePicture('thinking');
    await chat.page.getByRole('textbox', { name: 'Message' }).fill('x'.repeat(1_500_000));
    await chat.page.getByRole('alert').waitFor();
    await chat.savePicture('too-long');
    assert.deepEqual(await findAccessibilityFaults(chat.page), []);
  });
});
