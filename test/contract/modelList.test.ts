import assert from 'node:assert/strict';
import { testCredential, withFaultServer } from '../support/faultServerCalls.ts';

describe('the list of models', () => {
  it('P1 has none that is called like the credential, since lists are kept', async () => {
    const encoded = Buffer.from(testCredential).toString('base64');
    const data = [
      { id: 'kept', name: 'Kept', owned_by: 'maker' },
      { id: `m-${testCredential}` },
      { id: 'named', name: `Model of ${encoded}` },
      { id: 'owned', owned_by: testCredential.toUpperCase() },
    ];
    await withFaultServer(
      (connection) => connection.respond(200, {}, JSON.stringify({ data })),
      async ({ client }) => {
        const listed = await client.listModels();
        assert.deepEqual(
          listed.map(({ id }) => id),
          ['kept'],
        );
      },
    );
  });
});
