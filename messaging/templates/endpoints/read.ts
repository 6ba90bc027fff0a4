import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { exampleId, exampleInstant } from '../../../lib/contract/examples.ts';
import { decodeCursor, pageOf, pageQuery, timestamp, toPage } from '../../../lib/contract/input.ts';
import { integerIn } from '../../../lib/contract/json-schema.ts';
import { categories } from '../content.ts';
import type { TemplateDocument } from '../documents.ts';
import { exampleTemplate, schemaNameOf, schemasOf, type TemplateKind, toTemplateResponse } from '../kind.ts';
import { findTemplate, findVersion } from '../versions.ts';

const entry = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    liveVersion: z.int().nullable(),
    latestVersion: z.int(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'TemplateSummary' });

/** GET of the templates, in order of creation, without their content. */
export function listTemplates(kind: TemplateKind) {
  const { name, liveVersion, latestVersion } = exampleTemplate(kind);
  const id = exampleId('tpl', kind.service);
  const shown = { id, name, liveVersion, latestVersion, createdAt: exampleInstant, updatedAt: exampleInstant };
  return defineAction({
    rest: `GET ${kind.path}`,
    summary: `List the ${kind.service} templates`,
    permission: kind.permissions.read,
    tenant: 'required',
    input: { query: z.strictObject(pageQuery) },
    output: pageOf(entry),
    errors: ['CURSOR_INVALID'],
    example: { query: { limit: '20' }, output: { data: [shown], nextCursor: null } },
    async handler({ query: { limit, cursor }, caller: { orgId } }) {
      const [after] = decodeCursor(cursor, 1) ?? [];
      const later = after === undefined ? {} : { _id: { $gt: after } };
      const templates = await kind.templates
        .find({ orgId, deletedAt: null, ...later })
        .sort({ _id: 1 })
        .limit(limit + 1)
        .lean<TemplateDocument[]>();
      return toPage(templates, limit, ({ _id }) => [_id], toEntryResponse);
    },
  });
}

function toEntryResponse(template: TemplateDocument): z.output<typeof entry> {
  const { _id: id, name, liveVersion, latestVersion, createdAt, updatedAt } = template;
  const times = { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
  return { id, name, liveVersion, latestVersion, ...times };
}

/** A version number in a query string. */
const versionQuery = z
  .string()
  .regex(/^[1-9]\d{0,6}$/, 'Must be a version number.')
  .meta(integerIn(1, 9_999_999))
  .transform(Number);

/** GET of one template with its latest version, or with the one given by `version`. */
export function readTemplate(kind: TemplateKind) {
  const { output, path } = schemasOf(kind);
  return defineAction({
    rest: `GET ${kind.path}/:templateId`,
    summary: `Read a ${kind.service} template`,
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

/** GET of the starters; pass a name as `starter` to create a template from it. */
export function listStarters(kind: TemplateKind) {
  const { content } = schemasOf(kind);
  const starter = z
    .strictObject({
      starter: z.string(),
      name: z.string(),
      description: z.string(),
      category: z.enum(categories),
      variables: z.array(z.strictObject({ name: z.string(), required: z.boolean(), sample: z.string() })),
      content,
    })
    .meta({ id: `${schemaNameOf(kind)}Starter` });
  const { variables, ...parts } = kind.example;
  const about = { name: 'Order received', description: 'Confirms an order.', category: 'transactional' as const };
  const shown = { starter: 'receipt', ...about, variables, content: parts };
  return defineAction({
    rest: `GET ${kind.path.replace(/s$/, '')}-starters` as `GET /${string}`,
    summary: `List ready-made ${kind.service} templates`,
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
