import type { GatewayError } from '../../wire/failure.ts';
import type { Certificate } from './certificates.ts';

/** The steps on the way to a gateway, in the order in which a request takes them. */
export const stepNames = ['address', 'name', 'connection', 'proxy', 'tls', 'models', 'credential'] as const;

export type StepName = (typeof stepNames)[number];

/** What each step found. */
export interface StepFindings {
  readonly address: { readonly baseUrl: string };
  readonly name: { readonly host: string; readonly addresses: readonly string[] };
  /** Host and port that took the connection: the gateway's, or the proxy's. */
  readonly connection: { readonly peer: string };
  /** Host and port of the proxy; undefined for none. */
  readonly proxy: { readonly proxy: string | undefined };
  /** Without certificates where VS Code's network stack made the connection. */
  readonly tls: { readonly protocol?: string; readonly certificates: readonly Certificate[] };
  /** Without a count where the gateway answered with a refusal. */
  readonly models: { readonly count: number | undefined };
  readonly credential: { readonly isSet: boolean };
}

/** Why a step was not taken. */
export type SkipReason =
  /** The address holds no name. */
  | 'no-name'
  /** The address begins with http. */
  | 'plain-http'
  /** VS Code's own network stack does it, out of sight. */
  | 'unseen';

/** A step of a check. Times are in milliseconds. */
export type CheckedStep =
  | {
      [Name in StepName]: {
        readonly name: Name;
        readonly state: 'passed';
        readonly ms: number;
        readonly found: StepFindings[Name];
      };
    }[StepName]
  | { readonly name: StepName; readonly state: 'skipped'; readonly why: SkipReason }
  | FailedStep;

export interface FailedStep {
  readonly name: StepName;
  readonly state: 'failed';
  readonly ms: number;
  readonly error: GatewayError;
  /** What the other side showed, where its certificate was refused: its own first, then who vouches for it. */
  readonly certificates?: readonly Certificate[];
}
