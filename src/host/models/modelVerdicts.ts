import type * as vscode from 'vscode';
import { Emitter } from '../../base/emitter.ts';
import { isObject, nonEmptyString } from '../../base/json.ts';
import type { ModelVerification } from '../../client/verifyModels.ts';
import { readTextFormatId, type TextFormatId } from '../../wire/apis/textFormats.ts';
import { type Explanation, readExplanation } from '../../wire/explanations/explanation.ts';
import { catalogueEntry } from '../../wire/failures/failureCatalogue.ts';
import type { GatewayError } from '../../wire/failures/gatewayError.ts';
import { buildMemoryKey } from '../connection/configuredGateway.ts';
import type { Gateway } from '../connection/gateways.ts';

/** The stored result of verifying a model with a request. */
export interface ModelVerdict {
  /** When the request was sent, in milliseconds since 1970. */
  readonly at: number;
  /** From the request to the end of the reply, in milliseconds. */
  readonly ms: number;
  readonly requestId: string;
  readonly gatewayRequestId?: string;
  /** The only API format that the model supports, if another one was tried first. */
  readonly onlyFormat?: TextFormatId;
  /** Why the model did not reply; absent if it replied. */
  readonly failure?: VerdictFailure;
}

interface VerdictFailure {
  /** The title of the failure in English. */
  readonly title: string;
  readonly explanation: Explanation;
  readonly gatewayMessage?: string;
}

/** The limit of verdicts for a gateway. Older verdicts are deleted, because VS Code reads all state at every start. */
const maxVerdicts = 2000;
const maxMessageLength = 500;
const hidesKey = 'hidesFailingModels';

/** Stores the verdicts about the models of each gateway, and whether failed models are hidden. */
export class ModelVerdicts {
  readonly #state: vscode.Memento;
  readonly #didChange = new Emitter();
  readonly onDidChange = this.#didChange.event;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  /** The verdicts by the ids of the models. */
  of(gateway: Gateway): ReadonlyMap<string, ModelVerdict> {
    const stored = this.#state.get<unknown>(stateKey(gateway));
    const entries = Object.entries(isObject(stored) ? stored : {});
    return new Map(
      entries.flatMap(([model, value]) => {
        const verdict = readVerdict(value);
        return verdict ? [[model, verdict]] : [];
      }),
    );
  }

  async store(gateway: Gateway, verifications: readonly ModelVerification[]): Promise<void> {
    if (verifications.length === 0) return;
    const verdicts = new Map(this.of(gateway));
    for (const verification of verifications) {
      verdicts.delete(verification.model);
      verdicts.set(verification.model, createVerdict(verification));
    }
    await this.#state.update(stateKey(gateway), Object.fromEntries([...verdicts].slice(-maxVerdicts)));
    this.#didChange.fire();
  }

  get hidesFailing(): boolean {
    return this.#state.get<unknown>(hidesKey) === true;
  }

  async hideFailing(hides: boolean): Promise<void> {
    await this.#state.update(hidesKey, hides);
    this.#didChange.fire();
  }
}

function createVerdict({ trial, onlyFormat }: ModelVerification): ModelVerdict {
  const { requestedAt, ms, requestId, gatewayRequestId, error } = trial;
  return {
    at: requestedAt.getTime(),
    ms: Math.round(ms),
    requestId,
    ...(gatewayRequestId !== undefined && { gatewayRequestId }),
    ...(onlyFormat && { onlyFormat }),
    ...(error && { failure: createFailure(error) }),
  };
}

function createFailure(error: GatewayError): VerdictFailure {
  const { explanation, gatewayMessage } = error;
  return {
    title: catalogueEntry(error).title,
    explanation,
    ...(gatewayMessage !== undefined && { gatewayMessage: gatewayMessage.slice(0, maxMessageLength) }),
  };
}

/** Reads a stored verdict, which may be from another version; undefined if it is invalid. */
function readVerdict(value: unknown): ModelVerdict | undefined {
  if (!isObject(value) || typeof value.at !== 'number' || typeof value.ms !== 'number') return undefined;
  const { at, ms, requestId, gatewayRequestId } = value;
  const onlyFormat = readTextFormatId(value.onlyFormat);
  const failure = readFailure(value.failure);
  if (value.failure !== undefined && failure === undefined) return undefined;
  return {
    at,
    ms,
    requestId: nonEmptyString(requestId) ?? '',
    ...(typeof gatewayRequestId === 'string' && { gatewayRequestId }),
    ...(onlyFormat && { onlyFormat }),
    ...(failure && { failure }),
  };
}

function readFailure(value: unknown): VerdictFailure | undefined {
  if (!isObject(value) || typeof value.title !== 'string') return undefined;
  const explanation = readExplanation(value.explanation);
  const { title, gatewayMessage } = value;
  return explanation && { title, explanation, ...(typeof gatewayMessage === 'string' && { gatewayMessage }) };
}

function stateKey(gateway: Gateway): string {
  return `verifiedModels/${buildMemoryKey(gateway)}`;
}
