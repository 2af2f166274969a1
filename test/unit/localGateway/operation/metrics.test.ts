import assert from 'node:assert/strict';
import { Metrics } from '../../../../src/localGateway/operation/metrics.ts';
import type { ServedExchangeRecord } from '../../../../src/localGateway/server/exchangeNotes.ts';

describe('metrics of the local gateway', () => {
  const record = (more: Partial<ServedExchangeRecord> = {}): ServedExchangeRecord => ({
    time: 0,
    method: 'POST',
    route: '/v1/chat/completions',
    status: 200,
    ms: 300,
    bytes: 10,
    model: 'team/small',
    upstream: 'team',
    requestId: 'r',
    isCut: false,
    ...more,
  });
  function formatMetrics(...records: readonly ServedExchangeRecord[]): string {
    const metrics = new Metrics(5_000);
    for (const each of records) {
      metrics.begin();
      metrics.end(each);
    }
    return metrics.formatText();
  }

  it('count requests, errors and tokens, and sum durations, by model and upstream', () => {
    const text = formatMetrics(
      record({ firstByteMs: 20, tokens: { inputTokens: 7, outputTokens: 3 } }),
      record({ tokens: { outputTokens: 2 } }),
      record({ status: 502 }),
      record({ isCut: true, ms: 700_000 }),
      record({ model: undefined, upstream: undefined, status: 401, route: 'credential' }),
    ).split('\n');
    for (const line of [
      '# TYPE model_gateway_requests_total counter',
      'model_gateway_requests_total{model="team/small",upstream="team",route="/v1/chat/completions",status="200"} 3',
      'model_gateway_requests_total{model="",upstream="",route="credential",status="401"} 1',
      'model_gateway_request_errors_total{model="team/small",upstream="team",reason="502"} 1',
      'model_gateway_request_errors_total{model="team/small",upstream="team",reason="cut"} 1',
      '# TYPE model_gateway_request_duration_seconds histogram',
      'model_gateway_request_duration_seconds_bucket{model="team/small",upstream="team",le="0.25"} 0',
      'model_gateway_request_duration_seconds_bucket{model="team/small",upstream="team",le="0.5"} 3',
      'model_gateway_request_duration_seconds_bucket{model="team/small",upstream="team",le="600"} 3',
      'model_gateway_request_duration_seconds_bucket{model="team/small",upstream="team",le="+Inf"} 4',
      'model_gateway_request_duration_seconds_count{model="team/small",upstream="team"} 4',
      'model_gateway_first_byte_seconds_bucket{model="team/small",upstream="team",le="0.025"} 1',
      'model_gateway_tokens_total{model="team/small",upstream="team",direction="input"} 7',
      'model_gateway_tokens_total{model="team/small",upstream="team",direction="output"} 5',
      'model_gateway_open_requests 0',
      'process_start_time_seconds 5',
    ]) {
      assert.ok(text.includes(line), line);
    }
  });

  it('are valid Prometheus text for any model name', () => {
    const text = formatMetrics(record({ model: 'a"b\\c\nd{e}' }));
    assert.ok(text.endsWith('\n'));
    const label = '[a-z_]+="(?:[^"\\\\\\n]|\\\\[\\\\"n])*"';
    const sample = new RegExp(`^[a-z_]+(?:\\{${label}(?:,${label})*\\})? [0-9.e+-]+$`);
    for (const line of text.trimEnd().split('\n')) {
      if (!/^# (?:HELP|TYPE) [a-z_]+ /.test(line)) assert.match(line, sample);
    }
  });

  it('have labels only for models that replied, and for at most 200 of them', () => {
    const records = Array.from({ length: 1_000 }, (_, i) => record({ model: `made-up-${i}`, status: 404 }));
    assert.ok(!formatMetrics(...records).includes('made-up'));
    const answered = Array.from({ length: 1_000 }, (_, i) => record({ model: `model-${i}` }));
    const models = new Set(
      [...formatMetrics(...answered).matchAll(/model="([^"]*)"/g)].map(([, model]) => model),
    );
    assert.equal(models.size, 201);
    assert.ok(models.has('other'));
  });
});
