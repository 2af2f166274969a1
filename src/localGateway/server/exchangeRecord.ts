import type { ServedRequest } from '../../protocol/gatewayControl.ts';

/** What is told of a request when its response is over. */
export interface ExchangeRecord extends ServedRequest {
  readonly tokens?: ReportedTokens;
}

/** Tokens as a reply reports them. */
export interface ReportedTokens {
  readonly input?: number;
  readonly output?: number;
}
