import type { FastifyInstance } from 'fastify';
import { routes } from '../../wire/routes.ts';
import { type ChatCompletionsRequest, chatCompletionsRequest } from '../../wire/shapes/chatCompletions.ts';
import type { Catalogue } from '../catalogue.ts';
import { shuttingDown } from '../httpError.ts';
import { invalidBody, readBody } from './readBody.ts';
import { relay } from './relay.ts';

/** @param closing aborted when the gateway ends: open calls then end too */
export function serveChatCompletions(app: FastifyInstance, catalogue: Catalogue, closing: AbortSignal): void {
  app.post<{ Body: Buffer | undefined }>(routes.chatCompletions.path, async (request, reply) => {
    const chat = readBody(request.body, chatCompletionsRequest);
    const { upstream, model } = catalogue.find(chat.model);

    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const signal = AbortSignal.any([gone.signal, closing]);
    try {
      const body = bytesFor(model, chat, request.body);
      const answer = await upstream.chat({ model, request: chat, body, requestId: request.id, signal });
      reply.hijack();
      await relay(answer, reply.raw, signal, closing);
    } catch (error) {
      if (gone.signal.aborted) return reply.hijack();
      throw closing.aborted ? shuttingDown() : error;
    }
  });
}

/** The caller's own bytes, unless the upstream knows the model by another id. */
function bytesFor(model: string, chat: ChatCompletionsRequest, body: Buffer | undefined): Uint8Array {
  if (model === chat.model && body) return body;
  try {
    return Buffer.from(JSON.stringify({ ...chat, model }));
  } catch {
    throw invalidBody('The body is nested too deeply to be passed on.', 'invalid_json');
  }
}
