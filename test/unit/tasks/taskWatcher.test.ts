import assert from 'node:assert/strict';
import { TasksWorld } from '../../support/tasksWorld.ts';
import { createGatewayError } from '../../support/testGateway.ts';

const minute = 60_000;
const hour = 60 * minute;

describe('while tasks are watched,', function () {
  // Some tests simulate hours.
  this.timeout(20_000);
  const world = TasksWorld.forEachTest();

  describe('the watcher of a running task', () => {
    it('reports its end once, with the results in the ledger', async () => {
      const window = await world.startWatching(world.openWithTask());
      await world.clock.advance(20_000);
      assert.deepEqual(window.listEvents('ended'), []);
      world.server.endTask('task-a');
      await world.clock.advance(30_000);
      assert.deepEqual(window.listEvents('ended'), [{ type: 'ended', key: 'a' }]);
      assert.equal(window.readTask('a').status, 'completed');
      assert.deepEqual(
        window.readTask('a').results.map(({ url }) => url),
        ['https://gateway.example/a.mp4'],
      );
      const requestCount = world.server.readIds.length;
      await world.clock.advance(hour);
      assert.equal(world.server.readIds.length, requestCount);
    });

    it('polls every 5 s at first, then less often, down to every 30 s', async () => {
      await world.startWatching(world.openWithTask());
      await world.clock.advance(10 * minute);
      const gaps = world.server.readTimes
        .slice(1)
        .map((at, place) => at - (world.server.readTimes[place] ?? 0));
      assert.ok((gaps[0] ?? 0) <= 6_300, `${gaps[0]}`);
      assert.ok(gaps.every((gap, place) => place === 0 || gap >= (gaps[place - 1] ?? 0) - 1));
      assert.ok((gaps.at(-1) ?? 0) >= 29_000 && (gaps.at(-1) ?? 0) <= 31_000, `${gaps.at(-1)}`);
    });

    it('polls often again once the state changes', async () => {
      await world.startWatching(world.openWithTask());
      await world.clock.advance(10 * minute);
      const task = world.server.tasks.get('task-a');
      assert.ok(task);
      task.rawStatus = 'rendering';
      await world.clock.advance(2 * minute);
      const gaps = world.server.readTimes
        .slice(1)
        .map((at, place) => at - (world.server.readTimes[place] ?? 0));
      assert.ok(Math.min(...gaps.slice(-9)) <= 6_000, `${gaps.slice(-9)}`);
    });

    it('F73 continues after an unknown status, and stores it', async () => {
      const window = await world.startWatching(world.openWithTask());
      world.server.endTask('task-a', 'moderating');
      await world.clock.advance(minute);
      assert.equal(window.readTask('a').status, 'running');
      assert.equal(window.readTask('a').rawStatus, 'moderating');
      world.server.endTask('task-a', 'UNKNOWN');
      await world.clock.advance(minute);
      assert.equal(window.readTask('a').status, 'running');
    });

    it('F73 completes a task with an unknown status once its record has had a result for a while', async () => {
      const window = await world.startWatching(world.openWithTask());
      const address = 'https://gateway.example/late.mp4';
      const served = world.server.tasks.get('task-a');
      assert.ok(served);
      served.rawStatus = 'phase-7';
      await world.clock.advance(20_000);
      Object.assign(served, { results: [address] });
      await world.clock.advance(20_000);
      assert.equal(window.readTask('a').status, 'running');
      const { record } = window.ledger.readHistory('a') ?? {};
      assert.match(JSON.stringify(record), /late\.mp4/);
      await world.clock.advance(minute);
      assert.equal(window.readTask('a').status, 'completed');
      assert.deepEqual(
        window.readTask('a').results.map(({ url }) => url),
        [address],
      );
    });

    it('F74 does not reopen a task that ended', async () => {
      const window = await world.startWatching(world.openWithTask());
      world.server.endTask('task-a');
      await world.clock.advance(10_000);
      world.server.endTask('task-a', 'running');
      await window.watcher.pollNow('a');
      assert.equal(window.readTask('a').status, 'completed');
    });

    it('waits a short time for the result of a completed task', async () => {
      const window = await world.startWatching(world.openWithTask());
      world.server.endTask('task-a', 'completed', []);
      await world.clock.advance(10_000);
      assert.equal(window.readTask('a').status, 'running');
      world.server.endTask('task-a', 'completed', ['https://gateway.example/late.mp4']);
      await world.clock.advance(10_000);
      assert.deepEqual(
        window.readTask('a').results.map(({ url }) => url),
        ['https://gateway.example/late.mp4'],
      );
    });

    it('completes a task without results after a minute', async () => {
      const window = await world.startWatching(world.openWithTask());
      world.server.endTask('task-a', 'completed', []);
      await world.clock.advance(minute);
      assert.equal(window.readTask('a').status, 'completed');
      assert.deepEqual(window.readTask('a').results, []);
    });

    it('F83 polls each of 200 tasks at the start, spread out and at most 4 at once', async () => {
      const window = world.open();
      for (let task = 0; task < 200; task += 1) {
        world.server.createTask(`k${task}`, { id: `t${task}`, rawStatus: 'running' });
        window.addRunning(`k${task}`, `t${task}`);
      }
      world.server.delay = () => new Promise((resolve) => void world.clock.after(100, resolve));
      await world.startWatching(window);
      await world.clock.advance(1_000);
      assert.ok(
        world.server.readIds.length > 0 && world.server.readIds.length <= 10,
        `${world.server.readIds.length} in the first second`,
      );
      await world.clock.advance(30_000);
      assert.equal(new Set(world.server.readIds).size, 200);
      assert.ok(world.server.maxInFlight <= 4, `${world.server.maxInFlight} in flight`);
    });

    it('F71 polls a task of an earlier session within 5 s of the start', async () => {
      const before = world.openWithTask();
      await before.close();
      await world.startWatching(world.open('two'));
      await world.clock.advance(5_000);
      assert.ok(world.server.readIds.length >= 1);
    });

    it('polls a task that is created after the start', async () => {
      const window = await world.startWatching(world.open());
      world.server.createTask('a', { id: 'task-a' });
      window.addRunning('a', 'task-a');
      await world.clock.advance(5_500);
      assert.deepEqual(world.server.readIds, ['task-a']);
    });

    it('polls a task that is created after the start, as soon as the interval has passed', async () => {
      const window = await world.startWatching(world.open('one', { pollOptions: { intervalMs: 1_000 } }));
      world.server.createTask('a', { id: 'task-a' });
      window.addRunning('a', 'task-a');
      await world.clock.advance(1_000);
      assert.deepEqual(world.server.readIds, ['task-a']);
    });

    it('stops polling when the user stops watching, and continues when it is resumed', async () => {
      const window = await world.startWatching(world.openWithTask());
      window.ledger.setWatching('a', 'stopped');
      await world.clock.advance(minute);
      const requestCount = world.server.readIds.length;
      await world.clock.advance(minute);
      assert.equal(world.server.readIds.length, requestCount);
      window.ledger.setWatching('a', 'on');
      await world.clock.advance(6_000);
      assert.equal(world.server.readIds.length, requestCount + 1);
    });

    it('does not poll a removed task', async () => {
      const window = await world.startWatching(world.openWithTask());
      window.ledger.remove('a');
      await world.clock.advance(minute);
      assert.deepEqual(world.server.readIds, []);
    });
  });

  describe('a poll that the user requested', () => {
    it('is done at once, also in a window that is not the leader', async () => {
      await world.startWatching(world.openWithTask());
      const two = await world.startWatching(world.open('two'));
      world.server.endTask('task-a');
      await two.watcher.pollNow('a');
      assert.equal(two.readTask('a').status, 'completed');
    });

    it('does not resume watching', async () => {
      const window = await world.startWatching(world.openWithTask());
      window.ledger.setWatching('a', 'timed-out');
      await window.watcher.pollNow('a');
      assert.deepEqual(world.server.readIds, ['task-a']);
      await world.clock.advance(10 * minute);
      assert.deepEqual(world.server.readIds, ['task-a']);
      assert.equal(window.readTask('a').watching, 'timed-out');
    });

    it('reports its failure', async () => {
      const window = await world.startWatching(world.openWithTask());
      world.server.replies.push(() => {
        throw createGatewayError({ kind: 'server', status: 503 });
      });
      await assert.rejects(window.watcher.pollNow('a'), { kind: 'server', status: 503 });
    });

    it('is shared with a poll in progress', async () => {
      const window = await world.startWatching(world.openWithTask());
      world.server.delay = () => new Promise((resolve) => void world.clock.after(1_000, resolve));
      const both = Promise.all([window.watcher.pollNow('a'), window.watcher.pollNow('a')]);
      await world.clock.advance(2_000);
      await both;
      assert.deepEqual(world.server.readIds, ['task-a']);
    });

    it('restores a missing task', async () => {
      const window = await world.startWatching(world.openWithTask());
      window.ledger.markMissing('a');
      await window.watcher.pollNow('a');
      assert.equal(window.readTask('a').status, 'running');
    });
  });

  describe('a task of unknown outcome', () => {
    it('is found in the list and watched to its end', async () => {
      const window = world.open();
      window.addUnknown('a');
      world.server.createTask('a', { id: 'task-a' });
      await world.startWatching(window);
      await world.clock.advance(10_000);
      assert.deepEqual(window.listEvents('found'), [{ type: 'found', key: 'a', taskId: 'task-a' }]);
      assert.equal(window.readTask('a').status, 'running');
      world.server.endTask('task-a');
      await world.clock.advance(minute);
      assert.equal(window.readTask('a').status, 'completed');
    });

    it('is searched for only a few times', async () => {
      const window = await world.startWatching(world.open());
      window.addUnknown('a');
      await world.clock.advance(2 * hour);
      assert.ok(
        world.server.readIds.length >= 3 && world.server.readIds.length <= 6,
        `${world.server.readIds.length} searches`,
      );
      assert.equal(window.readTask('a').status, 'unknown');
    });

    it('is never sent again', async () => {
      const window = await world.startWatching(world.open());
      window.addUnknown('a');
      await world.clock.advance(2 * hour);
      assert.equal(world.server.bills.size, 0);
    });
  });
});
