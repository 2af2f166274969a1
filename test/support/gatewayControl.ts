import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GatewayControl } from '../../src/host/connection/gatewayControl.ts';
import type { RunningGatewayFile } from '../../src/protocol/gatewayControl.ts';
import type { RunningGateway } from './gatewayProcess.ts';

/** The file in which a gateway describes itself, in its state folder. */
export function runningFile({ credentialFile }: RunningGateway): RunningGatewayFile {
  return JSON.parse(readFileSync(join(dirname(credentialFile), 'running.json'), 'utf8'));
}

/** A window's connection to a gateway. */
export function controlOf(gateway: RunningGateway): Promise<GatewayControl> {
  return GatewayControl.connect(runningFile(gateway).socket);
}

/** Resolves when a gateway writes a matching line to standard error, or has already done so. */
export function untilLogged(gateway: RunningGateway, what: RegExp): Promise<void> {
  return new Promise((resolve) => {
    const look = () => what.test(gateway.stderr()) && resolve();
    gateway.process.stderr?.on('data', look);
    look();
  });
}
