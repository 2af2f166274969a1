import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { ChatSink } from '../../../src/client/chatSink.ts';
import {
  finishRequestRecord,
  readResult,
} from '../../../src/conversations/conversation/chatRequestRecord.ts';
import { textFormat } from '../../../src/wire/apis/textFormats.ts';

const pauseMs = 20;

function createReplySink(): { readonly sink: ChatSink; readonly write: (delta: object) => void } {
  const sink = new ChatSink(textFormat('chatCompletions').createDecoder(), () => {});
  const write = (delta: object) => {
    const chunk = { id: 'r', object: 'chat.completion.chunk', choices: [{ index: 0, delta }] };
    sink.write(new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\n`));
  };
  return { sink, write };
}

describe('the time of reasoning', () => {
  it('runs from the first piece of reasoning to the first text', async () => {
    const { sink, write } = createReplySink();
    write({ reasoning_content: 'Let me ' });
    await setTimeout(pauseMs);
    write({ reasoning_content: 'see.' });
    write({ content: 'Yes.' });
    const { reasoningMs = 0 } = sink;
    assert.ok(reasoningMs >= pauseMs - 1 && Number.isInteger(reasoningMs), `${reasoningMs}`);
    await setTimeout(pauseMs);
    write({ reasoning_content: 'And more.', content: 'No.' });
    assert.equal(sink.reasoningMs, reasoningMs);
  });

  it('is unknown for a reply without reasoning', () => {
    const { sink, write } = createReplySink();
    write({ content: 'Yes.' });
    assert.equal(sink.reasoningMs, undefined);
  });

  it('is stored with the request', () => {
    const request = { id: 'r', model: 'm', requestedAt: 1 };
    const requestedAt = new Date(1);
    const result = { outcome: { kind: 'complete' }, requestId: 'r', requestedAt, totalMs: 900 } as const;
    assert.equal(readResult(finishRequestRecord(request, { ...result, reasoningMs: 620 })).reasoningMs, 620);
    assert.equal('reasoningMs' in readResult(finishRequestRecord(request, result)), false);
  });
});
