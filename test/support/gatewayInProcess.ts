import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateCredential } from '../../src/localGateway/config/credentialFile.ts';
import { GatewayCredentials } from '../../src/localGateway/config/gatewayCredentials.ts';
import { KeySources } from '../../src/localGateway/config/keySources.ts';
import { ConfiguredModels } from '../../src/localGateway/operation/configuredModels.ts';
import { Metrics } from '../../src/localGateway/operation/metrics.ts';
import { startGateway } from '../../src/localGateway/operation/startGateway.ts';
import { GatewaySpending } from '../../src/localGateway/server/gatewaySpending.ts';
import { createTaskFile } from '../../src/localGateway/tasks/taskFile.ts';
import { writeConfig } from './gatewayProcess.ts';

export interface GatewayInProcess {
  readonly port: number;
  readonly credential: string;
  /** The number of requests that have not ended. */
  readonly openRequests: number;
  /** Unexpected errors, and other lines of the log. */
  readonly log: readonly string[];
  stop(): Promise<void>;
}

/** Starts the local gateway from its sources in this process, without its log and control socket. */
export async function startGatewayInProcess(upstreams: readonly object[]): Promise<GatewayInProcess> {
  const config = writeConfig({ upstreams });
  const folder = mkdtempSync(join(tmpdir(), 'gateway-tasks-'));
  const log: string[] = [];
  const addLine = (line: string) => void log.push(line);
  const credential = generateCredential();
  const credentials = new GatewayCredentials(credential, () => performance.now());
  const spending = new GatewaySpending(join(folder, 'spending.sqlite'), addLine);
  const serving = new ConfiguredModels({
    file: config.path,
    keys: new KeySources({}),
    credentials,
    spending,
    log: addLine,
  });
  const metrics = new Metrics(Date.now());
  const gateway = await startGateway({
    catalogue: serving.catalogue,
    credentials,
    metrics,
    spending,
    port: 0,
    log: addLine,
    tasks: createTaskFile(join(folder, 'tasks.sqlite'), addLine),
    observer: { begin: () => metrics.begin(), end: (record) => metrics.end(record) },
  });
  return {
    port: Number(new URL(gateway.baseUrl).port),
    credential,
    log,
    get openRequests() {
      return metrics.openRequests;
    },
    async stop() {
      await gateway.close();
      config.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
