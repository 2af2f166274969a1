import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';

/** A certificate, as far as it tells a person why it was refused. All words are those of whoever made it. */
export interface Certificate {
  readonly subject: string;
  readonly issuer: string;
  /** The hosts and addresses that it is good for. */
  readonly hosts: string;
  readonly validFrom: string;
  readonly validTo: string;
  readonly sha256: string;
}

/** No server needs more to be trusted. */
const maxChain = 10;

/** The certificates that the other side showed, its own first. The last one names who should vouch for it. */
export function certificatesOf(socket: TLSSocket): readonly Certificate[] {
  const chain: Certificate[] = [];
  let at: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  while (at?.fingerprint256 && chain.length < maxChain) {
    chain.push(certificateOf(at));
    // A certificate that signed itself is its own issuer.
    at = at.issuerCertificate === at ? undefined : at.issuerCertificate;
  }
  return chain;
}

function certificateOf(certificate: DetailedPeerCertificate): Certificate {
  const { subject, issuer, subjectaltname = '', valid_from, valid_to, fingerprint256 } = certificate;
  return {
    subject: nameOf(subject),
    issuer: nameOf(issuer),
    hosts: subjectaltname,
    validFrom: valid_from,
    validTo: valid_to,
    sha256: fingerprint256,
  };
}

/** Node gives a name that a certificate tells twice as a list. */
function nameOf(names: Readonly<Record<string, string | string[] | undefined>> = {}): string {
  return [names.CN ?? names.O ?? names.OU ?? ''].flat().join(', ');
}
