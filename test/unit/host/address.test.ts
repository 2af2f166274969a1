import assert from 'node:assert/strict';
import { readAddress } from '../../../src/host/connection/address.ts';

function read(text: string) {
  const reading = readAddress(text);
  assert.ok(reading.ok, `${text} should be an address`);
  return reading;
}

function problem(text: string) {
  const reading = readAddress(text);
  assert.ok(!reading.ok, `${text} should be refused`);
  return reading.problem;
}

describe('the address a user enters', () => {
  it('is taken as it is, without a trailing slash', () => {
    assert.deepEqual(read(' https://gateway.example:8443/ '), {
      ok: true,
      baseUrl: 'https://gateway.example:8443',
      shorter: [],
    });
  });

  it('needs no scheme: https elsewhere, http on this machine', () => {
    assert.equal(read('gateway.example').baseUrl, 'https://gateway.example');
    assert.equal(read('localhost:4000').baseUrl, 'http://localhost:4000');
    assert.equal(read('[::1]:4000').baseUrl, 'http://[::1]:4000');
    assert.equal(read('192.168.1.5:11434').baseUrl, 'http://192.168.1.5:11434');
    assert.equal(read('8.8.8.8').baseUrl, 'https://8.8.8.8');
  });

  it('may be plain http to a name: what it leads to decides, and the user is asked', () => {
    assert.equal(read('http://models.local:11434/v1').baseUrl, 'http://models.local:11434/v1');
  });

  for (const [typed, shorter] of [
    ['https://gateway.example/v1', ['https://gateway.example']],
    ['https://gateway.example/v1/', ['https://gateway.example']],
    ['https://gateway.example/api', ['https://gateway.example']],
    ['https://gateway.example/v1/chat/completions', ['https://gateway.example']],
    ['https://gateway.example/v1beta/models', ['https://gateway.example']],
    ['https://gateway.example/api/v1', ['https://gateway.example', 'https://gateway.example/api']],
    ['https://gateway.example/team/v1', ['https://gateway.example/team']],
    ['https://gateway.example/team', []],
  ] as const) {
    it(`${typed} offers ${shorter.length === 0 ? 'nothing shorter' : shorter.join(' and ')}`, () => {
      assert.deepEqual(read(typed).shorter, shorter);
    });
  }

  for (const [typed, expected] of [
    ['', 'empty'],
    ['https://', 'not-an-address'],
    ['ftp://gateway.example', 'not-http'],
    ['http://8.8.8.8', 'plain-http'],
    ['http://169.254.169.254', 'plain-http'],
    ['http://[2001:4860:4860::8888]', 'plain-http'],
    ['https://user:word@gateway.example', 'holds-credentials'],
    ['https://gateway.example/?a=b', 'holds-query'],
    ['https://gateway.example/#part', 'holds-query'],
  ] as const) {
    it(`T5 ${typed || 'nothing'} is refused as ${expected}`, () => {
      assert.equal(problem(typed), expected);
    });
  }
});
