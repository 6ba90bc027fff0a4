import { normalizeEmail } from '../identifiers.ts';
import { meaningOf, type Occurrence, vocabulary } from '../occurrence.ts';
import { field, firstText, type Source, sourcesFor, spellings } from '../payload.ts';
import { lengths, type PersonFacts, type StoryState } from '../state.ts';
import { capitalize, cleanText, humanize } from '../text.ts';

const meanings = vocabulary({
  registered: [
    'registered',
    'signed_up',
    'signup',
    'sign_up',
    'created',
    'registration_completed',
    'account_created',
    'activated',
  ],
  updated: [
    'profile_updated',
    'identified',
    'identify',
    'verified',
    'email_verified',
    'email_changed',
    'phone_verified',
  ],
  logged_in: ['logged_in', 'login', 'signed_in', 'session_started', 'login_succeeded'],
  closed: ['deleted', 'deactivated', 'closed', 'account_closed', 'account_deleted', 'unregistered'],
});

const fullNames = spellings('name', 'fullName', 'displayName');
const personEntities = ['customer', 'user', 'contact', 'profile', 'traits', 'account'];

/** A template that lacked a value for a part of the name. */
const brokenName = /(^|\s)(null|undefined|NaN|\[object)(\s|$)/;

/** `user.*`, `customer.*`, `contact.*`, `account.*`: who the person is, and that they came by. */
export function reducePerson(state: StoryState, occurrence: Occurrence): StoryState | undefined {
  const sources = sourcesFor(occurrence.payload, ...personEntities);
  const meaning = meaningOf(occurrence, meanings, sources);
  if (!meaning) return undefined;
  const learned = learnFromProfile(state.person, sources);
  return { ...state, person: applyMeaning(learned, meaning, occurrence.at) };
}

/** What an event of any family says about its customer in passing: never against their own profile. */
export function learnInPassing(person: PersonFacts, payload: Source): PersonFacts {
  const customer = sourcesFor(field(payload, 'customer'));
  const stated = nameFrom(customer) || cleanName(firstText([payload], spellings('customerName'), lengths.name));
  const email = emailFrom([...customer, payload], spellings('email', 'customerEmail'));
  const name = person.nameFromProfile ? person.name : stated || person.name;
  return { ...person, name, email: person.email || email };
}

function applyMeaning(person: PersonFacts, meaning: string, at: string): PersonFacts {
  if (meaning === 'registered') return { ...person, registeredAt: person.registeredAt ?? at, closedAt: null };
  if (meaning === 'logged_in') return { ...person, loginCount: person.loginCount + 1, lastLoginAt: at, closedAt: null };
  if (meaning === 'closed') return { ...person, closedAt: at };
  return { ...person, updateCount: person.updateCount + 1 };
}

function learnFromProfile(person: PersonFacts, sources: Source[]): PersonFacts {
  const name = nameFrom(sources);
  const plan = capitalize(humanize(firstText(sources, spellings('plan', 'planName', 'tier'), lengths.plan)));
  return {
    ...person,
    name: name || person.name,
    nameFromProfile: person.nameFromProfile || name !== '',
    email: emailFrom(sources, ['email']) || person.email,
    company: firstText(sources, spellings('company', 'companyName', 'organization'), lengths.company) || person.company,
    plan: plan || person.plan,
  };
}

function nameFrom(sources: Source[]): string {
  const full = cleanName(firstText(sources, fullNames, lengths.name));
  if (full) return full;
  const given = firstText(sources, spellings('firstName', 'givenName'), lengths.name);
  const family = firstText(sources, spellings('lastName', 'familyName'), lengths.name);
  return cleanName(cleanText(`${given} ${family}`, lengths.name));
}

function cleanName(name: string): string {
  return brokenName.test(name) || name.toLowerCase() === 'anonymous' ? '' : name;
}

function emailFrom(sources: Source[], names: string[]): string {
  for (const source of sources) {
    for (const name of names) {
      const email = normalizeEmail(field(source, name));
      if (email) return cleanText(email, lengths.email);
    }
  }
  return '';
}
