import { createHash } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import { Downloader } from '../../src/client/download.ts';
import type { ClientOptions, DownloadHead, DownloadTarget, ExchangeRecord } from '../../src/client/types.ts';
import { type ConnectionScript, type FaultServer, startFaultServer } from './faultServer.ts';
import { testCredential } from './faultServerCalls.ts';
import { makeCertificate } from './faultServerCertificates.ts';

type OtherOrigins = NonNullable<ConstructorParameters<typeof Downloader>[1]>;

/** A name whose address only these tests know. */
const mediaHost = 'media.example';

const certificate = makeCertificate({ name: mediaHost, authority: true });

/** Resolves every name to `address`. */
export function createLookup(address: string): LookupFunction {
  return (_, options, done) => {
    const family = address.includes(':') ? 6 : 4;
    if (options.all) done(null, [{ address, family }]);
    else done(null, address, family);
  };
}

/** Allows downloads from a server of this machine instead of servers on the Internet. */
export const reachable: OtherOrigins = {
  ca: [certificate.cert],
  lookup: createLookup('127.0.0.1'),
  isPublic: (address) => address === '127.0.0.1',
};

export interface DownloadFixture {
  readonly gateway: FaultServer;
  /** Another origin, over https. */
  readonly other: FaultServer;
  /** Address of a path at the other origin. */
  readonly at: (path: string) => string;
  readonly downloader: Downloader;
  readonly exchanges: readonly ExchangeRecord[];
}

export interface DownloadScripts {
  readonly gateway?: ConnectionScript;
  readonly other?: ConnectionScript;
  readonly options?: Partial<ClientOptions>;
  readonly reach?: OtherOrigins;
}

/** Runs `test` with a downloader, its gateway and another origin, and closes them. */
export async function withDownloader(
  {
    gateway: gatewayScript = refuse,
    other: otherScript = refuse,
    options,
    reach = reachable,
  }: DownloadScripts,
  test: (fixture: DownloadFixture) => Promise<void>,
): Promise<void> {
  const gateway = await startFaultServer(gatewayScript);
  const other = await startFaultServer(otherScript, { tls: certificate });
  const exchanges: ExchangeRecord[] = [];
  const downloader = new Downloader(
    {
      baseUrl: gateway.baseUrl,
      credential: async () => testCredential,
      onExchange: (exchange) => exchanges.push(exchange),
      ...options,
    },
    reach,
  );
  const at = (path: string) => `https://${mediaHost}:${other.port}${path}`;
  try {
    await test({ gateway, other, at, downloader, exchanges });
  } finally {
    downloader.close();
    await gateway.close();
    await other.close();
  }
}

const refuse: ConnectionScript = (connection) => connection.respond(500, {}, 'unexpected request');

/** Stores the received heads and bytes in memory. */
export class MemoryTarget implements DownloadTarget {
  readonly heads: DownloadHead[] = [];
  bytes = Buffer.alloc(0);

  async begin(head: DownloadHead): Promise<void> {
    this.heads.push(head);
    this.bytes = this.bytes.subarray(0, head.from);
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.bytes = Buffer.concat([this.bytes, bytes]);
  }
}

export interface FileOptions {
  readonly type?: string;
  readonly etag?: string;
  /** Bytes of the whole file after which each reply breaks off, one for each request. */
  readonly cutAt?: readonly number[];
  /** Whether a reply with the whole file has a length; if not, it lasts until the connection ends. */
  readonly hasLength?: boolean;
}

/** Serves a file as object stores do, with ranges. */
export function serveFile(
  file: Uint8Array,
  { type = 'video/mp4', etag = '"v1"', cutAt = [], hasLength = true }: FileOptions = {},
): ConnectionScript {
  let served = 0;
  return async (connection, { headers }) => {
    const cut = cutAt[served++];
    const start =
      headers['if-range'] === etag ? Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0) : 0;
    const length: Record<string, string> =
      hasLength || start > 0 ? { 'content-length': String(file.length - start) } : {};
    const described = { 'content-type': type, ...length, etag };
    const range = { 'content-range': `bytes ${start}-${file.length - 1}/${file.length}` };
    await connection.writeHead(start > 0 ? 206 : 200, { ...described, ...(start > 0 && range) });
    await connection.write(file.subarray(start, cut));
    if (cut !== undefined || !hasLength) connection.end();
  };
}

/** Creates the smallest data that is recognized as a clip: it has the boxes of a clip, but cannot be played. */
export function createTinyClip(size = 20_000): Buffer {
  const head = createBox('ftyp', Buffer.from('isom\0\0\0\0isommp42'));
  const movie = createBox('moov', createBox('mvhd', Buffer.alloc(100)));
  const rest = size - head.length - movie.length - 8;
  const media = Buffer.alloc(rest, createHash('sha256').update(String(size)).digest());
  return Buffer.concat([head, movie, createBox('mdat', media)]);
}

/** Creates one box of an MP4 file. */
export function createBox(type: string, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  const header = Buffer.alloc(8);
  header.writeUInt32BE(body.length + 8);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, body]);
}
