import { checkReply } from '../support/fuzzedReply.ts';
import { fixtures } from '../support/fuzzing.ts';

export function seeds(): readonly Buffer[] {
  return fixtures('streams/responses', '.txt');
}

export function fuzz(data: Buffer): void {
  checkReply('responses', data);
}
