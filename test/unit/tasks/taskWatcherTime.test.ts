import assert from 'node:assert/strict';
import type { Database } from '../../../src/storage/database.ts';
import { toWatchTimeoutMs } from '../../../src/tasks/polling/pollPauses.ts';
import { TasksWorld } from '../../support/tasksWorld.ts';
import { failWhenDead, WindowLife } from '../../support/windowLife.ts';

const minute = 60_000;
const hour = 60 * minute;
const year = 365 * 24 * hour;

describe('the watcher', function () {
  // Some tests simulate hours.
  this.timeout(20_000);
  const world = TasksWorld.forEachTest();

  describe('over time', () => {
    it('ends watching after the configured limit, which is not a failure', async () => {
      const window = await world.startWatching(world.openWithTask());
      await world.clock.advance(59 * minute);
      assert.equal(window.readTask('a').watching, 'on');
      await world.clock.advance(2 * minute);
      assert.equal(window.readTask('a').watching, 'timed-out');
      assert.equal(window.readTask('a').status, 'running');
      assert.deepEqual(window.listEvents('timed-out'), [{ type: 'timed-out', key: 'a' }]);
      const requestCount = world.server.readIds.length;
      await world.clock.advance(hour);
      assert.equal(world.server.readIds.length, requestCount);
      window.ledger.setWatching('a', 'on');
      await world.clock.advance(10 * minute);
      assert.equal(window.readTask('a').watching, 'on');
      assert.ok(world.server.readIds.length > requestCount);
    });

    it('ends watching once the disk has space again, if the disk is full at the limit', async () => {
      const disk = { full: false };
      const prepare = (database: Database) => failWhenDead(database, new WindowLife(() => {}), disk);
      const window = await world.startWatching(world.openWithTask({ prepare }));
      await world.clock.advance(59 * minute);
      disk.full = true;
      await world.clock.advance(5 * minute);
      assert.deepEqual(window.listEvents('timed-out'), []);
      disk.full = false;
      await world.clock.advance(2 * minute);
      assert.equal(window.readTask('a').watching, 'timed-out');
      assert.equal(window.listEvents('timed-out').length, 1);
    });

    it('treats a limit of 0 minutes as a week', () => {
      assert.equal(toWatchTimeoutMs(0), 7 * 24 * hour);
      assert.equal(toWatchTimeoutMs(60), hour);
    });

    it('F72 polls a task of three days ago before watching ends', async () => {
      await world.openWithTask().close();
      world.clock.jump(72 * hour);
      world.server.endTask('task-a');
      const window = await world.startWatching(world.open('two'));
      await world.clock.advance(6_000);
      assert.equal(window.readTask('a').status, 'completed');
    });

    for (const jump of [year, -year, hour, -hour]) {
      it(`F82 ends watching after the limit, not earlier, although the wall clock jumps by ${jump / hour} h`, async () => {
        const window = await world.startWatching(world.openWithTask());
        await world.clock.advance(10_000);
        world.clock.jump(jump);
        await world.clock.advance(45 * minute);
        assert.equal(window.readTask('a').watching, 'on');
        await world.clock.advance(20 * minute);
        assert.equal(window.readTask('a').watching, 'timed-out');
      });

      it(`F82 waits before it marks a new task as missing, although the wall clock jumps by ${jump / hour} h`, async () => {
        const window = world.openWithTask();
        world.server.tasks.clear();
        await world.startWatching(window);
        await world.clock.advance(10_000);
        world.clock.jump(jump);
        await world.clock.advance(40_000);
        assert.equal(window.readTask('a').status, 'running');
        await world.clock.advance(2 * minute);
        assert.equal(window.readTask('a').status, 'missing');
      });
    }

    it('F82 waits before it marks a new task as missing, although the clock is a week ahead at a takeover', async () => {
      await world.openWithTask().close();
      const shown = new Map(world.server.tasks);
      world.server.tasks.clear();
      world.clock.jump(7 * 24 * hour);
      const window = await world.startWatching(world.open('two'));
      await world.clock.advance(30_000);
      assert.equal(window.readTask('a').status, 'running');
      for (const [id, task] of shown) world.server.tasks.set(id, task);
      await world.clock.advance(30_000);
      world.server.endTask('task-a');
      await world.clock.advance(minute);
      assert.equal(window.readTask('a').status, 'completed');
    });

    for (const monotonic of ['stops', 'goes on'] as const) {
      it(`F80 polls soon after 8 h of sleep, and does not end watching (the monotonic clock ${monotonic})`, async () => {
        const window = await world.startWatching(world.openWithTask());
        await world.clock.advance(10 * minute);
        const requestCount = world.server.readIds.length;
        await world.clock.sleep(8 * hour, monotonic);
        await world.clock.advance(9_100);
        assert.equal(window.listEvents('woke').length, 1);
        assert.ok(world.server.readIds.length > requestCount);
        assert.equal(window.readTask('a').watching, 'on');
        await world.clock.advance(30 * minute);
        assert.equal(window.readTask('a').watching, 'on');
      });
    }

    it('F80 aborts a poll that was in progress before the sleep', async () => {
      const window = world.openWithTask();
      let hangs = true;
      world.server.delay = () => (hangs ? new Promise(() => {}) : Promise.resolve());
      await world.startWatching(window);
      await world.clock.advance(6_000);
      hangs = false;
      world.server.endTask('task-a');
      await world.clock.sleep(8 * hour, 'stops');
      await world.clock.advance(9_100);
      assert.equal(window.readTask('a').status, 'completed');
    });
  });
});
