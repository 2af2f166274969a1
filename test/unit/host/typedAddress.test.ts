import assert from 'node:assert/strict';
import { readAddress } from '../../../src/host/connection/typedAddress.ts';

function problem(text: string) {
  const reading = readAddress(text);
  assert.ok(!reading.ok, `${text} should be refused`);
  return reading.problem;
}

describe('the typed address', () => {
  for (const [typed, ...candidates] of [
    [' https://g.example:8443/ ', 'https://g.example:8443', 'https://g.example:8443/api'],
    ['g.example', 'https://g.example', 'https://g.example/api'],
    ['HTTP://LOCALHOST:4000', 'http://localhost:4000', 'http://localhost:4000/api'],
    ['localhost:4000/', 'http://localhost:4000', 'http://localhost:4000/api'],
    ['[::1]:4000', 'http://[::1]:4000', 'http://[::1]:4000/api'],
    ['::1', 'http://[::1]', 'http://[::1]/api'],
    ['[fd00::5]:4000', 'http://[fd00::5]:4000', 'http://[fd00::5]:4000/api'],
    ['[2001:4860:4860::8888]', 'https://[2001:4860:4860::8888]', 'https://[2001:4860:4860::8888]/api'],
    ['192.168.1.5:11434', 'http://192.168.1.5:11434', 'http://192.168.1.5:11434/api'],
    ['8.8.8.8', 'https://8.8.8.8', 'https://8.8.8.8/api'],
    ['<https://g.example/team>', 'https://g.example/team'],
    ['https://g.example/v1/', 'https://g.example', 'https://g.example/api', 'https://g.example/v1'],
    [
      'https://g.example/v1/chat/completions',
      'https://g.example',
      'https://g.example/api',
      'https://g.example/v1',
    ],
    [
      'https://g.example/v1/models?limit=9',
      'https://g.example',
      'https://g.example/api',
      'https://g.example/v1',
    ],
    [
      'https://g.example/v1beta/models',
      'https://g.example',
      'https://g.example/api',
      'https://g.example/v1beta',
    ],
    ['https://g.example/api', 'https://g.example/api', 'https://g.example'],
    ['https://g.example/api/v1', 'https://g.example/api', 'https://g.example', 'https://g.example/api/v1'],
    ['https://g.example/team/v1', 'https://g.example/team', 'https://g.example/team/v1'],
    ['http://models.local:11434', 'http://models.local:11434', 'http://models.local:11434/api'],
  ] as const)
    it(`${typed} is tried as ${candidates.join(', ')}`, () => {
      const reading = readAddress(typed);
      assert.ok(reading.ok);
      assert.deepEqual(reading.candidates, candidates);
    });

  for (const [typed, expected] of [
    ['', 'empty'],
    ['https://', 'not-an-address'],
    ['ftp://gateway.example', 'not-http'],
    ['http://8.8.8.8', 'plain-http'],
    ['http://169.254.169.254', 'plain-http'],
    ['http://[2001:4860:4860::8888]', 'plain-http'],
    ['https://user:word@gateway.example', 'contains-credentials'],
    ['https://gateway.example/?a=b', 'contains-query'],
    ['https://gateway.example/#part', 'contains-query'],
  ] as const) {
    it(`T5 ${typed || 'nothing'} is refused as ${expected}`, () => {
      assert.equal(problem(typed), expected);
    });
  }
});
