import type { AnyBulkWriteOperation } from 'mongodb';
import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { exampleId, exampleInstant } from '../../../lib/contract/examples.ts';
import { decodeCursor, pageOf, pageQuery, singleLine, timestamp, toPage } from '../../../lib/contract/input.ts';
import { maxBatchSize, nativeCollection } from '../../../lib/data/collection.ts';
import { prefixRange } from '../../../lib/data/prefix-range.ts';
import { searchForm } from '../../../lib/format/search-form.ts';
import { type TemplateDocument, type TemplateVersionDocument, versionId } from '../documents.ts';
import { exampleTemplate, type TemplateKind } from '../kind.ts';

export const localesOutput = z
  .array(z.string())
  .describe('The languages that it has contents for, without the default.');

const entry = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    liveVersion: z.int().nullable(),
    latestVersion: z.int(),
    locales: localesOutput.describe('The languages that the latest version has contents for, without the default.'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'TemplateSummary' });

/** GET of the templates, in order of creation, without their content; with `search` in order of names. */
export function listTemplates(kind: TemplateKind) {
  const { name, liveVersion, latestVersion } = exampleTemplate(kind);
  const id = exampleId('tpl', kind.service);
  const times = { createdAt: exampleInstant, updatedAt: exampleInstant };
  const shown = { id, name, liveVersion, latestVersion, locales: ['de'], ...times };
  return defineAction({
    rest: `GET ${kind.path}`,
    summary: `List the ${kind.service} templates`,
    description:
      `Returns the ${kind.service} templates in the order of their creation, without their content. \`search\` finds ` +
      'those whose name begins with it, in the order of names.',
    permission: kind.permissions.read,
    tenant: 'required',
    input: {
      query: z.strictObject({
        ...pageQuery,
        search: singleLine(200).optional().describe('The beginning of a name. Case and accents are ignored.'),
      }),
    },
    output: pageOf(entry),
    errors: ['CURSOR_INVALID'],
    example: { query: { limit: '20' }, output: { data: [shown], nextCursor: null } },
    async handler({ query: { limit, cursor, search }, caller: { orgId } }) {
      const found =
        search === undefined
          ? await findInOrder(kind, orgId, { cursor, limit })
          : await findNamed(kind, orgId, { prefix: searchForm(search), cursor, limit });
      const locales = await localesByTemplate(kind, orgId, found.slice(0, limit));
      const placeOf = ({ _id, nameKey }: TemplateDocument) => (search === undefined ? [_id] : [nameKey ?? '', _id]);
      return toPage(found, limit, placeOf, (template) => toEntryResponse(template, locales.get(template._id) ?? []));
    },
  });
}

type Range = { cursor: string | undefined; limit: number };

async function findInOrder({ templates }: TemplateKind, orgId: string, { cursor, limit }: Range) {
  const [after] = decodeCursor(cursor, 1) ?? [];
  const later = after === undefined ? {} : { _id: { $gt: after } };
  return await templates
    .find({ orgId, deletedAt: null, ...later })
    .sort({ _id: 1 })
    .limit(limit + 1)
    .lean<TemplateDocument[]>();
}

/** The templates whose name begins with a text in its search form. A text that has none, such as an accent, finds none. */
async function findNamed(kind: TemplateKind, orgId: string, { prefix, cursor, limit }: Range & { prefix: string }) {
  const [key, id] = decodeCursor(cursor, 2) ?? [];
  if (prefix === '') return [];
  await addNameKeys(kind, orgId);
  // The range begins the read of the index at the cursor; with `$or` alone it would begin at the first name.
  const range = prefixRange(prefix, { $gte: key !== undefined && key > prefix ? key : prefix });
  const after = key !== undefined && { $or: [{ nameKey: { $gt: key } }, { nameKey: key, _id: { $gt: id } }] };
  return await kind.templates
    .find({ orgId, nameKey: range, deletedAt: null, ...after })
    .sort({ nameKey: 1, _id: 1 })
    .limit(limit + 1)
    .lean<TemplateDocument[]>();
}

/** Adds the key to templates from before the search. There are none after the first search of an organization. */
async function addNameKeys({ templates }: TemplateKind, orgId: string): Promise<void> {
  const collection = nativeCollection<TemplateDocument>(templates);
  for (;;) {
    const withoutKey = await collection
      .find({ orgId, nameKey: null }, { projection: { name: 1 } })
      .limit(maxBatchSize)
      .toArray();
    if (withoutKey.length === 0) return;
    const updates = withoutKey.map(
      ({ _id, name }): AnyBulkWriteOperation<TemplateDocument> => ({
        // A name that was changed concurrently has its own key.
        updateOne: { filter: { orgId, _id, nameKey: null }, update: { $set: { nameKey: searchForm(name) } } },
      }),
    );
    await collection.bulkWrite(updates, { ordered: false });
  }
}

/** The languages of the latest versions, in one query. */
async function localesByTemplate(
  { versions }: TemplateKind,
  orgId: string,
  templates: readonly TemplateDocument[],
): Promise<Map<string, string[]>> {
  const latest = templates.map(({ _id, latestVersion }) => versionId(_id, latestVersion));
  const found = await versions
    .find({ orgId, _id: { $in: latest } }, { templateId: 1, 'contents.locale': 1 })
    .lean<Pick<TemplateVersionDocument, 'templateId' | 'contents'>[]>();
  return new Map(found.map((version) => [version.templateId, localesOf(version)]));
}

/** The languages of a version, without the default. */
export function localesOf({ contents }: Pick<TemplateVersionDocument, 'contents'>): string[] {
  return contents.flatMap(({ locale }) => (locale === '' ? [] : [locale]));
}

function toEntryResponse(template: TemplateDocument, locales: string[]): z.output<typeof entry> {
  const { _id: id, name, liveVersion, latestVersion, createdAt, updatedAt } = template;
  const times = { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
  return { id, name, liveVersion, latestVersion, locales, ...times };
}
