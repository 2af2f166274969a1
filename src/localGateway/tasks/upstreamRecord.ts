import { isObject, type JsonObject, parseExactJson } from '../../base/json.ts';
import { decoded } from '../upstreams/contentEncoding.ts';
import type { UpstreamReply } from '../upstreams/upstream.ts';

/** The largest record in bytes: some hold a video. */
const maxRecordBytes = 64 * 1024 * 1024;

/** The record in a reply, whose body is read to its end; undefined when it holds none. */
export async function readRecord({ headers, body }: UpstreamReply): Promise<JsonObject | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > maxRecordBytes) return undefined;
      chunks.push(Buffer.from(chunk));
    }
    const { 'content-encoding': encoding = '' } = headers;
    const bytes = await decoded(Buffer.concat(chunks), encoding, maxRecordBytes);
    const value = parseExactJson(bytes.toString().replace(/^\uFEFF/, ''));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
