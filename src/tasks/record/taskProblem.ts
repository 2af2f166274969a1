import { errorMessage } from '../../base/errors.ts';
import { limitLength } from '../../base/truncate.ts';
import { type Explanation, explain, inEnglish } from '../../wire/explanations/explanation.ts';
import { GatewayError } from '../../wire/failures/gatewayError.ts';
import type { Problem } from './task.ts';

const maxGatewayMessageLength = 2000;

/** Converts a failure to its stored form: its explanation, and the gateway's own message, if any. */
export function toProblem(error: unknown): Problem {
  if (!GatewayError.is(error)) return { message: errorMessage(error) };
  const { kind, reason, field, status, requestId, gatewayRequestId, gatewayMessage, explanation } = error;
  return {
    ...createProblem(explanation),
    ...(gatewayMessage !== undefined && {
      gatewayMessage: limitLength(gatewayMessage, maxGatewayMessageLength),
    }),
    code: kind,
    ...(reason !== undefined && { reason }),
    ...(field !== undefined && { field }),
    ...(status !== undefined && { status }),
    requestId,
    ...(gatewayRequestId !== undefined && { gatewayRequestId }),
  };
}

/** Creates the stored form of a failure that the extension detected. */
export function createProblem(explanation: Explanation): Problem {
  return { message: inEnglish(explanation), explanation };
}

/** Why a result is not saved, apart from failures of the network and the disk. */
export class ResultProblem extends Error {
  override readonly name = 'ResultProblem';
  readonly explanation: Explanation;

  constructor(explanation: Explanation) {
    super(inEnglish(explanation));
    this.explanation = explanation;
  }
}

const diskFailures: ReadonlyMap<unknown, Explanation> = new Map([
  ['ENOSPC', explain('disk-full')],
  ['EDQUOT', explain('disk-quota-used-up')],
  ['EACCES', explain('results-folder-not-writable')],
  ['EPERM', explain('results-folder-not-writable')],
  ['EROFS', explain('results-folder-read-only')],
  ['ENAMETOOLONG', explain('results-folder-path-too-long')],
  ['EBUSY', explain('result-file-in-use')],
]);

const maxResultMessageLength = 300;

/** Converts a failure to save a result to its stored form, without credentials and signatures. */
export function toDownloadProblem(error: unknown): Problem {
  if (error instanceof ResultProblem) return createProblem(error.explanation);
  if (GatewayError.is(error)) return toGatewayProblem(error);
  if (!(error instanceof Error && 'code' in error)) return { message: errorMessage(error) };
  return createProblem(
    diskFailures.get(error.code) ?? explain('result-not-written', { code: String(error.code) }),
  );
}

function toGatewayProblem({ explanation, gatewayMessage }: GatewayError): Problem {
  const problem = createProblem(explanation);
  return gatewayMessage === undefined
    ? problem
    : { ...problem, gatewayMessage: gatewayMessage.slice(0, maxResultMessageLength) };
}
