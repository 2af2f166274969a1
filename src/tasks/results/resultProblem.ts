import { GatewayError } from '../../wire/failure.ts';

export type ResultProblemReason =
  | 'web-page'
  | 'not-media'
  | 'empty'
  | 'wrong-size'
  | 'unfinished'
  | 'no-space'
  | 'expired'
  | 'unreadable-data'
  | 'too-large'
  | 'no-client'
  | 'replaced';

/** Why a result is not saved, apart from failures of the network and the disk. */
export class ResultProblem extends Error {
  override readonly name = 'ResultProblem';
  readonly reason: ResultProblemReason;

  constructor(reason: ResultProblemReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

const diskTroubles: ReadonlyMap<unknown, string> = new Map([
  ['ENOSPC', 'The disk is full: free some space and fetch the result again.'],
  ['EDQUOT', 'The disk quota is used up: free some space and fetch the result again.'],
  ['EACCES', 'The folder for results cannot be written to: choose another one in the settings.'],
  ['EPERM', 'The folder for results cannot be written to: choose another one in the settings.'],
  ['EROFS', 'The folder for results is read-only: choose another one in the settings.'],
  ['ENAMETOOLONG', 'The path of the folder for results is too long: choose another one in the settings.'],
  ['EBUSY', 'Another program holds the file: fetch the result again.'],
]);

/** The failure in a sentence for the user, without credentials and signatures. */
export function explainResultFailure(error: unknown): string {
  if (error instanceof ResultProblem) return error.message;
  if (GatewayError.is(error)) return withGatewayWords(error);
  if (!(error instanceof Error)) return String(error);
  if (!('code' in error)) return error.message;
  return diskTroubles.get(error.code) ?? `The result could not be written to disk (${error.code}).`;
}

function withGatewayWords({ message, gatewayMessage }: GatewayError): string {
  return gatewayMessage === undefined
    ? message
    : `${message} The gateway says: ${gatewayMessage.slice(0, 300)}`;
}
