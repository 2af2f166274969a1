import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createChatFileName } from '../../../src/host/chat/transfer/chatFileName.ts';

describe('the file name for a chat title', () => {
  const names: Readonly<Record<string, string>> = {
    'Why is the sky blue?': 'Why is the sky blue',
    '../../etc/passwd': 'etc passwd',
    'C:\\con': 'C con',
    'con.txt': 'Chat',
    LPT1: 'Chat',
    '-rf ~': 'rf ~',
    '.hidden': 'hidden',
    ' … ': '…',
    'ends with dots. . .': 'ends with dots',
    'right \u202eto left\u0007': 'right to left',
    '為什麼天空是藍色的？': '為什麼天空是藍色的？',
    '': 'Chat',
    '???': 'Chat',
  };
  for (const [title, name] of Object.entries(names)) {
    it(`is “${name}” for ${JSON.stringify(title)}`, () =>
      assert.equal(createChatFileName(title, 'Chat'), name));
  }

  it('is short and valid for any title, even a very long one', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (title) => {
        const name = createChatFileName(title, 'Chat');
        assert.ok(name !== '' && Buffer.byteLength(name) <= 80);
        assert.doesNotMatch(name, /[<>:"/\\|?*\p{Cc}]|^[-. ]|[. ]$/u);
        assert.ok(name.isWellFormed());
      }),
    );
    assert.ok(Buffer.byteLength(createChatFileName('長'.repeat(10_000_000), 'Chat')) <= 80);
  });
});
