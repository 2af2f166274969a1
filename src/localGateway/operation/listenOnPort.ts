import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { errorCode } from '../../base/errors.ts';
import { isObject, parseJson } from '../../base/json.ts';
import { writePrivateFile } from '../config/stateFolder.ts';

/** The lowest port that the gateway chooses. All ports in its range are below the ports of outgoing connections. */
const firstPort = 20_000;
const portCount = 10_000;
const maxTries = 20;

/** The gateway cannot listen on the port. The message contains the cause and the remedy. */
export class PortInUseError extends Error {
  override readonly name = 'PortInUseError';
}

/**
 * Listens on the requested port. Without one, listens on the port that was chosen and stored at the first start.
 *
 * @param requestedPort 0 means any free port, which is not stored
 * @param listen listens on a port, and rejects with the system's error
 * @throws {PortInUseError} instead of choosing another port
 */
export async function listenOnPort<Listening>(
  requestedPort: number | undefined,
  portFile: string,
  listen: (port: number) => Promise<Listening>,
): Promise<Listening> {
  const port = requestedPort ?? readPort(portFile);
  if (port !== undefined)
    return listen(port).catch(async (error) => Promise.reject(await explainListenError(error, port)));
  for (let tries = 1; ; tries++) {
    const chosenPort = firstPort + randomInt(portCount);
    try {
      const listening = await listen(chosenPort);
      writePrivateFile(portFile, `${chosenPort}\n`);
      return listening;
    } catch (error) {
      if (tries >= maxTries || !isPortTaken(error)) throw await explainListenError(error, chosenPort);
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

async function explainListenError(error: unknown, port: number): Promise<unknown> {
  if (errorCode(error) === 'EACCES')
    return new PortInUseError(
      `This user is not allowed to listen on port ${port}. Choose a port of 1024 or above with --port.`,
    );
  if (!isPortTaken(error)) return error;
  const owner = (await isGateway(port))
    ? 'by another local gateway. Stop it'
    : `by another program, which "${selectListenerCommand(port)}" shows. Stop it`;
  return new PortInUseError(
    `Port ${port} of 127.0.0.1 is in use ${owner}, or choose another port with --port N or "port" in the configuration.`,
  );
}

function isPortTaken(error: unknown): boolean {
  return errorCode(error) === 'EADDRINUSE';
}

/** Selects the system's command that shows which program listens on a port. */
function selectListenerCommand(port: number): string {
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
