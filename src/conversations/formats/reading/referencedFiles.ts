import { type MemberFile, readAllBytes, SourceError } from './byteSource.ts';
import type { DraftFile } from './conversationDraft.ts';

/** Files of an export are named by their id and original name: `file-a1b2-cat.png`. */
const fileIdPattern = /^file[-_][0-9A-Za-z]+/;

/** Finds the files of an export that conversations reference. */
export class ReferencedFiles {
  readonly #byId = new Map<string, MemberFile>();
  readonly #maxBytes: number;

  /** @param maxBytes the limit for all files of one conversation */
  constructor(files: readonly MemberFile[], maxBytes: number) {
    this.#maxBytes = maxBytes;
    for (const file of files) {
      const [id] = fileIdPattern.exec(getBaseName(file.name)) ?? [];
      if (id !== undefined && !this.#byId.has(id)) this.#byId.set(id, file);
    }
  }

  /** Reads the files that exist and are not too large. */
  async load(ids: Iterable<string>): Promise<ReadonlyMap<string, DraftFile>> {
    const loaded = new Map<string, DraftFile>();
    let remainingBytes = this.#maxBytes;
    for (const id of new Set(ids)) {
      const file = this.#byId.get(id);
      if (!file || file.size > remainingBytes) continue;
      remainingBytes -= file.size;
      const bytes = await readUnlessDamaged(file);
      if (bytes) loaded.set(id, { name: getBaseName(file.name).slice(id.length).replace(/^-/, ''), bytes });
    }
    return loaded;
  }
}

/** Returns undefined for a damaged file; throws if the zip file unpacks to too much, which ends the import. */
async function readUnlessDamaged(file: MemberFile): Promise<Buffer | undefined> {
  try {
    return await readAllBytes(file.read());
  } catch (thrown) {
    if (!(thrown instanceof SourceError) || thrown.explanation.id === 'import-archive-too-large')
      throw thrown;
    return undefined;
  }
}

function getBaseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
