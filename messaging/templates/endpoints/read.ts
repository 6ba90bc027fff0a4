import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../../lib/contract/examples.ts';
import { decodeCursor, pageOf, pageQuery, timestamp, toPage } from '../../../lib/contract/input.ts';
import { integerIn } from '../../../lib/contract/json-schema.ts';
import { categories, variableOutput } from '../content.ts';
import type { TemplateVersionDocument } from '../documents.ts';
import { exampleTemplate, schemaNameOf, schemasOf, type TemplateKind, toTemplateResponse } from '../kind.ts';
import { findTemplate, findVersion } from '../versions.ts';
import { localesOf, localesOutput } from './list.ts';

/** A version number in a query string. */
const versionQuery = z
  .string()
  .regex(/^[1-9]\d{0,6}$/, 'Must be a version number.')
  .meta(integerIn(1, 9_999_999))
  .transform(Number)
  .describe('The number of the version; by default the latest one.');

/** GET of one template with its latest version, or with the one given by `version`. */
export function readTemplate(kind: TemplateKind) {
  const { output, path } = schemasOf(kind);
  return defineAction({
    rest: `GET ${kind.path}/:templateId`,
    summary: `Read a ${kind.service} template`,
    description:
      'Returns a template with the content of its latest version, or of the one that `version` names. A deleted ' +
      'template is `NOT_FOUND`.',
    permission: kind.permissions.read,
    tenant: 'required',
    input: { path, query: z.strictObject({ version: versionQuery.optional() }) },
    output,
    errors: ['NOT_FOUND'],
    example: { path: { templateId: exampleId('tpl', kind.service) }, query: {}, output: exampleTemplate(kind) },
    async handler({ path: { templateId }, query: { version }, caller: { orgId } }) {
      const template = await findTemplate(kind, orgId, templateId);
      return toTemplateResponse(template, await findVersion(kind, template, version));
    },
  });
}

const versionEntry = z
  .strictObject({
    version: z.int().describe('The number of the version, from 1.'),
    category: z.enum(categories),
    subject: z
      .string()
      .nullable()
      .describe('The subject of the default content, as its author wrote it; null if none.'),
    locales: localesOutput,
    createdAt: timestamp,
  })
  .meta({ id: 'TemplateVersionSummary' });

/** GET of the versions of a template, the newest first, without their content. */
export function listVersions(kind: TemplateKind) {
  const { path } = schemasOf(kind);
  const { version, category, subject = null } = exampleTemplate(kind);
  const shown = { version, category, subject, locales: ['de'], createdAt: exampleInstant };
  return defineAction({
    rest: `GET ${kind.path}/:templateId/versions`,
    summary: `List the versions of a ${kind.service} template`,
    description:
      'Returns the versions of a template, the newest first, without their content: read one with `version`, or ' +
      'publish it to return to it.',
    permission: kind.permissions.read,
    tenant: 'required',
    input: { path, query: z.strictObject(pageQuery) },
    output: pageOf(versionEntry),
    errors: ['NOT_FOUND', 'CURSOR_INVALID'],
    example: {
      path: { templateId: exampleId('tpl', kind.service) },
      query: { limit: '20' },
      output: { data: [shown], nextCursor: null },
    },
    async handler({ path: { templateId }, query: { limit, cursor }, caller: { orgId } }) {
      const { _id } = await findTemplate(kind, orgId, templateId);
      const [before] = decodeCursor(cursor, 1) ?? [];
      if (before !== undefined && !/^\d{1,7}$/.test(before)) throw apiError('CURSOR_INVALID');
      const older = before === undefined ? {} : { version: { $lt: Number(before) } };
      const versions = await kind.versions
        .find({ orgId, templateId: _id, ...older }, summaryFields)
        .sort({ version: -1 })
        .limit(limit + 1)
        .lean<TemplateVersionDocument[]>();
      return toPage(versions, limit, (last) => [String(last.version)], toVersionEntry);
    },
  });
}

/** The compiled contents are not read. */
const summaryFields = {
  version: 1,
  category: 1,
  'contents.locale': 1,
  'contents.source.subject': 1,
  createdAt: 1,
} as const;

function toVersionEntry(document: TemplateVersionDocument): z.output<typeof versionEntry> {
  const { version, category, contents, createdAt } = document;
  const own = contents.find(({ locale }) => locale === '');
  const subject = own?.source?.subject ?? null;
  return { version, category, subject, locales: localesOf(document), createdAt: createdAt.toISOString() };
}

/** GET of the starters; pass a name as `starter` to create a template from it. */
export function listStarters(kind: TemplateKind) {
  const { content } = schemasOf(kind);
  const starter = z
    .strictObject({
      starter: z.string(),
      name: z.string().describe('The name that people see.'),
      description: z.string(),
      category: z.enum(categories),
      variables: z.array(variableOutput),
      content: content.describe('The parts of the template.'),
    })
    .meta({ id: `${schemaNameOf(kind)}Starter` });
  const { variables, ...parts } = kind.example;
  const about = { name: 'Order received', description: 'Confirms an order.', category: 'transactional' as const };
  const shown = { starter: 'receipt', ...about, variables, content: parts };
  return defineAction({
    rest: `GET ${kind.path.replace(/s$/, '')}-starters` as `GET /${string}`,
    summary: `List ready-made ${kind.service} templates`,
    description:
      'Returns templates of the platform to begin with, sorted by `starter`. Send that name to create a template ' +
      'of your own from it.',
    permission: kind.permissions.read,
    tenant: 'required',
    input: { query: z.strictObject(pageQuery) },
    output: pageOf(starter),
    errors: ['CURSOR_INVALID'],
    example: { query: { limit: '20' }, output: { data: [shown], nextCursor: null } },
    handler({ query: { limit, cursor } }) {
      const [after = ''] = decodeCursor(cursor, 1) ?? [];
      const later = Object.entries(kind.starters)
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .filter(([key]) => key > after);
      return toPage(
        later.slice(0, limit + 1),
        limit,
        ([key]) => [key],
        ([key, { name, description, category, variables: of, ...parts }]) => ({
          starter: key,
          name,
          description,
          category,
          variables: of,
          content: parts,
        }),
      );
    },
  });
}
