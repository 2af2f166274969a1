import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { errorCode } from '../../base/errors.ts';
import { isObject, parseJson } from '../../base/json.ts';
import { writePrivateFile } from '../config/privateFile.ts';

/** Below those that systems give to outgoing connections, so that one of these never takes it. */
const firstPort = 20_000;
const portCount = 10_000;
const maxTries = 20;

/** The port cannot be listened on. The message says who to ask. */
export class PortTaken extends Error {
  override readonly name = 'PortTaken';
}

/**
 * Listens on the port that was asked for, else on the one that was chosen at the first start and is kept.
 *
 * @param asked 0 means any free one, which is not kept
 * @param listen listens on a port, and rejects with the system's error
 * @throws {PortTaken} never another one in its place
 */
export async function listenOnPort<Listening>(
  asked: number | undefined,
  keptIn: string,
  listen: (port: number) => Promise<Listening>,
): Promise<Listening> {
  const port = asked ?? readPort(keptIn);
  if (port !== undefined)
    return listen(port).catch(async (error) => Promise.reject(await explained(error, port)));
  for (let tries = 1; ; tries++) {
    const chosen = firstPort + randomInt(portCount);
    try {
      const listening = await listen(chosen);
      writePrivateFile(keptIn, `${chosen}\n`);
      return listening;
    } catch (error) {
      if (tries >= maxTries || !isTaken(error)) throw await explained(error, chosen);
    }
  }
}

function readPort(path: string): number | undefined {
  try {
    const port = Number(readFileSync(path, 'utf8').trim());
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function explained(error: unknown, port: number): Promise<unknown> {
  if (errorCode(error) === 'EACCES')
    return new PortTaken(`This user may not listen on port ${port}. Choose one from 1024 on by --port.`);
  if (!isTaken(error)) return error;
  const whose = (await isGateway(port))
    ? 'by another local gateway. Stop that one'
    : `by another program, which "${finder(port)}" names. Stop that one`;
  return new PortTaken(
    `Port ${port} of 127.0.0.1 is taken ${whose}, or choose another port by --port N, or by "port" in the configuration.`,
  );
}

function isTaken(error: unknown): boolean {
  return errorCode(error) === 'EADDRINUSE';
}

/** The system's own command that tells who listens. */
function finder(port: number): string {
  if (process.platform === 'win32') return `netstat -ano | findstr :${port}`;
  if (process.platform === 'darwin') return `lsof -nP -iTCP:${port} -sTCP:LISTEN`;
  return `ss -ltnp 'sport = :${port}'`;
}

function isGateway(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, path: '/healthz', timeout: 1_000 };
    const request = get(options, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (text.length > 1_000) reply.destroy();
      });
      reply.once('close', () => {
        const value = parseJson(text);
        resolve(isObject(value) && value.service === 'model-gateway');
      });
    });
    request.once('error', () => resolve(false));
    request.once('timeout', () => request.destroy());
  });
}
