import { randomUUID } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const draft = /^\.model-gateway-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.part$/;

/** An export that lives writes far more often. */
const leftMs = 60_000;

/** The name of a file that is written before it takes its place. */
export function draftName(): string {
  return `.model-gateway-${randomUUID()}.part`;
}

/**
 * Removes the drafts beside a new one that programs left which ended in the middle. The clock of the file system
 * says which these are: a server has one of its own. Drafts that cannot be removed stay.
 */
export async function removeLeftDrafts(newDraft: string): Promise<void> {
  const folder = dirname(newDraft);
  const now = await changedAt(newDraft);
  const names = await readdir(folder).catch(() => []);
  for (const path of names.filter((name) => draft.test(name)).map((name) => join(folder, name))) {
    if (now - (await changedAt(path)) > leftMs) await rm(path, { force: true }).catch(() => undefined);
  }
}

/** In milliseconds since 1970; infinite where there is no such file. */
async function changedAt(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.POSITIVE_INFINITY,
  );
}
