import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GatewayControl } from '../../src/host/connection/gatewayControl.ts';
import type { Instance } from '../../src/localGateway/operation/runningInstance.ts';
import type { RunningGateway } from './gatewayProcess.ts';

/** Reads the file with a gateway's description of itself. @param folder of its state */
export function readRunningFile(folder: string): Parameters<Instance['publish']>[0] {
  return JSON.parse(readFileSync(join(folder, 'running.json'), 'utf8'));
}

/** Connects to a gateway as a window does. */
export function connectControl(gateway: RunningGateway): Promise<GatewayControl> {
  return GatewayControl.connect(readRunningFile(dirname(gateway.credentialFile)).socket);
}

/** Waits until a gateway writes a matching line to standard error; returns at once if it has done so. */
export function waitForLog(gateway: RunningGateway, pattern: RegExp): Promise<void> {
  return new Promise((resolve) => {
    const check = () => pattern.test(gateway.stderr()) && resolve();
    gateway.process.stderr?.on('data', check);
    check();
  });
}
