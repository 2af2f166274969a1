import assert from 'node:assert/strict';
import {
  describeImageSource,
  describeLinkDestination,
  parseOpenableLink,
} from '../../../src/webview/markdown/linkTargets.ts';

describe('links in a reply', () => {
  const refused = [
    'command:workbench.action.quit',
    'vscode://a.b/c',
    'vscode-insiders://a.b/c',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'JAVASCRIPT:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'blob:https://example.com/1',
    '//example.com/',
    '\\\\example.com\\share',
    '/\\example.com',
    'https:\\\\example.com',
    'https:example.com',
    'relative.md',
    '#anchor',
    '?query',
    '',
    ' https://example.com',
    'java\nscript:x',
    'https://',
    'http://[bad',
  ];
  for (const address of refused) {
    it(`T11 cannot be opened: ${JSON.stringify(address)}`, () => {
      assert.equal(parseOpenableLink(address), undefined);
    });
  }

  for (const address of ['https://example.com/a?b#c', 'HTTP://example.com', 'mailto:someone@example.com']) {
    it(`can be opened: ${address}`, () => {
      assert.ok(parseOpenableLink(address));
    });
  }

  const shown: readonly (readonly [text: string, address: string, destination: string | undefined])[] = [
    ['the manual', 'https://example.com/manual', 'example.com'],
    ['', 'https://example.com/', 'example.com'],
    ['https://example.com/manual', 'https://example.com/manual', undefined],
    ['example.com', 'https://example.com/manual', undefined],
    ['https://bank.example', 'https://collector.example/', 'collector.example'],
    ['collector.example.bank.example', 'https://collector.example/', 'collector.example'],
    ['https://bank.example collector.example', 'https://collector.example/', 'collector.example'],
    ['https://bank.example@collector.example', 'https://bank.example@collector.example', 'collector.example'],
    ['https://\u0430pple.com', 'https://\u0430pple.com', 'xn--pple-43d.com'],
    ['https://example.com:8443/', 'https://example.com/', 'example.com'],
    ['someone@example.com', 'mailto:someone@example.com', undefined],
    ['support', 'mailto:someone@example.com', 'someone@example.com'],
  ];
  for (const [text, address, destination] of shown) {
    it(`T9 show ${destination ?? 'no destination'} for “${text}” to ${address}`, () => {
      const url = parseOpenableLink(address);
      assert.ok(url);
      assert.equal(describeLinkDestination(url, text), destination);
    });
  }

  it('describe an image by its host', () => {
    assert.equal(describeImageSource('https://collector.example/pixel.png?q=secret'), 'collector.example');
    assert.equal(describeImageSource('nonsense'), 'nonsense');
  });
});
