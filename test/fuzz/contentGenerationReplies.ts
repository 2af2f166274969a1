import { checkReply } from '../support/fuzzedReply.ts';
import { readFixtures } from '../support/fuzzing.ts';

export function seeds(): readonly Buffer[] {
  return readFixtures('streams/contentGeneration', '.txt');
}

export function fuzz(data: Buffer): void {
  checkReply('contentGeneration', data);
}
