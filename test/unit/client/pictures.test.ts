import assert from 'node:assert/strict';
import { ChatSink } from '../../../src/client/chatSink.ts';
import { textFormat } from '../../../src/wire/apis/textFormats.ts';

describe('the tokens of a reply with pictures', () => {
  const picture = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };

  function readUsage(parts: readonly object[], counts: object) {
    const sink = new ChatSink(textFormat('contentGeneration').createDecoder(), () => {});
    const candidates = [{ content: { parts, role: 'model' }, finishReason: 'STOP' }];
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1290, ...counts };
    sink.write(new TextEncoder().encode(`data: ${JSON.stringify({ candidates, usageMetadata })}\n\n`));
    return sink.usage?.otherUnits;
  }

  it('are other units: one if the count for pictures is missing', () => {
    const apart = { candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1290 }] };
    assert.equal(readUsage([{ text: 'Hi' }], {}), undefined);
    assert.equal(readUsage([picture], {}), 1);
    assert.equal(readUsage([picture], apart), 1290);
  });
});
