import assert from 'node:assert/strict';
import { watchTimeoutMs } from '../../../src/tasks/polling/polledTask.ts';
import { TasksWorld } from '../../support/tasksWorld.ts';

const minute = 60_000;
const hour = 60 * minute;
const year = 365 * 24 * hour;

describe('the watcher', function () {
  // Hours pass in some of these.
  this.timeout(20_000);
  const world = TasksWorld.forEachTest();

  describe('time', () => {
    it('stops watching after the time the settings allow, which is not a failure', async () => {
      const window = await world.started(world.openWithTask());
      await world.clock.advance(59 * minute);
      assert.equal(window.task('a').watching, 'on');
      await world.clock.advance(2 * minute);
      assert.equal(window.task('a').watching, 'timed-out');
      assert.equal(window.task('a').status, 'running');
      assert.deepEqual(window.told('timed-out'), [{ type: 'timed-out', key: 'a' }]);
      const asked = world.server.asked.length;
      await world.clock.advance(hour);
      assert.equal(world.server.asked.length, asked);
      window.ledger.watch('a', 'on');
      await world.clock.advance(10 * minute);
      assert.equal(window.task('a').watching, 'on');
      assert.ok(world.server.asked.length > asked);
    });

    it('watches nothing for ever: a limit of 0 minutes is a week', () => {
      assert.equal(watchTimeoutMs(0), 7 * 24 * hour);
      assert.equal(watchTimeoutMs(60), hour);
    });

    it('F72 polls a task of three days ago before it lets it go', async () => {
      await world.openWithTask().close();
      world.clock.jump(72 * hour);
      world.server.end('task-a');
      const window = await world.started(world.open('two'));
      await world.clock.advance(6_000);
      assert.equal(window.task('a').status, 'completed');
    });

    for (const jump of [year, -year, hour, -hour]) {
      it(`F82 a wall clock that jumps by ${jump / hour} h times nothing out, and lets nothing wait for ever`, async () => {
        const window = await world.started(world.openWithTask());
        await world.clock.advance(10_000);
        world.clock.jump(jump);
        await world.clock.advance(45 * minute);
        assert.equal(window.task('a').watching, 'on');
        await world.clock.advance(20 * minute);
        assert.equal(window.task('a').watching, 'timed-out');
      });

      it(`F82 a wall clock that jumps by ${jump / hour} h makes no fresh task gone`, async () => {
        const window = world.openWithTask();
        world.server.tasks.clear();
        await world.started(window);
        await world.clock.advance(10_000);
        world.clock.jump(jump);
        await world.clock.advance(40_000);
        assert.equal(window.task('a').status, 'running');
        await world.clock.advance(2 * minute);
        assert.equal(window.task('a').status, 'missing');
      });
    }

    it('F82 a clock that is a week ahead when a window takes over makes no fresh task gone', async () => {
      await world.openWithTask().close();
      const shown = new Map(world.server.tasks);
      world.server.tasks.clear();
      world.clock.jump(7 * 24 * hour);
      const window = await world.started(world.open('two'));
      await world.clock.advance(30_000);
      assert.equal(window.task('a').status, 'running');
      for (const [id, task] of shown) world.server.tasks.set(id, task);
      await world.clock.advance(30_000);
      world.server.end('task-a');
      await world.clock.advance(minute);
      assert.equal(window.task('a').status, 'completed');
    });

    for (const monotonic of ['stops', 'goes on'] as const) {
      it(`F80 after 8 h of sleep polls within 5 s and times nothing out (the monotonic clock ${monotonic})`, async () => {
        const window = await world.started(world.openWithTask());
        await world.clock.advance(10 * minute);
        const asked = world.server.asked.length;
        await world.clock.sleep(8 * hour, monotonic);
        await world.clock.advance(9_100);
        assert.equal(window.told('woke').length, 1);
        assert.ok(world.server.asked.length > asked);
        assert.equal(window.task('a').watching, 'on');
        await world.clock.advance(30 * minute);
        assert.equal(window.task('a').watching, 'on');
      });
    }

    it('F80 breaks off what was under way before the sleep', async () => {
      const window = world.openWithTask();
      let hangs = true;
      world.server.delay = () => (hangs ? new Promise(() => {}) : Promise.resolve());
      await world.started(window);
      await world.clock.advance(6_000);
      hangs = false;
      world.server.end('task-a');
      await world.clock.sleep(8 * hour, 'stops');
      await world.clock.advance(9_100);
      assert.equal(window.task('a').status, 'completed');
    });
  });
});
