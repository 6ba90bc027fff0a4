import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { newId } from '../../../lib/data/ids.ts';
import { type Contact, contactTypes } from '../../../models/identity/user.ts';
import {
  addContact,
  type ContactChange,
  changeContact,
  contactValue,
  maxContacts,
  removeContact,
} from '../../../services/identity/contact-rules.ts';

const loginEmail = 'login@example.com';
const at = new Date('2030-01-01T00:00:00.000Z');
const later = new Date('2030-01-02T00:00:00.000Z');

function contact(fields: Partial<Contact> = {}): Contact {
  const times = { createdAt: at, updatedAt: at };
  return {
    contactId: newId('con'),
    type: 'email',
    value: loginEmail,
    isPrimary: false,
    verifiedAt: at,
    ...times,
    ...fields,
  };
}

const login = () => contact({ isPrimary: true });

type Step =
  | { do: 'add'; type: Contact['type']; value: string; isPrimary: boolean }
  | { do: 'change'; place: number; change: ContactChange }
  | { do: 'remove'; place: number };

const values: Record<Contact['type'], string[]> = {
  email: ['a@example.com', 'A@Example.com', 'b@example.com', loginEmail, 'none'],
  phone: ['+49301234567', '+49 30 1234567', '+12025550123', 'none'],
  chatapp: ['ada', 'bob'],
  photoapp: ['ada', 'bob'],
  socialapp: ['ada', ''],
  microblog: ['ada'],
};
const anyValue = fc.constantFrom(...Object.values(values).flat());
const place = fc.nat(9);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('add' as const),
    type: fc.constantFrom(...contactTypes),
    value: anyValue,
    isPrimary: fc.boolean(),
  }),
  fc.record({
    do: fc.constant('change' as const),
    place,
    change: fc.record({ value: anyValue, isPrimary: fc.boolean() }, { requiredKeys: [] }),
  }),
  fc.record({ do: fc.constant('remove' as const), place }),
);

function take(contacts: Contact[], step: Step): Contact[] {
  try {
    if (step.do === 'add') {
      const { type, isPrimary } = step;
      return addContact(
        contacts,
        contact({ type, value: contactValue(type, step.value), isPrimary, verifiedAt: null }),
      );
    }
    const contactId = contacts[step.place]?.contactId ?? 'con_none';
    if (step.do === 'remove') return removeContact(contacts, contactId, { loginEmail, at: later });
    return changeContact(contacts, contactId, step.change, { loginEmail, at: later });
  } catch (error) {
    expect((error as { type?: string }).type).toMatch(/^(NOT_FOUND|CONTACT_\w+|LIMIT_REACHED|INPUT_INVALID)$/);
    return contacts;
  }
}

function primaries(contacts: Contact[]): Map<Contact['type'], number> {
  const counts = new Map<Contact['type'], number>();
  for (const { type, isPrimary } of contacts) counts.set(type, (counts.get(type) ?? 0) + Number(isPrimary));
  return counts;
}

describe('the contacts of a user', () => {
  test('have exactly one primary of each type there is, no value twice, and always the login, whatever is done', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let contacts = [login()];
        for (const one of steps) {
          const before = structuredClone(contacts);
          const after = take(contacts, one);
          expect(contacts).toEqual(before);
          contacts = after;
          expect([...primaries(contacts).values()].every((count) => count === 1)).toBe(true);
          expect(new Set(contacts.map(({ type, value }) => `${type} ${value}`)).size).toBe(contacts.length);
          expect(contacts.filter(({ type, value }) => type === 'email' && value === loginEmail)).toHaveLength(1);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('lose the verification with the value, and with nothing else', () => {
    const own = contact({ type: 'phone', value: '+12025550123', isPrimary: true });
    const same = changeContact(
      [own],
      own.contactId,
      { value: '+1 202 555 0123', isPrimary: true },
      { loginEmail, at: later },
    );
    expect(same).toEqual([own]);
    const [changed] = changeContact([own], own.contactId, { value: '+12025550124' }, { loginEmail, at: later });
    expect(changed).toEqual({ ...own, value: '+12025550124', verifiedAt: null, updatedAt: later });
  });

  test('make the oldest left primary when the primary goes', () => {
    const [first, second, third] = ['1', '2', '3'].map((place) =>
      contact({ contactId: `con_${place}`, type: 'chatapp', value: place, isPrimary: place === '3' }),
    );
    const left = removeContact([second!, first!, third!], 'con_3', { loginEmail, at: later });
    expect(left).toEqual([second, { ...first, isPrimary: true, updatedAt: later }]);
  });

  test(`are at most ${maxContacts}`, () => {
    let contacts = [login()];
    for (let count = 1; count < maxContacts; count += 1) {
      contacts = addContact(contacts, contact({ type: 'chatapp', value: `${count}` }));
    }
    expect(() => addContact(contacts, contact({ type: 'chatapp', value: 'one more' }))).toThrow(
      expect.objectContaining({ type: 'LIMIT_REACHED' }),
    );
  });
});

describe('the value of a contact', () => {
  test.each<[Contact['type'], string, string]>([
    ['email', ' Ada@Example.COM ', 'ada@example.com'],
    ['email', 'ada+shop@mail.example.co.uk', 'ada+shop@mail.example.co.uk'],
    ['email', 'jose\u0301@example.com', 'jos\u00e9@example.com'],
    ['email', 'ada\u200b@example.com', 'ada@example.com'],
    ['email', 'Ada@B\u00fccher.example.', 'ada@xn--bcher-kva.example'],
    ['phone', '+49 (30) 123-4567', '+49301234567'],
    ['phone', '\u202a+49 30\u20111234567\u202c', '+49301234567'],
    ['phone', 'tel:\uff0b49-30-1234567', '+49301234567'],
    ['phone', ' +1 202 555 0123', '+12025550123'],
    ['chatapp', ' Ada Lovelace ', 'Ada Lovelace'],
    ['microblog', '@ada@social.example', '@ada@social.example'],
    ['photoapp', 'x'.repeat(100), 'x'.repeat(100)],
  ])('of type %s %j is stored as %j', (type, typed, stored) => {
    expect(contactValue(type, typed)).toBe(stored);
    expect(contactValue(type, stored)).toBe(stored);
  });

  test.each<[Contact['type'], string]>([
    ['email', ''],
    ['email', 'ada'],
    ['email', 'ada@example'],
    ['email', '@example.com'],
    ['email', 'ada@@example.com'],
    ['email', '.ada@example.com'],
    ['email', 'ada.@example.com'],
    ['email', 'a..da@example.com'],
    ['email', 'ada@example.com, bob@example.com'],
    ['email', 'ada@example.com\nbcc: bob@example.com'],
    ['email', 'Ada <ada@example.com>'],
    ['email', `${'a'.repeat(65)}@example.com`],
    ['email', `ada@${'a.'.repeat(130)}com`],
    ['phone', ''],
    ['phone', '12'],
    ['phone', 'call me: +49301234567'],
    ['phone', '+49301234567 ext. 5'],
    ['phone', `+49${'1'.repeat(40)}`],
    ['chatapp', ''],
    ['chatapp', ' '],
    ['chatapp', 'x'.repeat(101)],
    ['socialapp', 'a\u0000b'],
    ['socialapp', 'a\u202eb'],
    ['socialapp', 'a\nb'],
    ['socialapp', 'a\ud800'],
  ])('of type %s refuses %j', (type, typed) => {
    expect(() => contactValue(type, typed)).toThrow(
      expect.objectContaining({
        type: 'INPUT_INVALID',
        data: { details: [expect.objectContaining({ path: 'body.value' })] },
      }),
    );
  });
});
