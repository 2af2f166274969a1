import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { mock } from 'node:test';
import { HttpError } from '../../../../src/localGateway/http/httpError.ts';
import { readBodyPieces } from '../../../../src/localGateway/server/servedExchange.ts';

/** A request whose body a test sends. */
function request() {
  const body = Object.assign(new PassThrough(), { complete: false });
  return { body, pieces: readBodyPieces(body as unknown as IncomingMessage) };
}

describe('the body of a request to the local gateway', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('is rejected with 408 if it does not arrive in time, and the rest is dropped', async () => {
    const { body, pieces } = request();
    const refused = pieces.then(
      () => undefined,
      (error: unknown) => error,
    );
    const begun = once(body, 'data');
    body.write('{"model":');
    await begun;
    mock.timers.tick(56_000);
    const error = await refused;
    assert.ok(error instanceof HttpError);
    assert.deepEqual([error.status, error.code, error.neverSent], [408, 'request_timeout', true]);
    body.end('"m"}');
  });

  it('may arrive in pieces until the time limit', async () => {
    const { body, pieces } = request();
    const begun = once(body, 'data');
    body.write('{"a":');
    await begun;
    mock.timers.tick(50_000);
    body.end('1}');
    assert.equal(Buffer.concat([...(await pieces)] as Buffer[]).toString(), '{"a":1}');
    mock.timers.tick(60_000);
  });
});
