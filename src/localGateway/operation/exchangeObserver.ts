import type { ExchangeObserver } from '../server/guardedServer.ts';
import type { AccessWriter } from './accessWriter.ts';
import type { ExchangeRecord } from './exchangeRecord.ts';
import type { GatewayLog } from './gatewayLog.ts';
import type { Metrics } from './metrics.ts';

/** Counts every request and writes it down, without secrets that a caller puts into it. */
export function exchangeObserver(metrics: Metrics, access: AccessWriter, log: GatewayLog): ExchangeObserver {
  return {
    begin: () => metrics.begin(),
    end(record) {
      const told = withoutSecrets(record, log);
      metrics.end(told);
      access.add(told);
    },
  };
}

/** Callers choose these words. */
function withoutSecrets(record: ExchangeRecord, log: GatewayLog): ExchangeRecord {
  const model = record.model === undefined ? undefined : log.withoutSecrets(record.model);
  const requestId = log.withoutSecrets(record.requestId);
  const isPlain = model === record.model && requestId === record.requestId;
  return isPlain ? record : { ...record, model, requestId };
}
