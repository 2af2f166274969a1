import { createParser } from 'eventsource-parser';
import { Agent, request } from 'undici';

/** The minimal parts of a client for streamed replies: the lower bound that a client is compared with. */
export class BareParts {
  readonly #dispatcher = new Agent();

  /** Streams one reply and counts its texts; `hasText` looks into one event's parsed data. */
  async stream(url: string, body: object, hasText: (data: string) => boolean): Promise<number> {
    let texts = 0;
    const parser = createParser({
      onEvent: ({ data }) => {
        if (hasText(data)) texts++;
      },
    });
    const reply = await request(url, {
      dispatcher: this.#dispatcher,
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer test-credential' },
      body: JSON.stringify(body),
    });
    const utf8 = new TextDecoder();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    reply.body.on('data', (bytes) => parser.feed(utf8.decode(bytes, { stream: true })));
    reply.body.on('end', resolve);
    reply.body.on('error', reject);
    await promise;
    return texts;
  }

  async close(): Promise<void> {
    await this.#dispatcher.close();
  }
}
