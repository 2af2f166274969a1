import assert from 'node:assert/strict';
import { meansReload } from '../../../../src/localGateway/operation/terminal.ts';
import { Windows } from '../../../../src/localGateway/operation/windows.ts';

describe('the windows that use the local gateway', () => {
  const ended = (whileWindows: boolean, act: (windows: Windows) => void) =>
    new Promise<boolean>((resolve) => {
      const windows = new Windows(whileWindows, 5, () => resolve(true));
      act(windows);
      setTimeout(() => {
        windows.dispose();
        resolve(false);
      }, 100);
    });
  const [one, other] = [{}, {}];

  it('keep it until the last of them has closed', async () => {
    assert.equal(
      await ended(true, (windows) => {
        windows.opened(one);
        windows.opened(other);
        windows.closed(one);
      }),
      false,
    );
    assert.equal(
      await ended(true, (windows) => {
        windows.opened(one);
        windows.opened(other);
        windows.closed(one);
        windows.closed(other);
      }),
      true,
    );
  });

  it('may come back within a moment, as one that is reloaded does', async () => {
    assert.equal(
      await ended(true, (windows) => {
        windows.opened(one);
        windows.closed(one);
        windows.opened(other);
      }),
      false,
    );
  });

  it('are waited for after a start', async () => {
    assert.equal(await ended(true, () => {}), false);
  });

  it('say whether it runs on without them', async () => {
    const openedAndClosed = (windows: Windows) => {
      windows.opened(one);
      windows.closed(one);
    };
    assert.equal(await ended(false, openedAndClosed), false);
    assert.equal(
      await ended(false, (windows) => {
        openedAndClosed(windows);
        windows.whileWindows = true;
      }),
      true,
    );
    assert.equal(
      await ended(true, (windows) => {
        openedAndClosed(windows);
        windows.whileWindows = false;
      }),
      false,
    );
  });
});

describe('the signal SIGHUP', () => {
  it('has the configuration read again, but where it tells that the terminal was closed', () => {
    if (process.platform === 'win32') return;
    assert.equal(
      meansReload(false, () => false),
      true,
      'a service has no terminal',
    );
    assert.equal(
      meansReload(true, () => true),
      true,
      'kill -HUP in a terminal',
    );
    assert.equal(
      meansReload(true, () => false),
      false,
      'the terminal is gone',
    );
  });
});
