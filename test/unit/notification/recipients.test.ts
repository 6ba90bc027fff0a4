import { describe, expect, test } from '@jest/globals';
import { keysOfIdentifier, recipientKeys } from '../../../services/notification/sending/recipients.ts';

/** Whether an erasure by an identifier finds a notification to a recipient as it was typed. */
function isFound(identifier: string, typed: string): boolean {
  const stored = recipientKeys([typed]);
  return keysOfIdentifier(identifier).some((key) => stored.includes(key));
}

describe('a notification is found by the identifier of its recipient', () => {
  test.each([
    'Ada@B\u00fccher.example',
    'ada@xn--bcher-kva.example',
    'ADA@XN--BCHER-KVA.example.',
    ' \u200eada@bu\u0308cher\u3002example',
  ])('typed as the address %j', (typed) => {
    expect(isFound('email:ada@xn--bcher-kva.example', typed)).toBe(true);
    expect(isFound('email:ada@bucher.example', typed)).toBe(false);
  });

  test('stored before domains were stored in ASCII', () => {
    expect(keysOfIdentifier('email:ada@xn--bcher-kva.example')).toContain('ada@b\u00fccher.example');
  });

  test.each([
    '+491701234567',
    '491701234567',
    '+49 170 1234567',
    '+49 (0)170 123-45-67',
    '0170 1234567',
    'tel:+49-170-1234567',
    '\u202a\uff0b49 170 1234567\u202c',
    '+\uff14\uff19170\u20111234567\ufe0f',
  ])('typed as the number %j', (typed) => {
    expect(isFound('phone:+491701234567', typed)).toBe(true);
    expect(isFound('phone:+491701234568', typed)).toBe(false);
  });
});
