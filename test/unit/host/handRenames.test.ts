import assert from 'node:assert/strict';
import { renamesBetween } from '../../../src/host/connection/handRenames.ts';

describe('gateways that are renamed by hand in the settings', () => {
  const here = 'https://gateway.example';
  const first = { name: 'first', baseUrl: here };
  const other = { name: 'other', baseUrl: here };
  const office = { name: 'office', baseUrl: here };

  it('are those whose name alone was replaced by one change', () => {
    assert.deepEqual(renamesBetween([first, other], [other, office]), [[`first@${here}`, 'office']]);
  });

  it('are none where one was removed, added, or moved to another address', () => {
    assert.deepEqual(renamesBetween([first, other], [other]), []);
    assert.deepEqual(renamesBetween([first], [first, other]), []);
    assert.deepEqual(renamesBetween([first], [{ ...office, baseUrl: 'https://elsewhere.example' }]), []);
  });

  it('are none where it cannot be told which became which', () => {
    assert.deepEqual(renamesBetween([first, other], [office]), []);
    assert.deepEqual(renamesBetween([first], [office, other]), []);
  });

  it('are none where the name was changed by the command, which keeps the first name as an id', () => {
    assert.deepEqual(renamesBetween([first], [{ ...office, id: 'first' }]), []);
  });
});
