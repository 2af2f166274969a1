import { checkReply } from '../support/fuzzedReply.ts';
import { readFixtures } from '../support/fuzzing.ts';

export function seeds(): readonly Buffer[] {
  return readFixtures('streams/responses', '.txt');
}

export function fuzz(data: Buffer): void {
  checkReply('responses', data);
}
