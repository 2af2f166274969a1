import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../../../src/webview/', import.meta.url);

describe('the elements of the pages', () => {
  it('declare each property once, in the table they extend', () => {
    const declaring = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && path !== 'parts/lightElement.ts')
      .filter((path) =>
        /^ {2}(?:declare |static (?:override )?properties\b)/m.test(
          readFileSync(new URL(path, folder), 'utf8'),
        ),
      );
    assert.deepEqual(
      declaring,
      [],
      'these declare properties in the class: name them in the table of `extends LightElement.with({ … })` alone',
    );
  });
});
