import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import {
  createPublicLookup,
  findForbiddenReason,
  forbiddenAddressCode,
  isPublicAddress,
} from '../../../src/http/publicAddress.ts';
import { createLookup } from '../../support/downloadServers.ts';

/** Addresses that must not be fetched, as a gateway could write them into a record. */
const refused: readonly string[] = [
  // This machine in all spellings.
  'https://localhost/',
  'https://LOCALHOST/',
  'https://localhost./',
  'https://localhost../',
  'https://a.localhost/',
  'https://a.localhost./',
  'https://127.0.0.1/',
  'https://127.0.0.1./',
  'https://127.0.0.1:8443/',
  'https://127.1/',
  'https://127.255.255.254/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://017700000001/',
  'https://１２７.０.０.１/',
  'https://ⓛocalhost/',
  'https://%6cocalhost/',
  'https://0/',
  'https://0.0.0.0/',
  'https://0.1.2.3/',
  'https://[::]/',
  'https://[::1]/',
  'https://[0:0:0:0:0:0:0:1]/',
  // IPv4 within IPv6.
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[::ffff:10.0.0.1]/',
  'https://[::ffff:8.8.8.8]/',
  'https://[::127.0.0.1]/',
  'https://[64:ff9b::127.0.0.1]/',
  'https://[64:ff9b::10.0.0.1]/',
  'https://[64:ff9b::a9fe:a9fe]/',
  'https://[64:ff9b:1::808:808]/',
  'https://[2002:7f00:1::]/',
  'https://[2002:a00:1::1]/',
  'https://[2002:c0a8:101::1]/',
  'https://[2002:a9fe:a9fe::]/',
  'https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
  // Private networks.
  'https://10.0.0.1/',
  'https://10.255.255.255/',
  'https://172.16.0.1/',
  'https://172.31.255.255/',
  'https://192.168.1.1/',
  'https://100.64.0.1/',
  'https://100.100.100.200/latest/meta-data/',
  'https://100.127.255.255/',
  'https://[fc00::1]/',
  'https://[fd12:3456:789a::1]/',
  'https://[fec0::1]/',
  // Link-local addresses, and the addresses of the services that give cloud machines their secrets.
  'https://169.254.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://2852039166/',
  'https://0xa9fea9fe/',
  'https://169.254.170.2/v2/credentials',
  'https://192.0.0.192/opc/v2/',
  'https://168.63.129.16/',
  'https://[fd00:ec2::254]/',
  'https://[fe80::1]/',
  'https://metadata.google.internal/computeMetadata/v1/',
  'https://METADATA.google.internal./',
  // Everything else that is not the Internet.
  'https://192.0.2.1/',
  'https://198.18.0.1/',
  'https://198.51.100.7/',
  'https://203.0.113.9/',
  'https://192.88.99.1/',
  'https://224.0.0.1/',
  'https://239.255.255.250/',
  'https://240.0.0.1/',
  'https://255.255.255.255/',
  'https://[ff02::1]/',
  'https://[2001:db8::1]/',
  'https://[3fff::1]/',
  'https://[5f00::1]/',
  // Names in the local network.
  'https://printer/',
  'https://router.lan/',
  'https://nas.local/',
  'https://db.internal/',
  'https://wiki.corp/',
  'https://box.home.arpa/',
  'https://1.0.0.127.in-addr.arpa/',
  'https://host.localdomain/',
  // Other schemes, and credentials.
  'http://media.example/',
  'ftp://media.example/',
  'file:///etc/passwd',
  'data:video/mp4;base64,AAAA',
  'gs://bucket/a.mp4',
  'https://user@media.example/',
  'https://user:secret@media.example/',
  'https://:secret@media.example/',
  'https://media.example@127.0.0.1/',
];

const allowed: readonly string[] = [
  'https://media.example/a.mp4?Signature=x',
  'https://media.example:8443/a.mp4',
  'https://dashscope-result.oss-accelerate.example.com/a.mp4',
  'https://internal.example.com/',
  'https://localhost.example.com/',
  'https://8.8.8.8/',
  'https://172.32.0.1/',
  'https://100.128.0.1/',
  'https://[2606:4700::1111]/',
  'https://[64:ff9b::8.8.8.8]/',
  'https://[2002:808:808::1]/',
  'https://bücher.example/',
];

describe('T8 D16 the check of download addresses', () => {
  it('is tested with at least 60 refused addresses', () => {
    assert.ok(refused.length >= 60);
  });

  for (const address of refused) {
    it(`refuses ${address}`, () => assert.ok(findForbiddenReason(new URL(address))));
  }

  for (const address of allowed) {
    it(`allows ${address}`, () => assert.equal(findForbiddenReason(new URL(address)), undefined));
  }
});

describe('T8 the DNS lookup for downloads', () => {
  const answer = (address: string | LookupAddress[], options = {}) =>
    new Promise<string>((resolve) => {
      const lookup = createPublicLookup(isPublicAddress, (_, __, done) => done(null, address, 4));
      lookup('media.example', options, (error, found) => resolve(error?.code ?? JSON.stringify(found)));
    });

  for (const address of [
    '127.0.0.1',
    '10.1.2.3',
    '169.254.169.254',
    '::1',
    '::ffff:10.0.0.1',
    'fe80::1%eth0',
  ]) {
    it(`refuses a name that resolves to ${address}`, async () => {
      assert.equal(await answer(address), forbiddenAddressCode);
    });
  }

  it('refuses a name when only one of its addresses is private', async () => {
    const addresses = [
      { address: '8.8.8.8', family: 4 },
      { address: '192.168.0.10', family: 4 },
    ];
    assert.equal(await answer(addresses, { all: true }), forbiddenAddressCode);
  });

  it('returns exactly the addresses that were checked', async () => {
    const addresses = [{ address: '8.8.8.8', family: 4 }];
    assert.equal(await answer(addresses, { all: true }), JSON.stringify(addresses));
    assert.equal(await answer('8.8.8.8'), '"8.8.8.8"');
  });

  it('passes on the error when a name has no address', async () => {
    const missing = Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
    const lookup = createPublicLookup(isPublicAddress, (hostname, options, done) => {
      createLookup('10.0.0.1')(hostname, options, () => done(missing, '', 0));
    });
    const error = await new Promise((resolve) => lookup('media.example', {}, resolve));
    assert.equal(error, missing);
  });
});
