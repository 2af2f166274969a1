import assert from 'node:assert/strict';
import { isReloadSignal } from '../../../../src/localGateway/operation/runGateway.ts';
import { Windows } from '../../../../src/localGateway/operation/windows.ts';

describe('the windows that use the local gateway', () => {
  const hasEnded = (exitsAfterWindows: boolean, act: (windows: Windows) => void) =>
    new Promise<boolean>((resolve) => {
      const windows = new Windows(exitsAfterWindows, 5, () => resolve(true));
      act(windows);
      setTimeout(() => {
        windows.dispose();
        resolve(false);
      }, 100);
    });
  const [one, other] = [{}, {}];

  it('keep the gateway running until the last one has closed', async () => {
    assert.equal(
      await hasEnded(true, (windows) => {
        windows.add(one);
        windows.add(other);
        windows.remove(one);
      }),
      false,
    );
    assert.equal(
      await hasEnded(true, (windows) => {
        windows.add(one);
        windows.add(other);
        windows.remove(one);
        windows.remove(other);
      }),
      true,
    );
  });

  it('may reopen shortly after closing, as on a reload', async () => {
    assert.equal(
      await hasEnded(true, (windows) => {
        windows.add(one);
        windows.remove(one);
        windows.add(other);
      }),
      false,
    );
  });

  it('are awaited after a start', async () => {
    assert.equal(await hasEnded(true, () => {}), false);
  });

  it('determine whether the gateway keeps running without them', async () => {
    const openedAndClosed = (windows: Windows) => {
      windows.add(one);
      windows.remove(one);
    };
    assert.equal(await hasEnded(false, openedAndClosed), false);
    assert.equal(
      await hasEnded(false, (windows) => {
        openedAndClosed(windows);
        windows.exitsAfterWindows = true;
      }),
      true,
    );
    assert.equal(
      await hasEnded(true, (windows) => {
        openedAndClosed(windows);
        windows.exitsAfterWindows = false;
      }),
      false,
    );
  });
});

describe('the signal SIGHUP', () => {
  it('reloads the configuration, unless the terminal was closed', () => {
    if (process.platform === 'win32') return;
    assert.equal(
      isReloadSignal(false, () => false),
      true,
      'a service has no terminal',
    );
    assert.equal(
      isReloadSignal(true, () => true),
      true,
      'kill -HUP in a terminal',
    );
    assert.equal(
      isReloadSignal(true, () => false),
      false,
      'the terminal was closed',
    );
  });
});
