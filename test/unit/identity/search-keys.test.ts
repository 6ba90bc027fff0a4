import { describe, expect, test } from '@jest/globals';
import { now } from '../../../lib/data/clock.ts';
import type { Contact } from '../../../models/identity/user.ts';
import { newUser } from '../../../services/identity/accounts/new-user.ts';
import { isShownBy } from '../../../services/identity/directory/read-directory.ts';
import {
  isFoundBy,
  type SearchedUser,
  searchKeysOf,
  searchTermOf,
} from '../../../services/identity/directory/search-keys.ts';
import { shortened } from '../../../services/identity/user-contacts.ts';

const contact = (type: Contact['type'], value: string, isVerified: boolean): Contact => ({
  contactId: value,
  type,
  value,
  isPrimary: false,
  verifiedAt: isVerified ? now() : null,
  createdAt: now(),
  updatedAt: now(),
});

const made = newUser({
  email: 'hanna.brandt@example.com',
  passwordHash: '',
  profile: { displayName: 'Hanna-Zoë Brandt', firstName: 'Johanna', lastName: 'Brandt', preferredName: 'Hanni' },
});
const hanna: SearchedUser = {
  ...made,
  contacts: [
    ...made.contacts,
    contact('phone', '+494315550142', false),
    contact('email', 'einkauf@example.com', true),
    contact('email', 'claimed@example.com', false),
    contact('chatapp', '@morgenrot', true),
  ],
};

const isFound = (search: string): boolean => {
  const term = searchTermOf(search);
  return searchKeysOf(hanna).some((key) => isFoundBy(term, key));
};

describe('a user', () => {
  test.each([
    'hanna',
    'HANNA-ZOE b',
    'zoë',
    'brandt',
    'johanna',
    'Johanna Brandt',
    'Brandt Joh',
    'hanni',
    'hanna.b',
    'hanna.brandt@exa',
    'hanna.brandt@example.com',
    ' Hanna.Brandt@EXAMPLE.com ',
    'einkauf@example.com',
    '+49 431 555-0142',
    'tel:+494315550142',
  ])('is found by %j', (search) => expect(isFound(search)).toBe(true));

  test.each([
    'anna',
    'randt',
    'brandt hanna',
    'einkauf',
    'einkauf@exam',
    'claimed@example.com',
    '+49431555',
    '@morgenrot',
    '.*',
    'usr_',
  ])('is not found by %j', (search) => expect(isFound(search)).toBe(false));

  test('has no key that another of theirs begins with', () => {
    const keys = searchKeysOf(hanna).filter((key) => !key.startsWith('\u0001'));
    expect(keys).toEqual([
      'brandt johanna',
      'hanna-zoe brandt',
      'hanna.brandt@example.com',
      'hanni',
      'johanna brandt',
      'zoe brandt',
    ]);
  });

  test('is shown once for all keys that a search finds, and not for a key of before', () => {
    const term = searchTermOf('h');
    const found = searchKeysOf(hanna).filter((key) => isFoundBy(term, key));
    expect(found.length).toBeGreaterThan(2);
    expect(found.filter((key) => isShownBy(term, key, hanna))).toHaveLength(1);
    expect(isShownBy(term, 'hubert', hanna)).toBe(false);
  });
});

test.each<[Contact['type'], string, string]>([
  ['email', 'einkauf@example.com', 'e…@example.com'],
  ['phone', '+494315550142', '+49…42'],
  ['chatapp', '@morgenrot', '@m…'],
  ['microblog', '😀smile', '😀…'],
])('a contact of type %s is shortened', (type, value, text) => expect(shortened({ type, value })).toBe(text));
