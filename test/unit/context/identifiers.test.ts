import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  customerIdOf,
  identifierKey,
  identifiersOf,
  lookupIdentifiers,
  normalizeEmail,
  normalizeId,
  normalizePhone,
  parseIdentifierKey,
} from '../../../services/context/story/identifiers.ts';

const keysOf = (actor: unknown, payload: unknown, country?: string) =>
  identifiersOf({ actor, payload } as Parameters<typeof identifiersOf>[0], country).map(identifierKey);

const unfilled = {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template that was not filled.
  ids: ['${userId}', 'cus_${id}'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the same.
  email: '${user}@example.com',
};

/** The normal form, and that of earlier versions. */
const emailKeys = ['email:ada@xn--bcher-kva.example', 'email:ada@bücher.example'];

const system = { type: 'system', id: 'erp' };

describe('the customer an event is about', () => {
  test.each([
    ['a customer acts', { type: 'customer', id: 'c1' }, {}, ['id:c1']],
    ['a contact acts', { type: 'contact', id: 'c1' }, {}, ['id:c1']],
    ['a visitor acts', { type: 'visitor', id: 'v1' }, {}, ['id:v1']],
    ['a user acts, in capitals', { type: ' User ', id: ' u1 ' }, {}, ['id:u1']],
    ['the actor wins over the payload', { type: 'customer', id: 'c1' }, { customerId: 'c2' }, ['id:c1']],
    ['a system acts for a customer', system, { customerId: 'c2' }, ['id:c2']],
    ['a system acts for a nested customer', system, { customer: { id: 'c3' } }, ['id:c3']],
    ['the flat id wins over the nested one', system, { customerId: 'c2', customer: { id: 'c3' } }, ['id:c2']],
    ['a numeric id', system, { customerId: 42 }, ['id:42']],
    ['an unfilled template gives way', { type: 'visitor', id: '{{customer.id}}' }, { customerId: 'c2' }, ['id:c2']],
    [
      'strangers behind placeholders are nobody',
      { type: 'customer', id: '<nil>' },
      {
        customerId: '(null)',
        customer: { id: '%s', email: 'undefined' },
        email: 'noreply@shop.test',
        phone: '{{phone}}',
      },
      [],
    ],
    ['an anonymous actor gives way', { type: 'visitor', id: 'anonymous' }, { customerId: 'c2' }, ['id:c2']],
    ['nobody', system, { orderId: 'A-1' }, []],
    ['the id of the payload itself is not a customer', system, { id: 'A-1' }, []],
    ['inherited properties are nobody', system, JSON.parse('{"__proto__":{"customerId":"c2"}}'), []],
    ['no actor, no payload', null, null, []],
    [
      'emails and phones of both places',
      { type: 'customer', id: 'c1' },
      {
        email: ' Ada@Example.com ',
        phone: '+44 20 7946 0958',
        customer: { email: 'ada@work.test', phone: '+1 202 555 0143' },
      },
      ['id:c1', 'email:ada@example.com', 'email:ada@work.test', 'phone:+442079460958', 'phone:+12025550143'],
    ],
    ['the same twice', system, { email: 'a@b.co', customer: { email: 'A@B.CO' } }, ['email:a@b.co']],
    [
      'an address in two spellings',
      system,
      { email: 'ADA@bücher.example', customer: { email: 'ada@xn--bcher-kva.example' } },
      emailKeys,
    ],
    ['lists of addresses are recipients', system, { email: ['a@b.co', 'c@d.co'] }, []],
  ])('%s', (_, actor, payload, keys) => {
    expect(keysOf(actor, payload)).toEqual(keys);
  });

  test('its id alone', () => {
    expect(customerIdOf({ actor: system, payload: { customer: { id: 'c3' } } })).toBe('c3');
  });
});

test.each([
  '',
  ' ',
  'null',
  'NULL',
  'undefined',
  'anonymous',
  'guest',
  'unknown',
  '0',
  '000',
  '-1',
  '-',
  '---',
  'n/a',
  '00000000-0000-0000-0000-000000000000',
  '[object Object]',
  ...['{{customer.id}}', 'user-{{ id }}', '{{', ...unfilled.ids, '#{id}', '@{id}', '<%= user.id %>', '{% id %}'],
  ...[
    '*|EMAIL|*',
    '%%id%%',
    '@@id@@',
    '[[id]]',
    '{id}',
    '{0}',
    '{}',
    '{customer_id}',
    '<nil>',
    '<user id>',
    '[user id]',
  ],
  ...['%s', 'user-%s', '%d', '%1$s', '%(id)s', '%!d(MISSING)', '%!s(<nil>)', '%USER_ID%', '$userId', '$USER_ID', ':id'],
  ...['(null)', '(not set)', '(none)', '"null"', "'undefined'", 'undefined undefined', 'null-null', 'user_undefined'],
  ...[
    'customer:null',
    'no id',
    'No user',
    'not provided',
    'NOT_SET',
    'guest user',
    'Anonymous User',
    'unknown-customer',
  ],
  ...['customerId', 'YOUR_USER_ID', '#N/A', '0.0', '???', '""', '()', 'DBNull', 'NaN', 'None', '-1'],
  'a\u0000b',
  'x'.repeat(257),
  '\ud800',
  null,
  undefined,
  1.5,
  {},
  [],
  true,
])('%j is no id', (value) => {
  expect(normalizeId(value)).toBeUndefined();
});

test.each([
  ...[
    'c1',
    'C1',
    '10',
    '00001',
    'ada@example.com',
    '__proto__',
    '客户-7',
    '-12',
    'guest-81',
    'user',
    'customer',
    'nonesuch',
  ],
  ...[
    '{3F2504E0-4F89-11D3-9A0C-0305E82C3301}',
    'user%40example.com',
    'a%20b',
    '$device:18c3',
    '$RCAnonymousID:87c6',
    '50%',
  ],
  ...[
    'null-island',
    'ada.unknown',
    'auth0|5f7c',
    'urn:user:81',
    'Undefinedov',
    '@ada',
    'ada<3',
    'Nilsson',
    'id-7',
    'no-7',
  ],
])('%s is an id, as it is', (value) => {
  expect(normalizeId(value)).toBe(value);
});

test.each([
  ['ADA@Example.COM', 'ada@example.com'],
  ["o'brien+shop@mail.example.co.uk", "o'brien+shop@mail.example.co.uk"],
  ['josé@bücher.example', 'josé@xn--bcher-kva.example'],
  ['jose\u0301@XN--BCHER-KVA.example.', 'josé@xn--bcher-kva.example'],
  ['\u200eada@exam\u00adple.com', 'ada@example.com'],
  ['ivan@xn--80ak6aa92e.xn--p1ai', 'ivan@xn--80ak6aa92e.xn--p1ai'],
  ['a&b@example.com', 'a&b@example.com'],
  ['noreen.plyler@example.com', 'noreen.plyler@example.com'],
  ['ana.noreplyuk@example.com', 'ana.noreplyuk@example.com'],
  ['user@example.com', 'user@example.com'],
  ['info@example.com', 'info@example.com'],
])('%s is the email %s', (value, email) => {
  expect(normalizeEmail(value)).toBe(email);
});

test.each([
  '',
  'ada',
  'ada@',
  '@example.com',
  'ada@localhost',
  'a b@example.com',
  'a@b@c.co',
  'a@-b.co',
  'a..b@c.co',
  '.a@c.co',
  'a@b..co',
  'a@b.co, c@d.co',
  '<a@b.co>',
  'null@example.com',
  ...[
    'noreply@shop.test',
    'No-Reply@shop.test',
    'no_reply@shop.test',
    'noreply+17@shop.test',
    'orders-noreply@shop.test',
  ],
  ...['do-not-reply@shop.test', 'donotreply@shop.test', 'no-reply-orders@shop.test', 'mailer-daemon@shop.test'],
  ...[
    'noemail@shop.test',
    'no-email@shop.test',
    'nobody@shop.test',
    'not.provided@shop.test',
    'unknown.user@shop.test',
  ],
  ...[unfilled.email, '%s@example.com', '{{user}}@example.com', '{email}@example.com', 'user+%s@example.com'],
  `${'x'.repeat(250)}@b.co`,
  'a\n@b.co',
  7,
  null,
])('%j is no email', (value) => {
  expect(normalizeEmail(value)).toBeUndefined();
});

test.each([
  ['+1 (202) 555-0143', undefined, '+12025550143'],
  ['tel:+442079460958', undefined, '+442079460958'],
  ['\u202a\uff0b44 20 7946 0958\u202c', undefined, '+442079460958'],
  ['tel:020-7946-0958\ufe0f', 'GB', '+442079460958'],
  ['020 7946 0958', 'GB', '+442079460958'],
  ['020 7946 0958', 'gb', '+442079460958'],
  ['0044 20 7946 0958', 'GB', '+442079460958'],
  [2079460958, 'GB', '+442079460958'],
  ['+1 202 555 0143', 'ZZ', '+12025550143'],
])('%j in %s is the phone %s', (value, country, phone) => {
  expect(normalizePhone(value, country)).toBe(phone);
});

test.each([
  ['020 7946 0958', undefined],
  ['020 7946 0958', 'ZZ'],
  ['123', 'GB'],
  ['+442079460958 ext 5', undefined],
  ['call 020 7946 0958', 'GB'],
  ['0000000000', 'US'],
  ['+1 111 111 1111', undefined],
  ['123-456-7890', 'US'],
  ['+1 234 567 8901', undefined],
  ['+1 987 654 3210', undefined],
  ['+49 0123456789', undefined],
  ['+'.padEnd(100, '1'), undefined],
  ['none', 'GB'],
  [null, 'GB'],
])('%j in %s is no phone', (value, country) => {
  expect(normalizePhone(value, country)).toBeUndefined();
});

test.each([
  ['c1', undefined, ['id:c1']],
  ['Ada@Example.com', undefined, ['id:Ada@Example.com', 'email:ada@example.com']],
  ['Ada@bücher.example', undefined, ['id:Ada@bücher.example', ...emailKeys]],
  ['ada@xn--bcher-kva.example.', undefined, ['id:ada@xn--bcher-kva.example.', ...emailKeys]],
  ['+442079460958', undefined, ['id:+442079460958', 'phone:+442079460958']],
  [' 442079460958', undefined, ['id:442079460958', 'phone:+442079460958']],
  ['020 7946 0958', 'GB', ['id:020 7946 0958', 'phone:+442079460958']],
  ['{{customer.id}}', undefined, ['id:{{customer.id}}']],
  ['noreply@shop.test', undefined, ['id:noreply@shop.test']],
  ['', 'GB', []],
  ['  ', 'GB', []],
])('the lookup %j in %s could mean %j', (query, country, keys) => {
  expect(lookupIdentifiers(query, country).map(identifierKey)).toEqual(keys);
});

test.each(['id:a:b', 'id:__proto__', 'email:ada@example.com', 'phone:+442079460958'])(
  'the key %s reads back',
  (key) => {
    const identifier = parseIdentifierKey(key);
    expect(identifier && identifierKey(identifier)).toBe(key);
  },
);

test.each(['', 'id:', 'name:ada', 'phone:0207', 'constructor:x', 'ID:x'])('%j is no key', (key) => {
  expect(parseIdentifierKey(key)).toBeUndefined();
});

test('any event gives at most seven identifiers, each once, each readable from its key, and the same when asked again', () => {
  const value = fc.oneof(fc.jsonValue(), fc.emailAddress(), fc.string());
  const part = fc.dictionary(fc.constantFrom('email', 'phone', 'customerId', 'id', '__proto__', 'constructor'), value);
  const payload = fc.tuple(part, fc.oneof(part, value)).map(([outer, customer]) => ({ ...outer, customer }));
  const actor = fc.record({ type: fc.constantFrom('customer', 'system'), id: fc.string() });
  fc.assert(
    fc.property(actor, payload, (anyActor, anyPayload) => {
      const keys = keysOf(anyActor, anyPayload, 'DE');
      expect(keys.length).toBeLessThanOrEqual(7);
      expect(new Set(keys).size).toBe(keys.length);
      expect(keys.map(parseIdentifierKey).map((identifier) => identifierKey(identifier!))).toEqual(keys);
      expect(keysOf(anyActor, anyPayload, 'DE')).toEqual(keys);
    }),
  );
});

test('an email or phone that was normalised is looked up as itself', () => {
  fc.assert(
    fc.property(fc.emailAddress(), (address) => {
      const email = normalizeEmail(address);
      fc.pre(email !== undefined);
      expect(lookupIdentifiers(address)).toContainEqual({ type: 'email', value: email });
      expect(normalizeEmail(email)).toBe(email);
    }),
  );
});
