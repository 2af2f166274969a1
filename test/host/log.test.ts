import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Log } from '../../src/host/kit/display/log.ts';
import { canary } from '../support/canary.ts';

describe('the log', () => {
  it('P3 T21 does not contain a hidden secret, at any level', () => {
    const window = vscode.window as { -readonly [name in keyof typeof vscode.window]: unknown };
    const { createOutputChannel } = vscode.window;
    const entries: string[] = [];
    const add = (entry: string) => entries.push(entry);
    window.createOutputChannel = () => ({ info: add, warn: add, error: add, dispose: () => {} });
    try {
      const log = new Log();
      log.hideSecret(canary);
      log.info('http', `authorization: ${canary}`);
      log.warn('gateway', `a reply with ${canary}`);
      log.error('command', `${canary}`);
      log.dispose();
    } finally {
      window.createOutputChannel = createOutputChannel;
    }
    assert.equal(entries.length, 3);
    assert.ok(!entries.join('\n').includes(canary), entries.join('\n'));
  });
});
