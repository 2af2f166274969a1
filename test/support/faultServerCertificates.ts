import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A certificate for one test run; only the tests trust it. */
export interface TestCertificate {
  readonly name: string;
  /** PEM. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
}

export interface CertificateOptions {
  readonly name: string;
  /** The issuer; the certificate is self-signed if absent. */
  readonly issuer?: TestCertificate;
  /** The IPv4 address of the certificate. */
  readonly address?: string;
  /** The host name of the certificate. */
  readonly host?: string;
  readonly authority?: boolean;
  readonly validFrom?: Date;
  readonly validTo?: Date;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Makes an X.509 certificate with a fresh key, valid from yesterday until tomorrow by default. */
export function makeCertificate(options: CertificateOptions): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const toBeSigned = certificateBody(options, publicKey);
  const signature = sign('sha256', toBeSigned, options.issuer?.key ?? key);
  const der = sequence(toBeSigned, ecdsaWithSha256, tagged(0x03, Buffer.of(0), signature));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  const cert = ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
  return { name: options.name, cert, key };
}

function certificateBody(options: CertificateOptions, publicKey: KeyObject): Buffer {
  const { name, issuer, address, host, authority } = options;
  const goodFor = [
    ...(address ? [tagged(0x87, ipv4(address))] : []),
    ...(host ? [tagged(0x82, Buffer.from(host))] : []),
  ];
  const validFrom = options.validFrom ?? new Date(Date.now() - dayMs);
  const validTo = options.validTo ?? new Date(Date.now() + dayMs);
  const extensions = [
    ...(authority ? [sequence(oid('551d13'), boolean(true), tagged(0x04, sequence(boolean(true))))] : []),
    ...(goodFor.length > 0 ? [sequence(oid('551d11'), tagged(0x04, sequence(...goodFor)))] : []),
  ];
  return sequence(
    tagged(0xa0, integer(2)),
    integer(1 + Math.floor(Math.random() * 0x7fff)),
    ecdsaWithSha256,
    commonName(issuer?.name ?? name),
    sequence(time(validFrom), time(validTo)),
    commonName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions)),
  );
}

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));

function commonName(name: string): Buffer {
  return sequence(tagged(0x31, sequence(oid('550403'), tagged(0x0c, Buffer.from(name)))));
}

function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]|\.\d+/g, '');
  return tagged(0x18, Buffer.from(digits));
}

function ipv4(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number));
}

function integer(value: number): Buffer {
  return tagged(0x02, Buffer.of(value >> 8, value & 0xff).subarray(value < 0x80 ? 1 : 0));
}

function boolean(value: boolean): Buffer {
  return tagged(0x01, Buffer.of(value ? 0xff : 0));
}

function oid(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, 'hex'));
}

function sequence(...members: readonly Uint8Array[]): Buffer {
  return tagged(0x30, ...members);
}

/** One DER value, the encoding of certificates: a tag, the length, the content. */
function tagged(tag: number, ...members: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(members);
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
