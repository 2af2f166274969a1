import assert from 'node:assert/strict';
import { addReferences } from '../../src/host/chat/context/addContext.ts';
import { UnsentInput } from '../../src/host/chat/context/unsentInput.ts';
import { answerDialogs } from '../support/dialogs.ts';

describe('context items that are added at the same time', () => {
  it('are added up to the limit, with one message about the others', async () => {
    const unsent = new UnsentInput();
    const drop = (name: string) =>
      addReferences(
        unsent,
        Array.from({ length: 20 }, (_, nth) => ({ kind: 'text', name, language: 'txt', text: `${nth}` })),
      );
    const seen = await answerDialogs(undefined, () => Promise.all([drop('first.txt'), drop('second.txt')]));
    assert.deepEqual(
      seen.map(({ message }) => message),
      ['A question can have at most 32 context items. Remove some of them.'],
    );
    assert.equal(unsent.context.entries.length, 32);
    unsent.dispose();
  });
});
