import { expect, test } from '@jest/globals';
import { isAdmitted } from '../../../services/identity/accounts/registration-policy.ts';

const domains = ['acme.example', 'xn--bcher-kva.example'];

test.each([
  ['open', 'ada@other.example', true],
  ['invitation', 'ada@acme.example', false],
  ['domains', 'ada@acme.example', true],
  ['domains', 'ada@xn--bcher-kva.example', true],
  ['domains', 'ada@other.example', false],
  ['domains', 'ada@sub.acme.example', false],
  ['domains', 'ada@notacme.example', false],
  ['domains', 'ada@acme.example.other.example', false],
  ['domains', 'acme.example@other.example', false],
] as const)('the mode %s, %s: %s', (mode, email, isAllowed) => {
  expect(isAdmitted({ mode, domains }, email)).toBe(isAllowed);
});

test('without domains, the mode domains admits no address', () => {
  expect(isAdmitted({ mode: 'domains', domains: [] }, 'ada@acme.example')).toBe(false);
});
