import assert from 'node:assert/strict';
import { TasksWorld } from '../../support/tasksWorld.ts';
import { waitForWork } from '../../support/testClock.ts';
import { TestGateway } from '../../support/testGateway.ts';
import { createDraft, type TestWindow } from '../../support/testWindow.ts';

const minute = 60_000;

describe('while tasks are watched,', function () {
  // Some tests simulate hours.
  this.timeout(20_000);
  const world = TasksWorld.forEachTest();

  describe('several windows', () => {
    function openThree(): readonly TestWindow[] {
      return ['one', 'two', 'three'].map((name) => world.open(name));
    }

    it('F84 send hardly more polls than one window, and report each end once', async () => {
      const windows = openThree();
      for (let task = 0; task < 20; task += 1) {
        world.server.createTask(`k${task}`, { id: `t${task}` });
        windows[0]?.addRunning(`k${task}`, `t${task}`);
      }
      for (const window of windows) await world.startWatching(window);
      await world.clock.advance(10 * minute);
      const requestCount = world.server.readIds.length;

      const alone = new TestGateway(() => world.clock.now());
      world.useAnotherFile();
      const one = world.open('one', { getClient: async () => alone });
      for (let task = 0; task < 20; task += 1) {
        alone.createTask(`k${task}`, { id: `t${task}` });
        one.addRunning(`k${task}`, `t${task}`);
      }
      await world.startWatching(one);
      await world.clock.advance(10 * minute);
      assert.ok(
        requestCount <= alone.readIds.length * 1.2,
        `${requestCount} by three, ${alone.readIds.length} by one`,
      );
      for (const id of world.server.tasks.keys()) world.server.endTask(id);
      await world.clock.advance(minute);
      assert.equal(windows.flatMap((window) => window.listEvents('ended')).length, 20);
    });

    it('F85 have a new leader within 15 s of the death of the leader', async () => {
      const [one, two] = openThree();
      assert.ok(one && two);
      world.server.createTask('a', { id: 'task-a' });
      one.addRunning('a', 'task-a');
      await world.startWatching(one);
      await world.startWatching(two);
      await world.clock.advance(minute);
      assert.deepEqual(two.listEvents('leading'), []);
      one.die();
      const requestCount = world.server.readIds.length;
      await world.clock.advance(15_000);
      assert.deepEqual(two.listEvents('leading'), [{ type: 'leading', isLeader: true }]);
      await world.clock.advance(5_000);
      assert.ok(world.server.readIds.length > requestCount);
    });

    it('F105 do not wait for a poll in progress when one stops, and another one continues', async () => {
      const [one, two] = openThree();
      assert.ok(one && two);
      world.server.createTask('a', { id: 'task-a' });
      one.addRunning('a', 'task-a');
      world.server.delay = () => new Promise(() => {});
      await world.startWatching(one);
      await world.startWatching(two);
      await world.clock.advance(6_000);
      const stopped = one.watcher.stop();
      await waitForWork();
      await Promise.race([stopped, waitForWork().then(() => assert.fail('it still waits'))]);
      world.server.delay = () => Promise.resolve();
      world.server.endTask('task-a');
      await world.clock.advance(10_000);
      assert.equal(two.readTask('a').status, 'completed');
    });

    it('follow the changes that another window makes', async () => {
      const [one, two] = openThree();
      assert.ok(one && two);
      await world.startWatching(one);
      await world.startWatching(two);
      world.server.createTask('a', { id: 'task-a' });
      two.addRunning('a', 'task-a');
      await world.clock.advance(10_000);
      assert.ok(world.server.readIds.length >= 1);
      two.ledger.setWatching('a', 'stopped');
      await world.clock.advance(5_000);
      const requestCount = world.server.readIds.length;
      await world.clock.advance(5 * minute);
      assert.equal(world.server.readIds.length, requestCount);
    });

    it('F66 mark the request of a dead window as unknown, and never send it', async () => {
      const [one, two] = openThree();
      assert.ok(one && two);
      await world.startWatching(one);
      await world.startWatching(two);
      one.ledger.create(createDraft('a'));
      one.ledger.claimSubmission('a', 'request-a');
      await world.clock.advance(minute);
      assert.equal(two.readTask('a').status, 'submitting');
      one.die();
      await world.clock.advance(30_000);
      assert.equal(two.readTask('a').status, 'unknown');
      assert.deepEqual(two.listEvents('unknown'), [{ type: 'unknown', key: 'a' }]);
      assert.equal(world.server.bills.size, 0);
    });
  });
});
