import type { ServerResponse } from 'node:http';
import { type ScriptedUpstream, startUpstream, type UpstreamRequest } from './scriptedUpstream.ts';

type Reply = readonly [status: number, body: object | Buffer, headers?: Readonly<Record<string, string>>];

/** Returns the reply of an upstream; undefined if the function sends the reply or closes the connection itself. */
export type CreateReply = (request: UpstreamRequest, res: ServerResponse) => Reply | undefined;

/** Starts an upstream that replies with JSON, or with the bytes of a clip. */
export function startReplyingUpstream(createReply: CreateReply): Promise<ScriptedUpstream> {
  return startUpstream((request, res) => {
    const reply = createReply(request, res);
    if (!reply) return;
    const [status, body, headers] = reply;
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    const type = Buffer.isBuffer(body) ? 'video/mp4' : 'application/json';
    res.writeHead(status, { 'content-type': type, 'content-length': bytes.length, ...headers }).end(bytes);
  });
}
