import assert from 'node:assert/strict';
import { findRenames } from '../../../src/host/connection/manualRenames.ts';

describe('gateways that are renamed by hand in the settings', () => {
  const here = 'https://gateway.example';
  const first = { name: 'first', baseUrl: here };
  const other = { name: 'other', baseUrl: here };
  const office = { name: 'office', baseUrl: here };

  it('are found when one change replaces only a name', () => {
    assert.deepEqual(findRenames([first, other], [other, office]), [[`first@${here}`, 'office']]);
  });

  it('are not found when a gateway was removed, added, or moved to another address', () => {
    assert.deepEqual(findRenames([first, other], [other]), []);
    assert.deepEqual(findRenames([first], [first, other]), []);
    assert.deepEqual(findRenames([first], [{ ...office, baseUrl: 'https://elsewhere.example' }]), []);
  });

  it('are not found when old and new names cannot be matched', () => {
    assert.deepEqual(findRenames([first, other], [office]), []);
    assert.deepEqual(findRenames([first], [office, other]), []);
  });

  it('are not found when the command changed the name, because it stores the first name as an id', () => {
    assert.deepEqual(findRenames([first], [{ ...office, id: 'first' }]), []);
  });
});
