import assert from 'node:assert/strict';
import { InteractionsDecoder } from '../../../src/wire/apis/interactions/readReply.ts';
import { DecodedReply } from '../../../src/wire/stream/decodedReply.ts';
import { assertSurvives } from './hostileJson.ts';
import { describeRecordings } from './recordedStreams.ts';

const reader = () => new InteractionsDecoder();

describe('interactions replies', () => {
  describeRecordings({
    name: 'interactions',
    reader,
    endMark:
      /"interaction\.complete|"interaction\.requires_action|"status":"requires_action"|event: done|\[DONE\]/,
  });

  it('end as soon as the interaction is completed, and not before', () => {
    const reply = new DecodedReply(reader());
    reply.read({ event_type: 'step.delta', index: 0, delta: { type: 'text', text: 'Hi' } });
    reply.read({ event_type: 'interaction.status_update', status: 'completed' });
    assert.equal(reply.hasEnded, false);
    reply.read({ event_type: 'interaction.completed', interaction: { status: 'completed' } });
    assert.equal(reply.hasEnded, true);
  });

  it('are pending while a whole interaction is in the background', () => {
    for (const status of ['queued', 'in_progress', 'completed', 'requires_action']) {
      const reply = new DecodedReply(reader());
      reply.read({ id: 'i', object: 'interaction', status });
      assert.equal(reply.isPending, status === 'queued' || status === 'in_progress', status);
    }
  });

  it('are read whole with 300,000 contents', () => {
    const reply = new DecodedReply(reader());
    const content = { type: 'text', text: 'x' };
    reply.read({ id: 'i', status: 'completed', outputs: Array.from({ length: 300_000 }, () => content) });
    assert.equal(reply.hasEnded, true);
  });

  it('T24 F60 do not crash the decoder or reach a prototype with any JSON', () => {
    const members = [
      'event_type',
      'interaction',
      'status',
      'step',
      'delta',
      'index',
      'steps',
      'outputs',
      'content',
      'usage',
      'errors',
      'error',
    ];
    assertSurvives(reader, members, ['model_output', 'function_call']);
    for (const event_type of ['interaction.created', 'interaction.completed', 'step.start', 'step.delta']) {
      for (const index of ['__proto__', -1, 1e9, 0.5, null, {}]) {
        for (const inner of [
          [],
          null,
          7,
          { type: 'function_call', __proto__: null },
          { type: '__proto__' },
        ]) {
          new DecodedReply(reader()).read({
            event_type,
            index,
            step: inner,
            delta: inner,
            interaction: inner,
          });
        }
      }
    }
    assert.equal('polluted' in {}, false);
  });
});
