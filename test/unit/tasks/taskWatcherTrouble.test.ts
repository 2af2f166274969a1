import assert from 'node:assert/strict';
import { decodeTask } from '../../../src/wire/apis/taskRecord/decodeTask.ts';
import { TasksWorld } from '../../support/tasksWorld.ts';
import { createGatewayError, TestGateway } from '../../support/testGateway.ts';
import { createDraft, gateway } from '../../support/testWindow.ts';

const minute = 60_000;
const hour = 60 * minute;

describe('while tasks are watched,', function () {
  // Some tests simulate hours.
  this.timeout(20_000);
  const world = TasksWorld.forEachTest();

  describe('a failing gateway', () => {
    it('F30 is not polled for any task before Retry-After has passed, and a long pause is reported', async () => {
      const window = world.openWithTask();
      world.server.createTask('b', { id: 'task-b' });
      window.addRunning('b', 'task-b');
      world.server.replies.push(() => {
        throw createGatewayError({ kind: 'rate-limited', status: 429, retryAfterMs: 10 * minute });
      });
      await world.startWatching(window);
      await world.clock.advance(10 * minute - 1_000);
      assert.equal(world.server.readIds.length, 1);
      const [event] = window.listEvents('rate-limited');
      assert.equal(event?.type === 'rate-limited' && event.gateway, gateway);
      await world.clock.advance(minute);
      assert.ok(world.server.readIds.length > 1);
    });

    it('F30 is polled again after a day, even if Retry-After is longer', async () => {
      const window = world.openWithTask({ pollOptions: { timeoutMs: 7 * 24 * hour } });
      world.server.replies.push(() => {
        throw createGatewayError({ kind: 'rate-limited', status: 429, retryAfterMs: 2 ** 31 - 1 });
      });
      await world.startWatching(window);
      await world.clock.advance(hour);
      await world.clock.sleep(22 * hour, 'goes on');
      await world.clock.advance(minute);
      assert.equal(world.server.readIds.length, 1);
      await world.clock.advance(hour);
      assert.ok(world.server.readIds.length > 1);
    });

    it('F77 is polled less for all its tasks after a 429, and another gateway is not', async () => {
      const other = new TestGateway(() => world.clock.now());
      const window = world.open('one', {
        getClient: async (name) => (name === gateway ? world.server : other),
      });
      for (let task = 0; task < 20; task += 1) {
        world.server.createTask(`k${task}`, { id: `t${task}` });
        window.addRunning(`k${task}`, `t${task}`);
      }
      other.createTask('else', { id: 'elsewhere' });
      window.ledger.create(createDraft('else', { gateway: 'https://other.example' }));
      window.ledger.claimSubmission('else', 'request');
      window.ledger.accept('else', 'elsewhere');
      world.server.reply = () => {
        throw createGatewayError({ kind: 'rate-limited', status: 429 });
      };
      await world.startWatching(window);
      await world.clock.advance(minute);
      assert.ok(world.server.readIds.length <= 8, `${world.server.readIds.length} polls in a minute`);
      assert.ok(other.readIds.length >= 5, `${other.readIds.length} polls to the other gateway`);
      world.server.reply = undefined;
      await world.clock.advance(3 * minute);
      assert.equal(new Set(world.server.readIds).size, 20);
    });

    it('F76 F35 is paused and reported once when it refuses the credential, and resumed with a new one', async () => {
      const window = world.open();
      for (const key of ['a', 'b', 'c']) {
        world.server.createTask(key, { id: `task-${key}` });
        window.addRunning(key, `task-${key}`);
      }
      world.server.reply = () => {
        throw createGatewayError({ kind: 'authentication', status: 401 });
      };
      await world.startWatching(window);
      await world.clock.advance(hour);
      assert.equal(window.listEvents('paused').length, 1);
      assert.ok(
        world.server.readIds.length <= 3,
        `${world.server.readIds.length} polls with a refused credential`,
      );
      assert.equal(window.readTask('a').status, 'running');
      assert.equal(window.readTask('a').watching, 'on');
      world.server.reply = undefined;
      window.watcher.resumeGateway(gateway);
      await world.clock.advance(6_000);
      assert.deepEqual(window.listEvents('resumed'), [{ type: 'resumed', gateway }]);
      assert.equal(new Set(world.server.readIds).size, 3);
    });

    const refuse = () => {
      throw createGatewayError({ kind: 'authentication', status: 403 });
    };
    const countReads = (id: string) => world.server.readIds.filter((readId) => readId === id).length;

    function openWithTasks(...keys: readonly string[]) {
      const window = world.open();
      for (const key of keys) {
        world.server.createTask(key, { id: `task-${key}` });
        window.addRunning(key, `task-${key}`);
      }
      return window;
    }

    it('F76 is not paused if it refuses only one of several tasks, and all are still polled', async () => {
      const window = openWithTasks('a', 'b');
      world.server.reply = (id) => (id === 'task-a' ? refuse() : decodeTask({ id, status: 'running' }));
      await world.startWatching(window);
      await world.clock.advance(hour);
      assert.deepEqual(window.listEvents('paused'), []);
      assert.ok(countReads('task-b') > 100, `${countReads('task-b')} polls`);
      assert.ok(countReads('task-a') > 50 && countReads('task-a') <= countReads('task-b') + 20);
      assert.ok(world.server.modelListReads <= 7, `${world.server.modelListReads} model lists`);
    });

    it('F76 is not paused if it refuses its only task but returns the model list', async () => {
      const window = openWithTasks('a');
      world.server.reply = refuse;
      await world.startWatching(window);
      await world.clock.advance(hour);
      assert.deepEqual(window.listEvents('paused'), []);
      assert.ok(world.server.modelListReads >= 1 && world.server.modelListReads <= 7);
      world.server.reply = undefined;
      world.server.endTask('task-a');
      await world.clock.advance(minute);
      assert.equal(window.readTask('a').status, 'completed');
    });

    it('F76 is paused if it refuses both its only task and the model list', async () => {
      const window = openWithTasks('a');
      world.server.reply = refuse;
      world.server.refuseModels = refuse;
      await world.startWatching(window);
      await world.clock.advance(hour);
      assert.equal(window.listEvents('paused').length, 1);
      assert.equal(countReads('task-a'), 2);
    });

    it('F76 is polled for a new task although it is paused, and the pause is not reported again', async () => {
      const window = openWithTasks('a', 'b');
      world.server.reply = (id) => (id === 'task-c' ? decodeTask({ id, status: 'running' }) : refuse());
      await world.startWatching(window);
      await world.clock.advance(minute);
      assert.equal(window.listEvents('paused').length, 1);
      world.server.createTask('c', { id: 'task-c' });
      window.addRunning('c', 'task-c');
      await world.clock.advance(8_000);
      assert.ok(countReads('task-c') >= 1, 'the new task got no poll');
      await world.clock.advance(9 * minute);
      assert.equal(window.listEvents('paused').length, 1);
      assert.ok(countReads('task-c') >= 15, `${countReads('task-c')} polls`);
    });

    it('F76 is resumed once it replies to any other request', async () => {
      const window = openWithTasks('a', 'b');
      world.server.reply = refuse;
      await world.startWatching(window);
      await world.clock.advance(minute);
      assert.equal(window.listEvents('paused').length, 1);
      world.server.reply = undefined;
      window.watcher.resumeAccount(gateway, () => true);
      await world.clock.advance(minute);
      assert.deepEqual(window.listEvents('resumed'), [{ type: 'resumed', gateway }]);
      assert.equal(new Set(world.server.readIds).size, 2);
    });

    /** A window with two accounts at one gateway, each with its own tasks. */
    function openWithAccounts() {
      const { server: home } = world;
      const work = new TestGateway(() => world.clock.now());
      const window = world.open('one', { getClient: async (_, name) => (name === 'work' ? work : home) });
      for (const key of ['w1', 'w2', 'w3', 'h1', 'h2']) {
        const isWork = key.startsWith('w');
        (isWork ? work : home).createTask(key, { id: `task-${key}` });
        window.addRunning(key, `task-${key}`, { gatewayName: isWork ? 'work' : 'home' });
      }
      return { window, work, home };
    }

    it('F76 is paused only for the account whose credential it refuses', async () => {
      const { window, work, home } = openWithAccounts();
      work.reply = refuse;
      await world.startWatching(window);
      await world.clock.advance(10 * minute);
      assert.deepEqual(
        window.listEvents('paused').map((event) => event.type === 'paused' && event.gatewayName),
        ['work'],
      );
      assert.ok(work.readIds.length <= 3, `${work.readIds.length} polls with a refused credential`);
      assert.equal(new Set(home.readIds).size, 2);
      assert.ok(home.readIds.length > 30, `${home.readIds.length} polls with the other`);
    });

    it('F76 is not resumed for an account by a reply to another account', async () => {
      const { window, work, home } = openWithAccounts();
      work.reply = refuse;
      await world.startWatching(window);
      await world.clock.advance(minute);
      const before = work.readIds.length;
      window.watcher.resumeAccount(gateway, (name) => name === 'home');
      home.createTask('h3', { id: 'task-h3' });
      window.addRunning('h3', 'task-h3', { gatewayName: 'home' });
      await world.clock.advance(10 * minute);
      assert.equal(work.readIds.length, before);
      assert.ok(home.readIds.includes('task-h3'));
      work.reply = undefined;
      window.watcher.resumeAccount(gateway, (name) => name === 'work');
      await world.clock.advance(minute);
      assert.equal(new Set(work.readIds).size, 3);
    });

    it('F35 is not paused after 402 and 404 for single tasks', async () => {
      const window = openWithTasks('a', 'b', 'c');
      world.server.reply = (id) => {
        if (id === 'task-c') return decodeTask({ id, status: 'running' });
        throw id === 'task-a'
          ? createGatewayError({ kind: 'quota', status: 402 })
          : createGatewayError({ kind: 'invalid-parameters', status: 404 });
      };
      await world.startWatching(window);
      await world.clock.advance(10 * minute);
      assert.deepEqual(window.listEvents('paused'), []);
      assert.ok(countReads('task-c') >= 15);
    });

    it('F103 is polled once more before it is paused, in case the credential has changed', async () => {
      const window = world.openWithTask();
      world.server.replies.push(() => {
        throw createGatewayError({ kind: 'authentication', status: 401 });
      });
      await world.startWatching(window);
      await world.clock.advance(10_000);
      assert.deepEqual(window.listEvents('paused'), []);
      assert.ok(world.server.readIds.length >= 2);
    });

    it('F31 is polled rarely while it is unreachable, and few failed polls are stored', async () => {
      const window = world.open();
      for (let task = 0; task < 50; task += 1) {
        world.server.createTask(`k${task}`, { id: `t${task}` });
        window.addRunning(`k${task}`, `t${task}`);
      }
      world.server.reply = () => {
        throw createGatewayError({ kind: 'unreachable', reason: 'dns', wasSent: false });
      };
      await world.startWatching(window);
      await world.clock.advance(30 * minute);
      assert.ok(world.server.readIds.length <= 70, `${world.server.readIds.length} polls in half an hour`);
      for (let task = 0; task < 50; task += 1) {
        assert.ok((window.ledger.readHistory(`k${task}`)?.failedPolls.length ?? 0) <= 3);
      }
      world.server.reply = undefined;
      await world.clock.advance(2 * minute);
      assert.equal(new Set(world.server.readIds).size, 50);
    });

    it('F31 is still polled for a task that fails with a 5xx, and the failure is stored once', async () => {
      const window = world.openWithTask();
      world.server.createTask('b', { id: 'task-b' });
      window.addRunning('b', 'task-b');
      world.server.reply = (id) => {
        if (id === 'task-a') throw createGatewayError({ kind: 'server', status: 500 });
        throw createGatewayError({ kind: 'malformed-reply' });
      };
      await world.startWatching(window);
      await world.clock.advance(10 * minute);
      const requestCount = world.server.readIds.filter((id) => id === 'task-a').length;
      assert.ok(requestCount >= 15 && requestCount <= 30, `${requestCount} polls`);
      const polls = window.ledger.readHistory('a')?.failedPolls ?? [];
      assert.deepEqual(
        polls.map(({ problem }) => problem.status),
        [500],
      );
    });

    it('F75 has a task that is marked as missing a minute after its first 404', async () => {
      const window = world.openWithTask();
      world.server.tasks.clear();
      await world.startWatching(window);
      await world.clock.advance(55_000);
      assert.equal(window.readTask('a').status, 'running');
      await world.clock.advance(minute);
      assert.equal(window.readTask('a').status, 'missing');
      assert.equal(window.readTask('a').taskId, 'task-a');
      assert.deepEqual(window.listEvents('missing'), [{ type: 'missing', key: 'a' }]);
    });

    it('F75 has a task that is marked as missing a minute after the status not_found', async () => {
      const window = world.openWithTask();
      world.server.endTask('task-a', 'not_found');
      await world.startWatching(window);
      await world.clock.advance(55_000);
      assert.equal(window.readTask('a').status, 'running');
      await world.clock.advance(minute);
      assert.equal(window.readTask('a').status, 'missing');
    });

    it('F75 has a task that is marked as missing if its status stays UNKNOWN', async () => {
      const window = world.openWithTask();
      world.server.endTask('task-a', 'UNKNOWN');
      await world.startWatching(window);
      await world.clock.advance(55_000);
      assert.equal(window.readTask('a').status, 'running');
      await world.clock.advance(2 * minute);
      assert.equal(window.readTask('a').status, 'missing');
      assert.deepEqual(window.listEvents('missing'), [{ type: 'missing', key: 'a' }]);
    });

    it('F73 has a task that is not missing if its status is UNKNOWN for less than a minute', async () => {
      const window = world.openWithTask();
      await world.startWatching(window);
      await world.clock.advance(5 * minute);
      world.server.endTask('task-a', 'UNKNOWN');
      await world.clock.advance(50_000);
      world.server.endTask('task-a', 'running');
      await world.clock.advance(2 * minute);
      world.server.endTask('task-a', 'unknown');
      await world.clock.advance(50_000);
      world.server.endTask('task-a', 'completed');
      await world.clock.advance(2 * minute);
      assert.equal(window.readTask('a').status, 'completed');
    });

    it('F26 has a task that is not missing if a web page is returned for it', async () => {
      const window = world.openWithTask();
      world.server.reply = () => {
        throw createGatewayError({ kind: 'unreachable', reason: 'not-a-gateway', status: 404 });
      };
      await world.startWatching(window);
      await world.clock.advance(5 * minute);
      assert.equal(window.readTask('a').status, 'running');
    });

    it('is polled again after no client was available for a while', async () => {
      let down = true;
      const getClient = async () => {
        if (down) throw new Error('the local gateway does not start');
        return world.server;
      };
      const window = world.openWithTask({ getClient });
      await world.startWatching(window);
      await world.clock.advance(minute);
      down = false;
      world.server.endTask('task-a');
      await world.clock.advance(minute);
      assert.equal(window.readTask('a').status, 'completed');
    });

    it('is polled again after a poll hangs', async () => {
      const window = world.openWithTask();
      let requestCount = 0;
      world.server.delay = () => {
        requestCount += 1;
        return requestCount === 1 ? new Promise(() => {}) : Promise.resolve();
      };
      await world.startWatching(window);
      world.server.endTask('task-a');
      await world.clock.advance(3 * minute);
      assert.equal(window.readTask('a').status, 'completed');
    });
  });
});
