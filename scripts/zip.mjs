// Reads a zip file, which is what a packaged extension is.
import { inflateRawSync } from 'node:zlib';

const centralEntry = 0x02014b50;
const endOfCentralDirectory = 0x06054b50;

/**
 * The files in a zip archive.
 *
 * @param {Buffer} archive
 * @returns {Map<string, Buffer>} contents by name
 */
export function unzip(archive) {
  const end = archive.lastIndexOf(signature(endOfCentralDirectory));
  let offset = archive.readUInt32LE(end + 16);
  const files = new Map();
  while (archive.readUInt32LE(offset) === centralEntry) {
    const nameLength = archive.readUInt16LE(offset + 28);
    const name = archive.toString('utf8', offset + 46, offset + 46 + nameLength);
    files.set(name, content(archive, offset));
    offset += 46 + nameLength + archive.readUInt16LE(offset + 30) + archive.readUInt16LE(offset + 32);
  }
  return files;
}

function content(archive, entry) {
  const method = archive.readUInt16LE(entry + 10);
  const size = archive.readUInt32LE(entry + 20);
  const local = archive.readUInt32LE(entry + 42);
  const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const bytes = archive.subarray(start, start + size);
  return method === 0 ? bytes : inflateRawSync(bytes);
}

function signature(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
