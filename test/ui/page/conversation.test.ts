import assert from 'node:assert/strict';
import { ChatTestPage, createTurn, noParameters } from './support/chatPage.ts';
import { getTestBrowser } from './support/testBrowser.ts';
import { measureBoxes } from './support/waits.ts';

describe('the conversation in the page', () => {
  const chat = new ChatTestPage(getTestBrowser);

  beforeEach(() => chat.open());

  afterEach(() => chat.close());

  const streaming = createTurn({ id: 'turn-1', state: 'streaming', text: '' });

  /** A reply of many paragraphs, more than fit in the window. */
  const long = Array.from({ length: 60 }, (_, at) => `Paragraph ${at} of a long reply.`).join('\n\n');

  it('shows question and reply, labelled for a screen reader', async () => {
    await chat.showReplies('The **answer**.');
    await chat.page.getByRole('article', { name: 'Question 1 and its reply' }).waitFor();
    assert.equal(await chat.page.locator('.question-text').textContent(), 'How do I do this?');
    assert.equal(await chat.page.locator('mg-markdown strong').textContent(), 'answer');
  });

  it('labels the reply of an unknown model', async () => {
    await chat.show([createTurn({ model: '', text: 'Imported.' })]);
    await chat.page.getByRole('region', { name: 'Reply of Unknown model' }).getByText('Imported.').waitFor();
  });

  it('appends arriving text, and announces only the end', async () => {
    await chat.show([streaming]);
    await chat.post({ type: 'delta', choice: 0, turnId: 'turn-1', text: 'Hello ', reasoning: '' });
    await chat.post({ type: 'delta', choice: 0, turnId: 'turn-1', text: 'world', reasoning: '' });
    await chat.page.getByText('Hello world').waitFor();
    assert.equal(await chat.page.getByRole('status').textContent(), '');
    await chat.patch({ changed: [createTurn({ id: 'turn-1', state: 'done', text: 'Hello world' })] });
    await chat.page.getByRole('status').getByText('Reply complete').waitFor({ state: 'attached' });
    assert.equal(await chat.page.locator('[aria-live]:has(mg-markdown), [role=log]').count(), 0);
  });

  it('F58 requests the whole state again when a message was missed, and then shows it', async () => {
    await chat.show([streaming]);
    const readyCount = await chat.countReadyMessages();
    await chat.post(
      { type: 'delta', choice: 0, turnId: 'turn-1', text: 'lost its beginning', reasoning: '' },
      7,
    );
    await chat.page.waitForFunction(
      (count) => window.posted.filter(({ type }) => type === 'ready').length > count,
      readyCount,
    );
    await chat.show([createTurn({ id: 'turn-1', state: 'streaming', text: 'Nothing lost its beginning' })]);
    await chat.page.getByText('Nothing lost its beginning', { exact: true }).waitFor();
    assert.equal(await chat.countReadyMessages(), readyCount + 1);
  });

  it('F63 keeps its elements when a snapshot arrives, and continues with the next delta', async () => {
    await chat.show([streaming]);
    await chat.post({ type: 'delta', choice: 0, turnId: 'turn-1', text: 'One\n\nTwo', reasoning: '' });
    await chat.page.getByText('Two').waitFor();
    const first = await chat.page.getByText('One').elementHandle();
    await chat.show([createTurn({ id: 'turn-1', state: 'streaming', text: 'One\n\nTwo and' })]);
    await chat.post({ type: 'delta', choice: 0, turnId: 'turn-1', text: ' three', reasoning: '' });
    await chat.page.getByText('Two and three').waitFor();
    assert.ok(await first?.evaluate((node) => node.isConnected));
  });

  it('F47 shows a reply that was cut off with its text, a notice and buttons to continue or retry', async () => {
    const notice = {
      title: 'The reply was cut off',
      detail: 'The connection closed before the end mark.',
      requestId: 'req-12',
      gatewayRequestId: 'theirs-34',
      buttons: [
        { action: 'continue' as const, label: 'Continue' },
        { action: 'again' as const, label: 'Ask Again' },
      ],
      severity: 'error' as const,
    };
    await chat.show([createTurn({ id: 'turn-1', text: 'Half a sent', notice })]);
    await chat.page.getByText('Half a sent').waitFor();
    await chat.page.getByText('The reply was cut off').waitFor();
    const buttons = chat.page.getByRole('region', { name: 'Reply of' }).getByRole('button');
    const names = await buttons.evaluateAll((all) =>
      all.map((each) => each.ariaLabel ?? each.textContent?.trim()),
    );
    assert.ok(names.indexOf('Continue') < names.indexOf('Fork Chat'), `the remedy comes first: ${names}`);
    await chat.page.getByRole('button', { name: 'Continue' }).click();
    await chat.page.getByRole('button', { name: /req-12/ }).click();
    await chat.page.getByRole('button', { name: /theirs-34/ }).click();
    assert.deepEqual(await chat.readPosted(), [
      { type: 'action', action: 'continue', turnId: 'turn-1', channel: 'test-channel' },
      { type: 'copy-request-id', turnId: 'turn-1', channel: 'test-channel' },
      { type: 'copy-gateway-request-id', turnId: 'turn-1', channel: 'test-channel' },
    ]);
  });

  it('sends Copy Reply and Ask Again to the host', async () => {
    await chat.showReplies('Text');
    await chat.page.getByRole('button', { name: 'Copy Reply' }).click();
    await chat.page.getByRole('button', { name: 'Ask Again' }).click();
    const types = (await chat.readPosted()).map(({ type }) => type);
    assert.deepEqual(types, ['copy-reply', 'action']);
  });

  it('explains each figure under a reply in a tooltip', async () => {
    const figures = {
      inputTokens: 1204,
      outputTokens: 318,
      cachedTokens: 1000,
      firstTokenMs: 410,
      tokensPerSecond: 86.3,
      end: 'complete',
      finishReason: 'end_turn',
      cost: { text: 'about $0.0012', explanation: 'Estimated: your price.' },
    };
    await chat.show([createTurn({ text: 'Text', figures })]);
    const shown = chat.page.locator('.figures span');
    assert.deepEqual(await shown.allTextContents(), [
      '1,204 tokens in, 318 out',
      '83 % cached',
      'first token 0.41 s',
      '86 tok/s',
      'complete',
      'about $0.0012',
    ]);
    for (const figure of await shown.all()) assert.ok(await figure.getAttribute('title'));
    assert.match((await shown.nth(4).getAttribute('title')) ?? '', /by the provider: end_turn$/);
    assert.match((await shown.first().getAttribute('title')) ?? '', /1,000 read from the cache/);
    await chat.show([
      createTurn({ text: 'Te', figures: { inputTokens: 12, outputTokens: 1, isOutputPartial: true } }),
    ]);
    await chat.page.getByText('12 tokens in, at least 1 out').waitFor();
  });

  it('F57 shows the arguments of a tool call as the model wrote them, even if they are not JSON', async () => {
    await chat.show([createTurn({ toolCalls: [{ name: 'search', arguments: '{"query": "a' }] })]);
    await chat.page.getByText('search').waitFor();
    await chat.page.getByText('{"query": "a').waitFor();
  });

  describe('has reasoning that', () => {
    const thinking = streaming;

    it('is open while only reasoning arrives, and folds with its duration when the reply text starts', async () => {
      await chat.show([thinking]);
      await chat.post({ type: 'delta', choice: 0, turnId: 'turn-1', text: '', reasoning: 'Let me see' });
      await chat.page.getByText('Let me see').waitFor();
      await chat.post({ type: 'delta', choice: 0, turnId: 'turn-1', text: 'Answer', reasoning: '' });
      await chat.page.getByText('Answer').waitFor();
      await chat.page.getByText('Let me see').waitFor({ state: 'hidden' });
      assert.match((await chat.page.locator('summary').textContent()) ?? '', /Reasoning \(\d+\.\d+ s\)/);
    });

    it('shows its stored duration if there is one', async () => {
      const turn = { id: 'turn-1', text: 'Answer.', reasoning: 'Let me see' };
      await chat.show([
        createTurn({ ...turn, figures: { reasoningMs: 620 } }),
        createTurn({ ...turn, id: 'turn-2' }),
      ]);
      await chat.page.getByText('Answer.').last().waitFor();
      assert.deepEqual(await chat.page.locator('summary').allTextContents(), [
        'Reasoning (0.62 s)',
        'Reasoning',
      ]);
    });

    it('stays open or folded as the user left it', async () => {
      await chat.show([thinking]);
      await chat.post({ type: 'delta', choice: 0, turnId: 'turn-1', text: '', reasoning: 'Let me see' });
      await chat.page.getByText('Let me see').waitFor();
      await chat.page.locator('summary').click();
      await chat.page.getByText('Let me see').waitFor({ state: 'hidden' });
      await chat.post({ type: 'delta', choice: 0, turnId: 'turn-1', text: '', reasoning: ' more' });
      await chat.post({ type: 'delta', choice: 0, turnId: 'turn-1', text: 'Answer', reasoning: '' });
      await chat.page.getByText('Answer').waitFor();
      await chat.page.locator('summary').click();
      await chat.page.getByText('Let me see more').waitFor();
      const reply = { text: 'Answer.', reasoning: 'Let me see more' };
      await chat.patch({ changed: [createTurn({ id: 'turn-1', state: 'done', ...reply })] });
      await chat.page.getByText('Answer.').waitFor();
      assert.ok(await chat.page.getByText('Let me see more').isVisible());
    });
  });

  describe('while a reply arrives', () => {
    const waitForEnd = () =>
      chat.page.waitForFunction(() => {
        const turns = document.querySelector('.turns');
        return turns && turns.scrollHeight - turns.clientHeight - turns.scrollTop < 2;
      });

    beforeEach(async () => {
      await chat.show([createTurn({ id: 'turn-1', state: 'streaming', text: long })]);
      await chat.page.getByText('Paragraph 59').waitFor();
      await waitForEnd();
    });

    it('keeps the end in view while the user is at the end', async () => {
      await chat.post({
        type: 'delta',
        choice: 0,
        turnId: 'turn-1',
        text: `\n\n${long}\n\nThe end`,
        reasoning: '',
      });
      await chat.page.getByText('The end', { exact: true }).waitFor();
      await waitForEnd();
      assert.equal(await chat.page.getByRole('button', { name: 'Jump to End' }).count(), 0);
    });

    it('goes to a new question, although the previous turn is measured again', async () => {
      await chat.show([createTurn({ id: 'turn-1', text: long.slice(0, 1200) })]);
      await chat.nextFrames();
      for (let nth = 2; nth < 12; nth++) {
        await chat.patch({ changed: [createTurn({ id: `turn-${nth}`, state: 'waiting' })] });
        await chat.patch({ changed: [createTurn({ id: `turn-${nth}`, text: `Answer ${nth}` })] });
        await chat.page.getByText(`Answer ${nth}`, { exact: true }).waitFor();
        await waitForEnd();
        assert.equal(await chat.page.getByRole('button', { name: 'Jump to End' }).count(), 0);
      }
    });

    it('does not move the view of a user who scrolled up, and offers Jump to End', async () => {
      await chat.page.locator('.turns').hover();
      await chat.page.mouse.wheel(0, -600);
      const jump = chat.page.getByRole('button', { name: 'Jump to End' });
      await jump.waitFor();
      const place = () => measureBoxes(chat.page.getByText('Paragraph 40 ').first());
      const before = await place();
      await chat.post({
        type: 'delta',
        choice: 0,
        turnId: 'turn-1',
        text: `\n\n${long}\n\nThe end`,
        reasoning: '',
      });
      await chat.page.getByText('The end', { exact: true }).waitFor({ state: 'attached' });
      assert.deepEqual(await place(), before);
      await jump.click();
      await chat.page.getByText('The end', { exact: true }).waitFor();
      await jump.waitFor({ state: 'detached' });
      await waitForEnd();
    });

    it('does not move the message box', async () => {
      const box = chat.page.getByRole('textbox', { name: 'Message' });
      const before = await measureBoxes(box);
      await chat.post({
        type: 'delta',
        choice: 0,
        turnId: 'turn-1',
        text: `\n\n${long}`,
        reasoning: 'thoughts',
      });
      assert.deepEqual(await measureBoxes(box), before);
    });

    it('keeps the selected text selected when text arrives after it', async () => {
      await chat.page.getByText('Paragraph 59').selectText();
      await chat.post({
        type: 'delta',
        choice: 0,
        turnId: 'turn-1',
        text: ' It goes on.\n\nAnd',
        reasoning: '',
      });
      await chat.page.getByText('And').waitFor();
      assert.match(await chat.page.evaluate(() => String(getSelection())), /^Paragraph 59 of a long reply\./);
    });
  });

  it('moves the focus to the last reply and to the message box by command', async () => {
    await chat.show([createTurn({ id: 'a', text: 'First' }), createTurn({ id: 'b', text: 'Second' })]);
    await chat.page.getByText('Second').waitFor();
    await chat.post({ type: 'perform', action: 'focus-last-reply' });
    await chat.page.locator('.reply:focus', { hasText: 'Second' }).waitFor();
    await chat.post({ type: 'perform', action: 'focus-composer' });
    await chat.page.locator('textarea:focus').waitFor();
  });

  it('moves the focus to the message box by command, also from the open parameters sheet', async () => {
    await chat.show([]);
    await chat.post(noParameters);
    await chat.page.locator('[role="searchbox"]:focus').waitFor();
    await chat.post({ type: 'perform', action: 'focus-composer' });
    await chat.page.locator('.composer textarea:focus').waitFor();
    assert.equal(await chat.page.getByRole('complementary', { name: 'Parameters' }).count(), 1);
  });

  it('shows why there is no model, with a button to connect', async () => {
    const notice = {
      title: 'No gateway yet',
      detail: 'Connect to one to begin.',
      buttons: [{ action: 'connect' as const, label: 'Connect to a Gateway…' }],
      severity: 'info' as const,
    };
    await chat.show([], { model: undefined, gateway: undefined, notice });
    await chat.page.getByText('No gateway yet').waitFor();
    await chat.page.getByRole('button', { name: 'Connect to a Gateway…' }).click();
    assert.deepEqual(await chat.readPosted(), [
      { type: 'action', action: 'connect', turnId: undefined, channel: 'test-channel' },
    ]);
  });

  it('puts an unsent question back into the message box, before text written in the meantime', async () => {
    await chat.show([]);
    const box = chat.page.getByRole('textbox', { name: 'Message' });
    await box.fill('Next thought');
    await chat.post({ type: 'unsent', text: 'First thought' });
    await chat.page.waitForFunction(
      () => document.querySelector('textarea')?.value === 'First thought\nNext thought',
    );
    await box.fill('');
  });

  it('shows its gateway, and requests a move to another one by a click', async () => {
    await chat.show([createTurn({ text: 'Here' })], { gateway: 'work-gateway' });
    await chat.page.getByRole('button', { name: /belongs to work-gateway/ }).click();
    assert.deepEqual((await chat.readPosted()).at(-1), {
      type: 'action',
      action: 'move-chat',
      turnId: undefined,
      channel: 'test-channel',
    });
  });

  it('announces a new notice below it to screen readers', async () => {
    await chat.show([createTurn({ text: 'Here' })]);
    const target = {
      gateway: 'work',
      model: 'demo/chat',
      format: 'chat',
      formatShort: 'chat',
      parametersSet: 0,
    };
    const notice = {
      title: 'work does not list this model',
      detail: '',
      buttons: [],
      severity: 'info' as const,
    };
    await chat.patch({ target: { ...target, notice } });
    await chat.page.getByRole('status').getByText('work does not list this model').waitFor();
  });

  it('shows part of a question of half a megabyte, and all of it after Show All', async () => {
    await chat.show([
      createTurn({ question: `begin ${'word '.repeat(100_000)}finish`, text: 'Short answer' }),
    ]);
    await chat.page.getByText('Short answer').waitFor();
    const shown = async () => ((await chat.page.locator('.question-text').textContent()) ?? '').length;
    assert.ok((await shown()) < 10_000);
    await chat.page.getByRole('button', { name: 'Show All' }).click();
    await chat.page.waitForFunction(() =>
      document.querySelector('.question-text')?.textContent.endsWith('finish'),
    );
  });

  it('shows how long a reply has been awaited, after the first seconds', async () => {
    await chat.show([createTurn({ state: 'waiting' })]);
    await chat.page.locator('mg-elapsed', { hasText: /^[3-9] s$/ }).waitFor();
    await chat.show([createTurn({ state: 'done', text: 'There' })]);
    await chat.page.locator('mg-elapsed').waitFor({ state: 'detached' });
  });

  it('continues counting a wait in a reopened tab without moving, and announces each full minute', async () => {
    await chat.show([createTurn({ state: 'waiting', waitedMs: 115_000 })]);
    const line = chat.page.locator('.wait');
    const before = await measureBoxes(line);
    await line.getByText('Waiting for the reply to begin').waitFor();
    await chat.page.locator('mg-elapsed', { hasText: /^1 min 5[6-9] s$/ }).waitFor();
    assert.equal(await chat.page.locator('.page-header ~ [role=status]').textContent(), '');
    await chat.page
      .getByRole('status')
      .getByText('Still waiting for the reply to begin, 2 minutes')
      .waitFor({ state: 'attached' });
    assert.deepEqual(await measureBoxes(line), before);
    assert.equal(await chat.page.locator('mg-elapsed').getAttribute('aria-hidden'), 'true');
  });

  it('shows a PNG picture of a reply, but not an SVG, which could contain more than a picture', async () => {
    const dot =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
    const images = [
      { mimeType: 'image/png', data: dot },
      { mimeType: 'image/svg+xml', data: btoa('<svg xmlns="http://www.w3.org/2000/svg"/>') },
    ];
    await chat.show([createTurn({ images })]);
    const picture = chat.page.getByRole('img', { name: 'Picture from the model' });
    await picture.waitFor();
    assert.equal(await picture.count(), 1);
    assert.equal(
      await picture.evaluate((each: HTMLImageElement) => each.decode().then(() => each.naturalWidth)),
      1,
    );
    await chat.page.getByText('image/svg+xml cannot be shown').waitFor();
    assert.deepEqual(await chat.takeViolations(), []);
  });
});
