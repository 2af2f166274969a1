import { isObject, type JsonObject, parseExactJson } from '../../base/json.ts';
import type { UpstreamReply } from '../upstreams/upstream.ts';

/** The largest record in bytes: some hold a video. */
export const maxRecordBytes = 64 * 1024 * 1024;

/** The record in a reply, whose body is read to its end; undefined when it holds none. */
export async function readRecord({ body }: UpstreamReply): Promise<JsonObject | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > maxRecordBytes) return undefined;
      chunks.push(Buffer.from(chunk));
    }
  } catch {
    return undefined;
  }
  const value = parseExactJson(Buffer.concat(chunks).toString());
  return isObject(value) ? value : undefined;
}
