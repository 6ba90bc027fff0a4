import { findMoney, isZero } from '../amounts.ts';
import { bounds, lengths } from '../bounds.ts';
import { formatMoney } from '../money.ts';
import type { Occurrence } from '../occurrence.ts';
import { field, firstText, type Source, sourcesFor } from '../payload.ts';
import type { OtherEntry, StoryState } from '../state.ts';
import { cleanText, humanize, quote } from '../text.ts';
import { namesOf, wrappers } from '../vocabulary/fields.ts';

/** Words of field names, and values, that identify, locate or authorize: a story never repeats them. */
const privateWords = new Set(
  (
    'id ids uuid guid key token secret password passcode pin otp hash signature cookie session email phone mobile ip ' +
    'address street zip postcode card iban bic ssn tax birth birthday dob lat lon lng latitude longitude url uri href ' +
    'referrer text body message content agent object at date time timestamp schema currency channel direction'
  ).split(' '),
);
const privateValue = /@|:\/\/|^[\da-f-]{16,}$|^\+?[\d ()-]{7,}$|[\w-]{24,}|^\d{4}-\d\d-\d\dT/i;

const maxFieldsSearched = 20;

/** Records an event that no reducer handles: its name in plain words, when it came, and its most specific field. */
export function reduceUnknownEvent(state: StoryState, occurrence: Occurrence): StoryState {
  const name = cleanText(humanize(occurrence.eventName), lengths.eventName) || 'unnamed event';
  const { entries, forgotten } = state.others;
  const existing = entries.find((entry) => entry.name === name);
  const entry: OtherEntry = {
    name,
    count: (existing?.count ?? 0) + 1,
    lastAt: occurrence.at,
    detail: describeDetail(occurrence),
  };
  const latest = [...entries.filter((other) => other !== existing), entry];
  const dropped = latest.slice(0, Math.max(latest.length - bounds.otherNames, 0));
  const others = {
    entries: latest.slice(dropped.length),
    forgotten: forgotten + dropped.reduce((sum, { count }) => sum + count, 0),
  };
  return { ...state, others };
}

/** `“Bulk export”`, `25.00 EUR`, `score: 9`; `''` when no field is worth repeating. */
function describeDetail({ payload }: Occurrence): string {
  const sources = sourcesFor(payload, ...wrappers.other);
  const label = namesOf('label')
    .map((name) => printable(sources, name))
    .find(Boolean);
  if (label) return quote(label);
  const money = findMoney(sources, ['received', 'total', 'minorUnits']);
  if (money && money.currency !== '' && !isZero(money)) return formatMoney(money);
  const name = [...namesOf('detail'), ...namesInOrder(sources)].find((candidate) => printable(sources, candidate));
  if (name === undefined) return '';
  const value = printable(sources, name);
  return `${humanize(name)}: ${/^-?\d+(?:\.\d+)?$/.test(value) ? value : quote(value)}`;
}

/** The sender's own fields, without private ones. */
function namesInOrder(sources: Source[]): string[] {
  const names = sources.flatMap((source) => Object.keys(source).slice(0, maxFieldsSearched));
  const isPrivate = (name: string) =>
    humanize(name)
      .split(' ')
      .some((word) => privateWords.has(word));
  return names.filter((name) => /^[a-z]\w{1,23}$/i.test(name) && !isPrivate(name));
}

function printable(sources: Source[], name: string): string {
  const value = sources.map((source) => field(source, name)).find((found) => found !== undefined && found !== null);
  const text = firstText([{ [name]: value }], [name], lengths.detail);
  return privateValue.test(text) ? '' : text;
}
