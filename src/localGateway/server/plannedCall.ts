import type { PlannedSpending } from '../../storage/spending/spendingLimit.ts';
import type { ServiceTier } from '../../wire/apis/models/serviceTier.ts';
import type { ModelPrices } from '../models/modelPrices.ts';
import type { FurtherModel } from './furtherModels.ts';
import type { ReportedTokens } from './replyTokens.ts';

/** A request that may cost money, with its prices. */
export interface PlannedCall extends PlannedSpending {
  readonly model: string;
  /** The dearest model that the upstream may use; absent if that is `model`. Its prices count. */
  readonly dearest?: FurtherModel | undefined;
  readonly prices: ModelPrices | undefined;
  /** The requested service tier, if it is more expensive than the standard one. */
  readonly service?: ServiceTier | undefined;
  readonly isTask: boolean;
  readonly isVideo: boolean;
  /** The tokens of a reply without reported counts. */
  readonly maxInput: number;
  readonly maxOutput: number;
  /** Whether the body was read, so that the maximum is known. Always true if there are limits. */
  readonly isRead: boolean;
}

/** The properties of a reply from which its costs are computed. */
export interface ReplySize {
  readonly tokens: ReportedTokens | undefined;
  /** Whether the reply is incomplete. */
  readonly isCut: boolean;
  /** The length of its text in UTF-16 units; undefined if it was not measured. */
  readonly textLength?: number | undefined;
}

/** The cost of a request to a model. */
export interface ExchangeCost {
  readonly upstream: string;
  /** The upstream's own ID. */
  readonly model: string;
  /** In US dollars; undefined if it is unknown. */
  readonly usd: number | undefined;
  /** Only of a reply in the background, whose requests do not report tokens. */
  readonly tokens?: ReportedTokens | undefined;
}
