import { keyOfCommand } from '../keys/keyCommand.ts';
import { keyFileAt, keyOfFile } from '../keys/keyFile.ts';
import { givenKey, type KeySource } from '../keys/keySource.ts';
import { renewedKey } from '../keys/renewedKey.ts';
import type { UpstreamConfig } from '../upstreamFields.ts';

/** How long a key without a told end serves before it is asked for again, in milliseconds. */
const commandLifeMs = 5 * 60_000;
const fileLifeMs = 10_000;

/**
 * Finds where an upstream's key comes from. A key that was handed to the gateway, or stands in an environment
 * variable, comes before a command and a file.
 *
 * @param given asked once per request, so that a key may arrive or change while the gateway runs
 */
export function upstreamKey(
  { keyEnv, keyCommand, keyFile }: UpstreamConfig,
  given: () => string | undefined,
): KeySource {
  const own = ownSource(keyCommand, keyFile);
  if (!own) return givenKey(given, keyEnv);
  return { ...own, read: (signal) => given() ?? own.read(signal) };
}

function ownSource(command: string | undefined, file: string | undefined): KeySource | undefined {
  if (command !== undefined) {
    const load = (signal: AbortSignal) => keyOfCommand(command, signal);
    return renewedKey({ place: 'that its keyCommand prints', load, unknownLifeMs: commandLifeMs });
  }
  if (file === undefined) return undefined;
  // Found once, as consent to it was: a link that comes later leads to no other file.
  const path = keyFileAt(file);
  const load = () => keyOfFile(path);
  return renewedKey({ place: `in its keyFile ${file}`, load, unknownLifeMs: fileLifeMs });
}
