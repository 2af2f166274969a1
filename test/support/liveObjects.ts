import { Session } from 'node:inspector/promises';

/** Sends a command to the inspector of a JavaScript process or page, and returns the result. */
export type SendToInspector = (method: string, params?: object) => Promise<unknown>;

interface Remote {
  readonly result: { readonly objectId: string; readonly value: unknown };
  readonly exceptionDetails?: object;
}

const objectGroup = 'liveObjects';

/**
 * Collects garbage, and calls a function with all remaining objects that inherit from a prototype.
 *
 * @param prototype an expression
 * @param read the source of a function with `this` as the list of objects
 */
export async function readLiveObjects(
  send: SendToInspector,
  prototype: string,
  read = 'function () { return this.length; }',
): Promise<number> {
  try {
    const { result } = (await send('Runtime.evaluate', { expression: prototype, objectGroup })) as Remote;
    const found = { prototypeObjectId: result.objectId, objectGroup };
    const { objects } = (await send('Runtime.queryObjects', found)) as { objects: Remote['result'] };
    const call = { objectId: objects.objectId, functionDeclaration: read, returnByValue: true };
    const reply = (await send('Runtime.callFunctionOn', call)) as Remote;
    if (typeof reply.result.value !== 'number') throw new Error(JSON.stringify(reply.exceptionDetails));
    return reply.result.value;
  } finally {
    await send('Runtime.releaseObjectGroup', { objectGroup });
  }
}

/** Counts all objects and functions that are alive. */
export function countLiveObjects(send: SendToInspector): Promise<number> {
  return readLiveObjects(send, 'Object.prototype');
}

/** Opens the inspector of this process. */
export function openOwnInspector(): { readonly send: SendToInspector; close(): void } {
  const session = new Session();
  session.connect();
  return { send: (method, params) => session.post(method, params), close: () => session.disconnect() };
}

/** Connects to the inspector of another process, which prints its address at its start with `--inspect`. */
export async function connectInspector(
  address: string,
): Promise<{ readonly send: SendToInspector; close(): void }> {
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error(`no inspector at ${address}`)));
  });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(String(data));
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (error) reject?.(new Error(error.message));
    else resolve?.(result);
  });
  socket.addEventListener('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('The inspector closed the connection.'));
  });
  return {
    send(method, params = {}) {
      last += 1;
      const reply = Promise.withResolvers<unknown>();
      waiting.set(last, reply);
      socket.send(JSON.stringify({ id: last, method, params }));
      return reply.promise;
    },
    close: () => socket.close(),
  };
}
