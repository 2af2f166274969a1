import assert from 'node:assert/strict';
import { rewriteEvents } from '../../../../src/localGateway/tasks/taskEvents.ts';

describe('the events of a task', () => {
  async function rewrite(id: unknown) {
    async function* events() {
      yield Buffer.from(`data: {"type":"response.created","response":{"id":${JSON.stringify(id)}}}\n\n`);
    }
    const task = { id: 'task_1', upstreamId: '7', format: 'responses' } as const;
    const pieces: Uint8Array[] = [];
    for await (const event of rewriteEvents(events(), task)) pieces.push(event);
    return JSON.parse(Buffer.concat(pieces).toString().slice('data: '.length)).response.id;
  }

  it('have the ID of the gateway in place of the ID at the upstream, and every other value unchanged', async () => {
    assert.equal(await rewrite('7'), 'task_1');
    assert.equal(await rewrite(7), 'task_1');
    for (const other of ['8', { toString: 1 }, ['7'], null]) assert.deepEqual(await rewrite(other), other);
  });
});
