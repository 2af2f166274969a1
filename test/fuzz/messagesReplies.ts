import { checkReply } from '../support/fuzzedReply.ts';
import { fixtures } from '../support/fuzzing.ts';

export function seeds(): readonly Buffer[] {
  return fixtures('streams/messages', '.txt');
}

export function fuzz(data: Buffer): void {
  checkReply('messages', data);
}
