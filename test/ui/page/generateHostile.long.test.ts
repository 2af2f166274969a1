import assert from 'node:assert/strict';
import type { GenerateState } from '../../../src/protocol/generatePage.ts';
import { createTile, GenerateTestPage, synthesisForm } from './support/generatePage.ts';
import { payloads } from './support/payloads.ts';
import { getTestBrowser } from './support/testBrowser.ts';

describe('hostile text on the Generate page', () => {
  const page = new GenerateTestPage();

  beforeEach(() => page.open());

  afterEach(() => page.close());

  /** A state with the same text in every text field. */
  const createState = (words: string): GenerateState => ({
    target: {
      gateway: words,
      model: words,
      route: words,
      routeShort: words,
      frames: ['first', 'last'],
      notice: {
        title: words,
        detail: words,
        requestId: words,
        buttons: [{ action: 'show-log', label: words }],
        severity: 'error',
      },
    },
    form: {
      fields: [
        { path: ['prompt', words], label: words, help: words, control: 'prompt' },
        { path: ['text', words], label: words, help: words, control: 'text' },
        { path: ['seed', words], label: words, help: words, isRare: true, control: 'number' },
        { path: ['switch', words], label: words, help: words, control: 'switch' },
        ...['few', 'many'].map((kind) => ({
          path: [kind, words],
          label: words,
          help: words,
          control: 'choice' as const,
          choices: [words, `${kind} ${words}`].map((value) => ({ value, label: value })),
          allowsOther: true,
        })),
        {
          path: ['segments', words],
          label: words,
          help: words,
          control: 'choice',
          choices: [{ value: words, label: words.slice(0, 18) }],
          allowsOther: true,
        },
      ],
      rest: { properties: { [words]: { type: 'string', description: words } } },
      values: {
        [words]: words,
        prompt: { [words]: words },
        text: { [words]: words },
        seed: { [words]: words },
        few: { [words]: `other ${words}` },
      },
      defaults: {},
      exclusions: [],
      count: 1,
      remark: words,
    },
    pictures: { first: { mimeType: words, data: words }, last: { mimeType: 'image/png', data: words } },
    price: words,
    problems: [
      { path: ['prompt', words], problem: words },
      { path: [words, words], problem: words },
      { path: [], problem: words },
    ],
    tiles: [createTile({ key: words, status: words, model: words, prompt: words, startedAt: 1e300 })],
    submissionToken: words,
  });

  it(`P4 does not cause a request, navigation or message to the host: ${payloads.length} payloads in every field`, async () => {
    for (const words of payloads) {
      await page.post({ type: 'state', state: createState(words) });
      await page.post({ type: 'request', json: words });
    }
    await page.nextFrames();
    const reset = payloads.at(-1) ?? '';
    await page.page.getByRole('button', { name: /^More/ }).click();
    await page.page.getByRole('button', { name: 'All Parameters…' }).click();
    await page.post({ type: 'request', json: reset });
    await page.nextFrames();
    await page.nextFrames();
    assert.deepEqual(
      page.requests.filter((url) => !url.startsWith('blob:')),
      [],
    );
    assert.deepEqual(page.navigations, []);
    assert.deepEqual((await getTestBrowser()).outsideConnections, []);
    assert.deepEqual((await getTestBrowser()).server.unknownPaths, []);
    assert.deepEqual(await page.takeViolations(), []);
    assert.deepEqual(page.errors, []);
    assert.deepEqual(await page.readPosted(), []);
  });

  it('P4 adds no elements and attributes that harmless text does not have', async () => {
    const elements = () =>
      page.page.evaluate(() =>
        [...document.querySelectorAll('body *')].map(
          (each) => `${each.localName} ${each.getAttributeNames().toSorted().join(' ')}`,
        ),
      );
    const own = new Set<string>();
    for (const words of ['x', 'a long word that fits into no segment']) {
      await page.post({ type: 'state', state: createState(words) });
      await page.nextFrames();
      for (const each of await elements()) own.add(each);
    }
    // Invisible characters in untrusted text are marked.
    own.add('span aria-label class data-label role title');
    for (let start = 0; start < payloads.length; start += 10) {
      await page.post({ type: 'state', state: createState(payloads.slice(start, start + 10).join('\n')) });
      await page.nextFrames();
      const strange = (await elements()).filter((each) => !own.has(each));
      assert.deepEqual(strange, []);
    }
  });

  it('T9 cannot make a tile fetch an external address', async () => {
    const src = 'https://collector.example/?q=canary';
    await page.show({
      form: synthesisForm,
      tiles: [
        createTile({ key: 'a', media: { kind: 'video', src, mimeType: 'video/mp4' } }),
        createTile({ key: 'b', media: { kind: 'image', src, mimeType: 'image/png' } }),
      ],
    });
    await page.page.getByText('Completed').nth(1).waitFor();
    assert.equal(await page.page.locator('video, img').count(), 0);
    assert.deepEqual((await getTestBrowser()).outsideConnections, []);
    for (const refused of await page.takeViolations()) assert.ok(refused.endsWith(src), refused);
  });

  it('T14 is ignored in messages of another origin', async () => {
    await page.page.evaluate((state) => {
      for (const origin of ['https://collector.example', 'null', '']) {
        dispatchEvent(new MessageEvent('message', { data: { seq: 1, type: 'state', state }, origin }));
      }
    }, createState('forged'));
    await page.nextFrames();
    assert.equal(await page.page.getByText('forged').count(), 0);
  });
});
