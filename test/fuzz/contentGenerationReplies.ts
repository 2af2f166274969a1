import { checkReply } from '../support/fuzzedReply.ts';
import { fixtures } from '../support/fuzzing.ts';

export function seeds(): readonly Buffer[] {
  return fixtures('streams/contentGeneration', '.txt');
}

export function fuzz(data: Buffer): void {
  checkReply('contentGeneration', data);
}
