import { readableEmail } from '../../../../lib/format/email-address.ts';
import { lengths } from '../bounds.ts';
import { normalizeEmail } from '../identifiers.ts';
import { meaningOf, type Occurrence } from '../occurrence.ts';
import { asSource, field, firstText, type Source, sourcesFor } from '../payload.ts';
import { isTemplate } from '../placeholders.ts';
import type { PersonFacts, StoryState } from '../state.ts';
import { cleanText } from '../text.ts';
import { namesOf, wrappers } from '../vocabulary/fields.ts';
import { planLabel, reasonFrom } from '../wording.ts';

/** A part of the name had no value. */
const brokenName = /(^|\s)(null|undefined|NaN|\[object)(\s|$)/;
const namelessWords = new Set(['anonymous', 'unknown', 'guest', 'guest user', 'anonymous user', 'unknown user']);

/** `user.*`, `customer.*`, `contact.*`, `account.*`: who the person is, and that they came by. */
export function reducePerson(state: StoryState, occurrence: Occurrence): StoryState | undefined {
  const nearest = wrappers.person.filter((name) => name !== 'account');
  const account = asSource(field(occurrence.payload, 'account'));
  const sources = [...sourcesFor(occurrence.payload, ...nearest), ...(account ? [account] : [])];
  const meaning = meaningOf(occurrence, 'person', sources);
  if (!meaning) return undefined;
  const learned = mergeProfile(state.person, sources);
  return { ...state, person: applyMeaning(learned, meaning, occurrence.at, sources) };
}

/** Merges the fields of an event of any family into its customer; their own profile takes precedence. */
export function mergePersonFields(person: PersonFacts, payload: Source): PersonFacts {
  const customer = sourcesFor(field(payload, 'customer'));
  const sources = sourcesFor(payload);
  const stated = nameFrom(customer) || cleanName(firstText(sources, namesOf('customerName'), lengths.name));
  const email = emailFrom([...customer, ...sources], namesOf('customerEmail'));
  const name = person.nameFromProfile ? person.name : stated || person.name;
  return { ...person, name, email: person.email || email };
}

function applyMeaning(person: PersonFacts, meaning: string, at: string, sources: Source[]): PersonFacts {
  const open = { ...person, closedAt: null, closingReason: '' };
  switch (meaning) {
    case 'registered':
      return { ...open, registeredAt: person.registeredAt ?? at };
    case 'logged_in':
      return { ...open, loginCount: person.loginCount + 1, lastLoginAt: at };
    case 'closed':
      return { ...person, closedAt: at, closingReason: reasonFrom(sources) };
    default:
      return { ...person, updateCount: person.updateCount + 1, lastUpdateAt: at };
  }
}

function mergeProfile(person: PersonFacts, sources: Source[]): PersonFacts {
  const name = nameFrom(sources);
  const plan = planLabel(firstText(sources, namesOf('personPlan'), lengths.plan));
  return {
    ...person,
    name: name || person.name,
    nameFromProfile: person.nameFromProfile || name !== '',
    email: emailFrom(sources, namesOf('email')) || person.email,
    company: firstText(sources, namesOf('company'), lengths.company) || person.company,
    plan: plan || person.plan,
  };
}

function nameFrom(sources: Source[]): string {
  const full = cleanName(firstText(sources, namesOf('fullName'), lengths.name));
  if (full) return full;
  const givenName = firstText(sources, namesOf('givenName'), lengths.name);
  const family = firstText(sources, namesOf('familyName'), lengths.name);
  return cleanName(cleanText(`${givenName} ${family}`, lengths.name));
}

function cleanName(name: string): string {
  const isNameless = namelessWords.has(name.toLowerCase()) || brokenName.test(name) || isTemplate(name);
  return isNameless ? '' : name;
}

function emailFrom(sources: Source[], names: string[]): string {
  for (const source of sources) {
    for (const name of names) {
      const email = normalizeEmail(field(source, name));
      if (email) return cleanText(readableEmail(email), lengths.email);
    }
  }
  return '';
}
