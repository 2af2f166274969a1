import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readPageMessage } from '../../../src/host/kit/pages/pageMessage.ts';
import { fromChatPage } from '../../../src/protocol/chatPage.ts';
import { fromGeneratePage } from '../../../src/protocol/generatePage.ts';
import type { ReplyAction } from '../../../src/protocol/pageMessage.ts';

const channel = 'channel-of-this-page';

const noticeActions: readonly ReplyAction[] = [
  'again',
  'continue',
  'connect',
  'try-demo',
  'set-upstream-key',
  'set-credential',
  'change-address',
  'choose-model',
  'choose-format',
  'refresh-models',
  'new-chat',
  'move-chat',
  'open-timeouts',
  'open-proxy',
  'show-field',
  'copy-details',
  'show-log',
];

describe('T13 a message from the chat page', () => {
  for (const message of [
    { type: 'ready' },
    { type: 'send', text: 'Hello' },
    { type: 'stop' },
    { type: 'copy-reply', turnId: 'turn', choice: 0 },
    { type: 'set-parameters', values: { temperature: 1 } },
    { type: 'add-context' },
    { type: 'remove-context', id: 'one' },
    { type: 'open-context', id: 'one' },
    { type: 'drop-files', uris: ['file:///src/a.ts'] },
    { type: 'drop-text', name: 'a.ts', bytes: 4, text: 'text' },
    { type: 'open-sent-file', turnId: 'turn', index: 0 },
    { type: 'complete', number: 1, trigger: '#', query: 'a' },
    { type: 'accept-completion', trigger: '#', id: 'one' },
    { type: 'attach-piece', id: 'picture', data: 'AAAA', isLast: true },
    { type: 'detach', index: 0 },
    { type: 'change-draft', isNew: true, start: 0, end: 0, text: 'Hello', hasMore: false },
    { type: 'preview-request', text: 'Hello', nth: 0 },
    { type: 'copy-code', text: 'code' },
    { type: 'copy-request-id', turnId: 'turn' },
    { type: 'copy-gateway-request-id', turnId: 'turn' },
    { type: 'open-link', url: 'https://example.com/' },
    { type: 'action', turnId: 'turn', action: 'again' },
    { type: 'action', action: 'connect' },
  ]) {
    it(`of type ${message.type} is accepted from this page only`, () => {
      assert.deepEqual(readPageMessage(fromChatPage, { ...message, channel }, channel), message);
      assert.equal(readPageMessage(fromChatPage, { ...message, channel: 'another' }, channel), undefined);
      assert.equal(readPageMessage(fromChatPage, message, channel), undefined);
    });
  }

  for (const action of noticeActions) {
    it(`of the button “${action}” is accepted from the chat page and the Generate page`, () => {
      const message = { type: 'action', action };
      for (const schema of [fromChatPage, fromGeneratePage]) {
        assert.deepEqual(readPageMessage<unknown>(schema, { ...message, channel }, channel), message);
      }
    });
  }

  for (const [problem, message] of [
    ['an unknown kind', { type: 'run', command: 'workbench.action.terminal.new' }],
    ['an unknown action', { type: 'action', action: 'workbench.action.quit' }],
    ['an extra field', { type: 'ready', path: '/etc/passwd' }],
    ['a text of the wrong type', { type: 'send', text: ['Hello'] }],
    [
      'a request of a draft over 4 MiB',
      { type: 'copy-request', text: 'a'.repeat(4 * 1024 * 1024 + 1), nth: 0 },
    ],
    ['a text over 1 MiB', { type: 'send', text: 'a'.repeat(1024 * 1024 + 1) }],
    ['a turn id of 1,000 characters', { type: 'copy-reply', turnId: 'a'.repeat(1000), choice: 0 }],
    ['parameters over 1 MiB', { type: 'set-parameters', values: { stop: 'a'.repeat(1024 * 1024) } }],
    ['parameters nested too deeply', { type: 'set-parameters', values: { stop: nested(100_000) } }],
  ] as const) {
    it(`with ${problem} is dropped`, () => {
      assert.equal(readPageMessage(fromChatPage, { ...message, channel }, channel), undefined);
    });
  }

  it('of any other form is dropped without an exception', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (message) => {
        assert.equal(readPageMessage(fromChatPage, message, channel), undefined);
        assert.equal(readPageMessage(fromChatPage, { ...Object(message), channel }, channel), undefined);
      }),
      { numRuns: 10_000 },
    );
  });

  it('of exactly 1 MiB is accepted', () => {
    const text = 'a'.repeat(1024 * 1024);
    assert.equal(readPageMessage(fromChatPage, { type: 'send', text, channel }, channel)?.type, 'send');
  });

  it('about the request of a draft is accepted with a draft of 4 MiB', () => {
    const text = 'a'.repeat(4 * 1024 * 1024);
    for (const type of ['preview-request', 'copy-request']) {
      assert.equal(readPageMessage(fromChatPage, { type, text, nth: 0, channel }, channel)?.type, type);
    }
  });
});

function nested(depth: number): unknown {
  let value: unknown = 0;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}
