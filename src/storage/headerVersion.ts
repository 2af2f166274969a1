import { open } from 'node:fs/promises';

/** Where the header of a database has its version (https://sqlite.org/fileformat.html#user_version_number). */
const versionAt = 60;

/**
 * The version of a database's schema, without opening it: opening another version's takes time. Its log may hold a
 * later one.
 *
 * @returns 0 where there is no database
 */
export async function headerVersion(path: string): Promise<number> {
  const bytes = Buffer.alloc(versionAt + 4);
  try {
    const file = await open(path);
    try {
      await file.read(bytes, 0, bytes.length, 0);
    } finally {
      await file.close();
    }
  } catch {
    // Whoever opens it learns why it cannot be read.
    return 0;
  }
  return bytes.readUInt32BE(versionAt);
}
