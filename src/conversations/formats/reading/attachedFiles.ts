import { allBytes, type MemberFile } from './byteSource.ts';
import type { AttachedFile } from './conversationDraft.ts';
import { SourceError } from './sourceError.ts';

/** Files of an export are named by their id, and what they were called: `file-a1b2-cat.png`. */
const fileId = /^file[-_][0-9A-Za-z]+/;

/** Finds the files of an export that conversations name. */
export class AttachedFiles {
  readonly #byId = new Map<string, MemberFile>();
  readonly #maxBytes: number;

  /** @param maxBytes of all the files of one conversation */
  constructor(files: readonly MemberFile[], maxBytes: number) {
    this.#maxBytes = maxBytes;
    for (const file of files) {
      const [id] = fileId.exec(baseName(file.name)) ?? [];
      if (id !== undefined && !this.#byId.has(id)) this.#byId.set(id, file);
    }
  }

  /** Reads those that are there and not too large. */
  async load(ids: Iterable<string>): Promise<ReadonlyMap<string, AttachedFile>> {
    const loaded = new Map<string, AttachedFile>();
    let left = this.#maxBytes;
    for (const id of new Set(ids)) {
      const file = this.#byId.get(id);
      if (!file || file.size > left) continue;
      left -= file.size;
      const bytes = await bytesUnlessDamaged(file);
      if (bytes) loaded.set(id, { name: baseName(file.name).slice(id.length).replace(/^-/, ''), bytes });
    }
    return loaded;
  }
}

/** A damaged file is missing in its conversation; one that fills the memory ends the import. */
async function bytesUnlessDamaged(file: MemberFile): Promise<Buffer | undefined> {
  try {
    return await allBytes(file.read());
  } catch (thrown) {
    if (!(thrown instanceof SourceError) || thrown.explanation.id === 'import-archive-too-large')
      throw thrown;
    return undefined;
  }
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
