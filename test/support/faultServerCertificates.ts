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
  const body = encodeBody(options, publicKey);
  const signature = sign('sha256', body, options.issuer?.key ?? key);
  const der = encodeSequence(body, ecdsaWithSha256, encodeValue(0x03, Buffer.of(0), signature));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  const cert = ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
  return { name: options.name, cert, key };
}

function encodeBody(options: CertificateOptions, publicKey: KeyObject): Buffer {
  const { name, issuer, address, host, authority } = options;
  const alternativeNames = [
    ...(address ? [encodeValue(0x87, encodeIpv4(address))] : []),
    ...(host ? [encodeValue(0x82, Buffer.from(host))] : []),
  ];
  const validFrom = options.validFrom ?? new Date(Date.now() - dayMs);
  const validTo = options.validTo ?? new Date(Date.now() + dayMs);
  const extensions = [
    ...(authority
      ? [
          encodeSequence(
            encodeOid('551d13'),
            encodeBoolean(true),
            encodeValue(0x04, encodeSequence(encodeBoolean(true))),
          ),
        ]
      : []),
    ...(alternativeNames.length > 0
      ? [encodeSequence(encodeOid('551d11'), encodeValue(0x04, encodeSequence(...alternativeNames)))]
      : []),
  ];
  return encodeSequence(
    encodeValue(0xa0, encodeInteger(2)),
    encodeInteger(1 + Math.floor(Math.random() * 0x7fff)),
    ecdsaWithSha256,
    encodeCommonName(issuer?.name ?? name),
    encodeSequence(encodeTime(validFrom), encodeTime(validTo)),
    encodeCommonName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    encodeValue(0xa3, encodeSequence(...extensions)),
  );
}

const ecdsaWithSha256 = encodeSequence(encodeOid('2a8648ce3d040302'));

function encodeCommonName(name: string): Buffer {
  return encodeSequence(
    encodeValue(0x31, encodeSequence(encodeOid('550403'), encodeValue(0x0c, Buffer.from(name)))),
  );
}

function encodeTime(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]|\.\d+/g, '');
  return encodeValue(0x18, Buffer.from(digits));
}

function encodeIpv4(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number));
}

function encodeInteger(value: number): Buffer {
  return encodeValue(0x02, Buffer.of(value >> 8, value & 0xff).subarray(value < 0x80 ? 1 : 0));
}

function encodeBoolean(value: boolean): Buffer {
  return encodeValue(0x01, Buffer.of(value ? 0xff : 0));
}

function encodeOid(hex: string): Buffer {
  return encodeValue(0x06, Buffer.from(hex, 'hex'));
}

function encodeSequence(...members: readonly Uint8Array[]): Buffer {
  return encodeValue(0x30, ...members);
}

/** One DER value, the encoding of certificates: a tag, the length, the content. */
function encodeValue(tag: number, ...members: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(members);
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
