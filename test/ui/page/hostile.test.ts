import assert from 'node:assert/strict';
import { ChatTestPage, createTurn } from './support/chatPage.ts';
import { payloads } from './support/payloads.ts';
import { getTestBrowser } from './support/testBrowser.ts';

/** The number of payloads in the page at a time. */
const perPage = 20;

describe('hostile replies', () => {
  const chat = new ChatTestPage(getTestBrowser);

  beforeEach(async () => {
    await chat.open();
    // The page loads its formula renderer once, from its own folder.
    await chat.showReplies('$x$');
    await chat.page.locator('.formula math').waitFor();
    assert.deepEqual(chat.requests.splice(0), [`${(await getTestBrowser()).server.origin}/maths.js`]);
  });

  afterEach(() => chat.close());

  async function forEachBatch(check: (batch: readonly string[]) => Promise<void>): Promise<void> {
    for (let start = 0; start < payloads.length; start += perPage) {
      await check(payloads.slice(start, start + perPage));
    }
  }

  async function assertNothingHappened(batch: readonly string[]): Promise<void> {
    const payload = batch.join('\n────\n');
    assert.deepEqual(chat.requests, [], payload);
    assert.deepEqual(chat.navigations, [], payload);
    assert.deepEqual((await getTestBrowser()).outsideConnections, [], payload);
    assert.deepEqual((await getTestBrowser()).server.unknownPaths, [], payload);
    assert.deepEqual(await chat.takeViolations(), [], payload);
    assert.deepEqual(chat.errors, [], payload);
  }

  /** The elements and attributes of all replies. */
  async function readElements(): Promise<Built> {
    return chat.page.evaluate(() => {
      const all = [...document.querySelectorAll('mg-markdown *')];
      return {
        tags: all.map(({ localName }) => localName),
        attributes: all.flatMap((each) => each.getAttributeNames()),
      };
    });
  }

  it(`P4 D14 do not cause a request, navigation or message to the host: ${payloads.length} payloads`, async () => {
    assert.ok(payloads.length >= 150);
    await forEachBatch(async (batch) => {
      await chat.showReplies(...batch);
      await hoverLinks(chat);
      await assertNothingHappened(batch);
      assert.deepEqual(await chat.readPosted(), []);
    });
  });

  it('P4 do not cause a request, navigation or message when they arrive in pieces in every field of a turn', async () => {
    await forEachBatch(async (batch) => {
      const drafts = batch.map((payload, at) => ({
        id: `turn-${at}`,
        question: payload,
        model: payload,
        state: 'streaming' as const,
        text: '',
        reasoning: '',
        toolCalls: [{ name: payload, arguments: payload }],
        citations: [{ title: payload, url: payload }],
        omitted: [payload],
        figures: { finishReason: payload },
      }));
      const turns = drafts.map(createTurn);
      await chat.show(turns, { model: batch[0], gateway: batch[0] });
      for (const half of [0, 1]) {
        const deltas = batch.map((payload, at) => {
          const middle = payload.length >> 1;
          const text = half === 0 ? payload.slice(0, middle) : payload.slice(middle);
          return { type: 'delta', choice: 0, turnId: `turn-${at}`, text, reasoning: text } as const;
        });
        await chat.postAll(deltas);
        await chat.nextFrames();
      }
      const ends = batch.map((payload, at) => {
        const notice = {
          title: payload,
          detail: payload,
          requestId: payload,
          buttons: [],
          severity: 'error' as const,
        };
        const ended = { text: payload, reasoning: payload, state: 'done' as const, notice };
        return createTurn({ ...(drafts[at] ?? assert.fail()), ...ended });
      });
      await chat.patch({ changed: ends });
      await chat.nextFrames();
      await assertNothingHappened(batch);
      assert.deepEqual(await chat.readPosted(), []);
    });
  });

  it('T9 T10 do not contain elements or attributes that load, navigate, submit, style or run', async () => {
    await forEachBatch(async (batch) => {
      await chat.showReplies(...batch);
      assert.deepEqual(findForbidden(await readElements()), { tags: [], attributes: [] });
    });
  });

  it('P4 T9 do not create elements that load or run anything, also outside the document', async () => {
    const created = () => chat.page.evaluate(() => (window as { created?: string[] }).created ?? []);
    await chat.page.evaluate(() => {
      const createdTags: string[] = [];
      const create = document.createElement.bind(document);
      document.createElement = ((tag: string) => {
        createdTags.push(tag);
        return create(tag);
      }) as typeof document.createElement;
      (window as { created?: string[] }).created = createdTags;
    });
    await forEachBatch((batch) => chat.showReplies(...batch));
    const active =
      /^(?:img|image|picture|source|video|audio|iframe|frame|object|embed|script|style|link|form|input)$/i;
    assert.ok((await created()).includes('span'));
    assert.deepEqual(
      (await created()).filter((tag) => active.test(tag)),
      [],
    );
  });

  it('T9 lose forbidden elements and attributes even if the renderer created them', async () => {
    await chat.page.evaluate(() => {
      const make = document.createElement.bind(document);
      const hostile = (tag: string) => {
        const element = make(tag);
        if (tag === 'blockquote') {
          element.setAttribute('style', 'color: red');
          element.setAttribute('onpointerenter', 'alert(1)');
          for (const inner of ['iframe', 'script', 'form', 'input', 'style', 'link', 'object'])
            element.append(make(inner));
          const link = make('a');
          link.href = 'https://collector.example';
          element.append(link);
        }
        return tag === 'hr' ? make('iframe') : element;
      };
      document.createElement = hostile as typeof document.createElement;
    });
    await chat.showReplies('> quoted\n\n---\n\n- item\n  > quoted\n\n  ---');
    const built = await readElements();
    assert.ok(built.tags.includes('blockquote'));
    assert.deepEqual(findForbidden(built), { tags: [], attributes: [] });
    await chat.takeViolations();
  });

  it('T11 only request the host to open complete web and mail addresses when their elements are clicked', async () => {
    await forEachBatch(async (batch) => {
      await chat.showReplies(...batch);
      await chat.page.evaluate(() => {
        for (const each of document.querySelectorAll('mg-markdown *:not(button, button *)'))
          each.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
      });
      await assertNothingHappened(batch);
    });
    const posted = await chat.readPosted();
    assert.ok(posted.length > 0);
    for (const message of posted) {
      assert.match(message.type === 'open-link' ? message.url : message.type, /^(?:https?:\/\/[^/]|mailto:)/);
    }
  });

  it('T14 are ignored in messages of another origin', async () => {
    await chat.page.evaluate(() => {
      const forged = {
        seq: 1,
        type: 'state',
        state: { turns: [], target: { model: 'forged', gateway: 'forged' } },
      };
      for (const origin of ['https://collector.example', 'null', '']) {
        dispatchEvent(new MessageEvent('message', { data: forged, origin }));
      }
    });
    await chat.nextFrames();
    assert.equal(await chat.page.getByText('forged').count(), 0);
    await chat.show([]);
    await chat.page.getByRole('button', { name: 'Model: gpt-x-mini' }).waitFor();
  });
});

interface Built {
  readonly tags: readonly string[];
  readonly attributes: readonly string[];
}

/** The elements and attributes that a reply must not produce. */
function findForbidden({ tags, attributes }: Built): Built {
  return {
    tags: tags.filter((tag) => !harmlessTags.has(tag)),
    attributes: attributes.filter((name) => !harmlessAttributes.has(name)),
  };
}

const harmlessTags = new Set([
  'div',
  'span',
  'p',
  'h3',
  'h4',
  'h5',
  'h6',
  'ul',
  'ol',
  'li',
  'blockquote',
  'hr',
  'br',
  'pre',
  'code',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
  'em',
  'strong',
  's',
  'a',
  'button',
  'sub',
  'sup',
  'kbd',
  'details',
  'summary',
  'math',
  'mrow',
  'mi',
  'mn',
  'mo',
  'mtext',
  'mspace',
  'mstyle',
  'mpadded',
  'mphantom',
  'msup',
  'mfrac',
]);

const harmlessAttributes = new Set([
  'class',
  'title',
  'role',
  'tabindex',
  'aria-label',
  'aria-hidden',
  'type',
  'start',
  'data-url',
  'data-action',
  'data-label',
  'data-info',
  'aria-checked',
  'aria-disabled',
  'display',
  'displaystyle',
  'scriptlevel',
  'mathsize',
  'width',
  'height',
  'lspace',
  'rspace',
  'fence',
  'form',
  'stretchy',
]);

/** A browser may look up a name, or connect ahead, when the pointer rests on a link. */
async function hoverLinks(chat: ChatTestPage): Promise<void> {
  for (const link of await chat.page.locator('a.link:visible').all()) {
    const box = await link.boundingBox();
    if (box && box.y > 0 && box.y < 600) await chat.page.mouse.move(box.x + 2, box.y + 2);
  }
  await chat.nextFrames();
}
