import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { emptyState } from '../../../services/context/story/state.ts';
import { foldEvent } from '../../../services/context/story/story.ts';
import {
  entities,
  type Family,
  meanings,
  tellingEntities,
  updates,
} from '../../../services/context/story/vocabulary/events.ts';
import { billingFields, fieldNames, wrappers } from '../../../services/context/story/vocabulary/fields.ts';
import { eventName, familyTitles } from '../../../services/context/story/vocabulary/guide.ts';
import { ranks } from '../../../services/context/story/vocabulary/ranks.ts';
import { event } from './histories.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const page = readFileSync(join(root, 'docs/events.md'), 'utf8');
const families = Object.keys(meanings) as Family[];

const sectionOf = (heading: string) => page.split(/^#{2,3} /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
const quoted = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word!);
/** The first column of a section's tables, its texts in code. */
const rowsOf = (heading: string) =>
  [...sectionOf(heading).matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell]) => quoted(cell!));
/** What stands between two phrases of a section. */
const between = (text: string, from: string, to: string) => text.split(from)[1]?.split(to)[0] ?? '';

const wordsOf = (family: Family) => Object.values<readonly string[]>(meanings[family]);
const documentedNames = families.flatMap((family) => rowsOf(familyTitles[family]).flat());

const isUnknown = (eventName: string) =>
  foldEvent(emptyState(), event('2026-03-01T00:00:00Z', eventName, { amount: 5, currency: 'EUR' })).others.entries
    .length > 0;

describe('docs/events.md', () => {
  test.each(families)('lists the names of %s that are understood, and no others', (family) => {
    const understood = wordsOf(family).map((words) => words.map((word) => eventName(family, word)));
    expect(rowsOf(familyTitles[family])).toEqual(understood);
  });

  test.each(families)('lists the words that stand for %s, and where its fields may be', (family) => {
    const [introduction = ''] = sectionOf(familyTitles[family]).split('\n| ');
    const aliases = entities[family].slice(1).filter((entity) => !tellingEntities.includes(entity));
    expect(quoted(between(introduction, 'can also be', '.'))).toEqual(aliases);
    expect(quoted(between(introduction, '`data.object` or in', '.'))).toEqual(wrappers[family]);
  });

  test.each(documentedNames)('%s is understood', (eventName) => {
    expect(isUnknown(eventName)).toBe(false);
  });

  test('a name that it does not list is not understood', () => {
    const words = new Set(families.flatMap((family) => wordsOf(family).flat()));
    const documented = new Set(documentedNames);
    const others = families.flatMap((family) => [...words].map((word) => eventName(family, word)));
    const undocumented = others.filter(
      (name) => !documented.has(name) && tellingEntities.every((one) => !name.startsWith(one)),
    );
    expect(undocumented.length).toBeGreaterThan(100);
    const family = new RegExp(`\\.(?:${Object.keys(entities).join('|')})_`);
    expect(undocumented.filter((name) => !family.test(name) && !isUnknown(name))).toEqual([]);
  });

  test('lists the words for an update', () => {
    expect(quoted(between(sectionOf('Names'), 'An update (', ')'))).toEqual(updates);
  });

  test('lists the order of the events of one instant', () => {
    const rows = sectionOf('Events of one instant').match(/^\| \d.*$/gm) ?? [];
    const documented = rows.map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
    const columns = Object.entries(ranks) as [keyof typeof ranks, Record<string, number>][];
    const cellOf = ([family, ranked]: (typeof columns)[number], rank: number) =>
      Object.keys(ranked)
        .filter((meaning) => ranked[meaning] === rank)
        .map((meaning) => (meanings[family] as Record<string, readonly string[]>)[meaning]?.[0] ?? meaning)
        .map((word) => `\`${eventName(family, word)}\``)
        .join(', ');
    const expected = documented.map((_row, rank) => [String(rank), ...columns.map((column) => cellOf(column, rank))]);
    expect(documented).toEqual(expected);
    expect(documented.length).toBe(1 + Math.max(...columns.flatMap(([, ranked]) => Object.values(ranked))));
  });

  test('lists the fields that are read, and no others', () => {
    const lists = Object.values<readonly string[]>(fieldNames).map((names) => names.join());
    const [first = ''] = sectionOf('Fields').split('**An instant**');
    const documented = [...first.matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell]) => quoted(cell!).join());
    expect(documented.sort()).toEqual(lists.sort());
  });

  test('lists what is read of a Stripe object, and nothing else', () => {
    expect(rowsOf("Stripe's events")).toEqual(Object.values(billingFields));
  });
});

test('the fold reads no field of an entity whose name is not in the vocabulary', () => {
  const folder = join(root, 'services/context/story');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const readers = files.filter((name) => !name.startsWith('vocabulary/'));
  expect(readers.length).toBeGreaterThan(20);
  const literalList =
    /(?:firstText|firstId|firstInstant|firstArray|hasTrue)\((?:[^;()]|\([^()]*\))*?,\s*\[\s*'|spellings\('/;
  expect(readers.filter((name) => literalList.test(readFileSync(join(folder, name), 'utf8')))).toEqual([]);
});
