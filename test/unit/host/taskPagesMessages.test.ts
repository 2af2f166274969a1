import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readPageMessage } from '../../../src/host/kit/pages/pageMessage.ts';
import { fromGeneratePage } from '../../../src/protocol/generatePage.ts';
import { fromTaskPage } from '../../../src/protocol/taskPage.ts';

const channel = 'own';

describe('messages of the Generate page', () => {
  for (const message of [
    { type: 'ready' },
    { type: 'set-values', values: { input: { prompt: 'A cat' } } },
    { type: 'set-count', count: 8 },
    { type: 'attach-piece', frame: 'first', id: 'a', data: 'AAAA', isLast: true },
    { type: 'attach-piece', frame: 'first', id: 'a', data: '', isLast: true },
    { type: 'drop-files', uris: ['file:///a.png'], frames: ['last', 'first'] },
    { type: 'generate', submissionToken: 'token' },
    { type: 'open-task', key: 'key' },
  ]) {
    it(`of type ${message.type} are accepted`, () => {
      assert.deepEqual(readPageMessage(fromGeneratePage, { channel, ...message }, channel), message);
    });
  }

  for (const [problem, message] of Object.entries({
    'the channel of another page': { channel: 'other', type: 'generate', submissionToken: 't' },
    'no channel': { type: 'generate', submissionToken: 't' },
    'no submission token': { channel, type: 'generate' },
    'a model to send to': { channel, type: 'generate', submissionToken: 't', model: 'x' },
    'an address': { channel, type: 'open-task', key: 'k', url: 'https://evil.example' },
    'a count of more than eight': { channel, type: 'set-count', count: 9 },
    'a count of less than one': { channel, type: 'set-count', count: 0 },
    'a command': { channel, type: 'action', action: 'workbench.action.quit' },
    'more than 32 files': {
      channel,
      type: 'drop-files',
      frames: ['first'],
      uris: Array.from({ length: 33 }, () => 'file:///a.png'),
    },
    'two megabytes of text': { channel, type: 'set-values', values: { input: 'x'.repeat(2 * 1024 * 1024) } },
  })) {
    it(`T13 T18 with ${problem} are dropped`, () => {
      assert.equal(readPageMessage(fromGeneratePage, message, channel), undefined);
    });
  }
});

describe('messages of the task page', () => {
  it('with an action of a result are accepted', () => {
    const message = { type: 'action', action: 'save', result: 1 };
    assert.deepEqual(readPageMessage(fromTaskPage, { channel, ...message }, channel), message);
  });

  for (const [problem, message] of Object.entries({
    'the channel of another page': { channel: 'other', type: 'action', action: 'delete' },
    'a path': { channel, type: 'action', action: 'reveal', path: '/etc/passwd' },
    'an invalid result number': { channel, type: 'action', action: 'save', result: -1 },
    'a number instead of an action': { channel, type: 'action', action: 7 },
  })) {
    it(`T13 with ${problem} are dropped`, () =>
      assert.equal(readPageMessage(fromTaskPage, message, channel), undefined));
  }
});

it('T13 random values from a page are never accepted as messages', () => {
  fc.assert(
    fc.property(fc.anything(), (message) => {
      for (const received of [message, { ...Object(message), channel }]) {
        assert.equal(readPageMessage(fromGeneratePage, received, channel), undefined);
        assert.equal(readPageMessage(fromTaskPage, received, channel), undefined);
      }
    }),
    { numRuns: 2_000 },
  );
});
