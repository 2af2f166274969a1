import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { FailureStore } from '../../../src/requests/failureStore.ts';
import { FailureWorker } from '../../../src/requests/failureWorker.ts';
import { RequestHistory } from '../../../src/requests/requestHistory.ts';
import type { RequestRecord } from '../../../src/requests/requestRecord.ts';
import { StorageError } from '../../../src/storage/database.ts';
import { explain } from '../../../src/wire/explanations/explanation.ts';
import { type FailureKind, GatewayError } from '../../../src/wire/failures/gatewayError.ts';
import { DatabaseFolder } from '../../support/databaseFolder.ts';
import { canary, createRecord, createTranscript } from '../../support/requestRecords.ts';
import { itOnSmallDisk, SmallDisk } from '../../support/smallDisk.ts';

type FailureWorkerOptions = ConstructorParameters<typeof FailureWorker>[0];

const program = fileURLToPath(new URL('../../../src/requests/worker/main.ts', import.meta.url));
const promptCanary = 'zebra-told-in-confidence';

function failed(
  requestId: string,
  { at = 1, kind = 'server' as FailureKind, prompt = promptCanary } = {},
): RequestRecord {
  return createRecord({
    requestId,
    requestedAt: new Date(at),
    status: 500,
    failure: 'It failed.',
    error: new GatewayError({
      kind,
      explanation: explain('reply-too-large'),
      requestedAt: new Date(at),
      requestId,
    }),
    transcript: createTranscript(`{"model":"m","prompt":"${prompt}","user":"${canary}"}`, [
      [1, `{"error":"no ${canary}"}`],
    ]),
  });
}

describe('stored failed requests', function () {
  this.timeout(20_000);
  let folder: DatabaseFolder;
  let windows: FailureWorker[] = [];
  let errors: unknown[] = [];

  beforeEach(() => {
    folder = new DatabaseFolder();
    errors = [];
  });
  afterEach(async () => {
    await Promise.all(windows.map((each) => each.close()));
    windows = [];
    folder.remove();
  });

  function open(options: Partial<FailureWorkerOptions> = {}): FailureWorker {
    const failures = new FailureWorker({
      file: folder.file(),
      program,
      shouldStore: () => true,
      onError: (error) => errors.push(error),
      ...options,
    });
    windows.push(failures);
    return failures;
  }

  async function ids(failures: FailureWorker): Promise<readonly string[]> {
    return (await failures.list()).map(({ requestId }) => requestId);
  }

  /** The names of the files that hold these words. */
  function holding(words: string): readonly string[] {
    const path = folder.file('.');
    return readdirSync(path).filter((name) => readFileSync(join(path, name)).includes(words));
  }

  it('are listed in every window after a restart, newest first, with their bodies', async () => {
    const first = open();
    first.store(failed('r1', { at: 1 }));
    first.store(failed('r2', { at: 2 }));
    await first.close();
    const [one, other] = [open(), open()];
    assert.deepEqual(await ids(one), ['r2', 'r1']);
    assert.deepEqual(await ids(other), ['r2', 'r1']);
    const [newest = assert.fail()] = await other.list();
    const { content, figures } = (await other.get(newest.id)) ?? assert.fail();
    assert.equal(figures.failure?.kind, 'server');
    assert.match(content?.requestBody?.text ?? '', new RegExp(promptCanary));
    assert.deepEqual(errors, []);
  });

  it('T21 are written to disk without the credential', async () => {
    const failures = open();
    failures.store(failed('r1'));
    await failures.settled();
    assert.notDeepEqual(holding(promptCanary), []);
    assert.deepEqual(holding(canary), []);
  });

  it('do not include requests that succeeded or that the user stopped', async () => {
    const failures = open();
    failures.store(createRecord());
    failures.store(failed('stopped', { kind: 'cancelled' }));
    failures.store(failed('r1'));
    await failures.settled();
    assert.deepEqual(await ids(failures), ['r1']);
  });

  it('are not written when the user does not want them', async () => {
    const failures = open({ shouldStore: () => false });
    failures.store(failed('r1'));
    await failures.settled();
    assert.deepEqual(await ids(failures), []);
  });

  it('are limited to the last 500, and to 64 kB of each body', async () => {
    const store = new FailureStore(folder.file());
    for (let nth = 1; nth <= 503; nth++) {
      store.store({ figures: failed(`r${nth}`, { at: nth }).figures });
    }
    const listed = store.list();
    assert.deepEqual([listed.length, listed[0]?.requestId, listed.at(-1)?.requestId], [500, 'r503', 'r4']);
    store.close();

    const failures = open();
    failures.store(failed('large', { at: 1000, prompt: 'x'.repeat(1_000_000) }));
    await failures.settled();
    const [newest = assert.fail()] = await failures.list();
    const { content } = (await failures.get(newest.id)) ?? assert.fail();
    assert.equal(content?.requestBody?.text.length, 64 * 1024);
    assert.ok((content?.requestBody?.omitted ?? 0) > 900_000);
  });

  it('are erased from every file when they are cleared, even while another window has the database open', async () => {
    const [one, other] = [open(), open()];
    one.store(failed('r1'));
    await one.settled();
    assert.deepEqual(await ids(other), ['r1']);
    other.store(failed('r2'));
    await other.settled();
    writeFileSync(folder.file(`corrupt-1-${folder.file().split(/[\\/]/).at(-1)}`), promptCanary);
    const history = new RequestHistory(one);
    await history.readEarlierFailures();
    assert.equal(history.earlierFailures.length, 2);
    await history.clear();
    assert.deepEqual(history.earlierFailures, []);
    assert.deepEqual(holding(promptCanary), []);
    assert.deepEqual(await ids(other), []);
    other.store(failed('r3'));
    await other.settled();
    assert.deepEqual(await ids(one), ['r3']);
  });

  it('that cannot be written are reported once, and stay available in their window', async () => {
    writeFileSync(folder.file('nofolder'), '');
    const failures = open({ file: folder.file('nofolder/requests.sqlite') });
    const history = new RequestHistory(failures);
    history.add(failed('r1'));
    history.add(failed('r2'));
    await failures.settled();
    assert.equal(errors.length, 1);
    assert.ok(errors[0] instanceof StorageError);
    assert.deepEqual(
      history.recent.map(({ requestId }) => requestId),
      ['r2', 'r1'],
    );
    const [newest = assert.fail()] = history.recent;
    assert.ok((await history.open(newest.id))?.content);
  });

  itOnSmallDisk(
    'F92 stay readable on a full disk, which is reported once each time, and are stored again once there is room',
    async () => {
      const disk = SmallDisk.mount(4);
      assert.ok(disk);
      try {
        const failures = open({ file: join(disk.path, 'requests.sqlite') });
        failures.store(failed('before'));
        await failures.settled();
        assert.deepEqual(await ids(failures), ['before']);
        const long = 'word '.repeat(12_000);
        disk.fill();
        const requestIds = Array.from({ length: 20 }, (_, nth) => `full-${nth}`);
        for (const id of requestIds) failures.store(failed(id, { at: 2, prompt: long }));
        await failures.settled();
        assert.equal(errors.length, 1);
        assert.ok(errors[0] instanceof StorageError && errors[0].kind === 'full', String(errors[0]));
        const stored = await ids(failures);
        assert.equal(stored.at(-1), 'before', 'the stored failures can be read');
        disk.free();
        failures.store(failed('after', { at: 3, prompt: long }));
        await failures.settled();
        assert.deepEqual(await ids(failures), ['after', ...stored]);
        disk.fill();
        for (const id of requestIds) failures.store(failed(`again-${id}`, { at: 4, prompt: long }));
        await failures.settled();
        assert.equal(errors.length, 2, 'another full disk is reported again');
        await assert.rejects(failures.clear(), (error: StorageError) => error.kind === 'full');
        assert.deepEqual(await ids(failures), ['after', ...stored], 'nothing is erased in part');
        disk.free();
        await failures.clear();
        assert.deepEqual(await ids(failures), []);
      } finally {
        await Promise.all(windows.splice(0).map((each) => each.close()));
        disk.remove();
      }
    },
  );

  it('T21 have their credential redacted in the worker, or in this thread if the worker is missing', async () => {
    const content = () => assert.fail('it was hidden here');
    const request = failed('large', { prompt: `${promptCanary} ${'word '.repeat(50_000)}` });
    const history = new RequestHistory(open());
    history.add({ ...request, content });
    for (const hidesAll of [true, false]) {
      const limits = { maxBodyBytes: Number.POSITIVE_INFINITY, hidesAll };
      const text = JSON.stringify((await history.open(request.figures.id, limits))?.content);
      assert.ok(text.includes(promptCanary) && text.length > 250_000);
      assert.ok(!text.includes(canary));
    }

    const without = new RequestHistory(open({ program: folder.file('missing.js') }));
    without.add(request);
    const text = JSON.stringify((await without.open(request.figures.id))?.content);
    assert.ok(text.includes(promptCanary) && !text.includes(canary));
  });

  it('are not listed twice in the window that sent them', async () => {
    const failures = open();
    const history = new RequestHistory(failures);
    history.add(failed('r1'));
    await failures.settled();
    await history.readEarlierFailures();
    assert.deepEqual([history.recent.length, history.earlierFailures.length], [1, 0]);
  });

  it('F95 are listed except for entries that damage made unreadable', () => {
    const store = new FailureStore(folder.file());
    for (const id of ['a', 'b', 'c']) {
      const { figures } = failed(id);
      store.store({ figures: { ...figures, id } });
    }
    const raw = new DatabaseSync(folder.file());
    raw.exec(
      `UPDATE failure SET figures = '{"id":' WHERE id = 'b'; UPDATE failure SET content = '{' WHERE id = 'c'`,
    );
    raw.close();
    try {
      assert.deepEqual(
        store
          .list()
          .map(({ id }) => id)
          .toSorted(),
        ['a', 'c'],
      );
      assert.equal(store.get('b'), undefined);
      assert.deepEqual([store.get('c')?.figures.id, store.get('c')?.content], ['c', undefined]);
    } finally {
      store.close();
    }
  });
});
