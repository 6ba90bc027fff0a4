import type { Model } from 'mongoose';
import { z } from 'zod';
import type { LimitName } from '../../lib/clients/plan-limits.ts';
import { exampleId, exampleInstant } from '../../lib/contract/examples.ts';
import { pathId } from '../../lib/contract/input.ts';
import type { SystemPermission } from '../../lib/contract/permissions.ts';
import { capitalize } from '../../lib/format/capitalize.ts';
import type { Problem } from './compile.ts';
import {
  type Category,
  type Content,
  categories,
  limits,
  localeTag,
  type RenderedContent,
  type Values,
  type Variable,
  variableOutput,
  variablesPart,
} from './content.ts';
import type { TemplateDocument, TemplateVersionDocument } from './documents.ts';

/** The template used for examples in the API document. */
export function exampleTemplate({ service, example }: TemplateKind): ReturnType<typeof toTemplateResponse> {
  return {
    id: exampleId('tpl', service),
    name: 'Order received',
    category: 'transactional',
    version: 1,
    liveVersion: 1,
    latestVersion: 1,
    ...example,
    locales: {},
    createdAt: exampleInstant,
    updatedAt: exampleInstant,
  };
}

/** The templates of a service, as it declares them; the endpoints are generated from this. */
export type TemplateKind = {
  /** The name of the service, the prefix of its actions and audit events. */
  service: string;
  /** The path of the endpoints, such as `/v1/mail/templates`; starters are at `<path without s>-starters`. */
  path: `/${string}`;
  permissions: { read: SystemPermission; write: SystemPermission };
  /** The name of the plan's limit. */
  limit: LimitName;
  templates: Model<TemplateDocument>;
  versions: Model<TemplateVersionDocument>;
  /** The schemas of the parts of a content; `required` names the mandatory parts. */
  parts: Partial<Record<keyof Content, z.ZodType>>;
  required: (keyof Content)[];
  /** At most one of these parts is allowed. */
  exclusive?: (keyof Content)[];
  /** At least one of these parts is required. */
  oneAtLeast?: (keyof Content)[];
  /** Returns the problems of a combination of parts. */
  check?: (content: Content) => Problem[];
  /** Variables that the service fills in itself, in every template. */
  builtIn: string[];
  /** Adds to a rendered content what the service adds when sending, for the preview. */
  complete?: (
    rendered: RenderedContent,
    sent: { category: Category; locale: string | null; values: Values },
  ) => RenderedContent;
  starters: Record<string, Starter>;
  example: Content & { variables: Variable[] };
};

/** A ready-made template to start from. */
export type Starter = Content & { name: string; description: string; category: Category; variables: Variable[] };

export type CreateBody = Content & {
  starter?: string | undefined;
  name?: string | undefined;
  category?: Category | undefined;
  variables?: Variable[] | undefined;
  locales?: Record<string, Content> | undefined;
  publish: boolean;
};

type Nullable<T> = { [K in keyof T]?: T[K] | null | undefined };
export type ChangeBody = Nullable<Content> & {
  name?: string | undefined;
  category?: Category | undefined;
  variables?: Variable[] | undefined;
  locales?: Record<string, Content | null> | undefined;
  publish: boolean;
};

type TemplateOutput = {
  id: string;
  name: string;
  category: Category;
  version: number;
  liveVersion: number | null;
  latestVersion: number;
  variables: Variable[];
  locales: Record<string, Content>;
  createdAt: string;
  updatedAt: string;
} & Content;

export type Schemas = ReturnType<typeof schemasOf>;

const name = z.string().trim().min(1, 'Required.').max(100, 'Must be at most 100 characters.');
const printableName = name.regex(/^[^\p{Cc}\p{Cs}]*$/u, 'Must not contain control characters.');

const tooMany = `Must have at most ${limits.locales} locales.`;
const localesOf = <T extends z.ZodType>(content: T) =>
  z.record(localeTag, content).refine((locales) => Object.keys(locales).length <= limits.locales, tooMany);

/** The schemas of the requests and responses of a kind. */
export function schemasOf(kind: TemplateKind) {
  const parts = Object.entries(kind.parts) as [keyof Content, z.ZodType][];
  const isRequired = (part: keyof Content) => kind.required.includes(part);
  const whole = Object.fromEntries(
    parts.map(([part, schema]) => [part, isRequired(part) ? schema : schema.optional()]),
  );
  const optional = Object.fromEntries(parts.map(([part, schema]) => [part, schema.optional()]));
  const changes = Object.fromEntries(
    parts.map(([part, schema]) => [part, (isRequired(part) ? schema : schema.nullable()).optional()]),
  );
  const content = z.strictObject(whole);
  const own = {
    name: printableName.optional(),
    category: z.enum(categories).optional(),
    variables: variablesPart.optional(),
  };
  const publish = z.boolean().default(true);
  const starter = z
    .enum(Object.keys(kind.starters) as [string, ...string[]], 'Must be the name of a starter.')
    .optional();
  const oneAtLeast = kind.oneAtLeast && { anyOf: kind.oneAtLeast.map((part) => ({ required: [part] })) };
  // Null removes a part.
  const text = { type: 'string' };
  const notTogether = kind.exclusive
    ? { not: { required: kind.exclusive, properties: Object.fromEntries(kind.exclusive.map((part) => [part, text])) } }
    : {};
  const create = z
    .strictObject({ starter, ...own, ...optional, locales: localesOf(content).optional(), publish })
    .meta({
      id: `${schemaNameOf(kind)}Input`,
      anyOf: [{ required: ['starter'] }, { required: ['name', ...kind.required], ...oneAtLeast }],
      ...notTogether,
    });
  const change = z
    .strictObject({ ...own, ...changes, locales: localesOf(content.nullable()).optional(), publish })
    .meta({ id: `${schemaNameOf(kind)}UpdateInput`, ...notTogether });
  const draft = z
    .strictObject({ ...changes, variables: variablesPart.optional() })
    .meta({ id: `${schemaNameOf(kind)}DraftInput`, ...notTogether });
  return {
    create: create as unknown as z.ZodType<CreateBody, Partial<CreateBody>>,
    change: change as unknown as z.ZodType<ChangeBody, Partial<ChangeBody>>,
    draft: draft as unknown as z.ZodType<Nullable<Content> & { variables?: Variable[] | undefined }>,
    content: content as unknown as z.ZodType<Content>,
    output: outputOf(kind, optional),
    path: z.strictObject({ templateId: pathId('tpl') }),
  };
}

/** The name of the templates of a service in the API document, such as `MailTemplate`. */
export function schemaNameOf({ service }: Pick<TemplateKind, 'service'>): string {
  return `${capitalize(service)}Template`;
}

function outputOf(kind: TemplateKind, parts: Record<string, z.ZodType>): z.ZodType<TemplateOutput> {
  const version = z.int().min(1);
  return z
    .strictObject({
      id: z.string(),
      name: z.string(),
      category: z.enum(categories),
      version: version.describe('The number of the version whose content this is.'),
      liveVersion: version.nullable(),
      latestVersion: version,
      ...parts,
      variables: z.array(variableOutput),
      locales: z
        .record(z.string(), z.strictObject(parts))
        .describe('The contents for other languages by language tag.'),
      createdAt: z.iso.datetime({ precision: 3 }),
      updatedAt: z.iso.datetime({ precision: 3 }),
    })
    .meta({ id: schemaNameOf(kind) }) as unknown as z.ZodType<TemplateOutput>;
}

/** Returns the API representation of a template with one of its versions. */
export function toTemplateResponse(template: TemplateDocument, version: TemplateVersionDocument): TemplateOutput {
  const { _id: id, liveVersion, latestVersion } = template;
  const variants = version.contents.filter(({ locale }) => locale !== '');
  return {
    id,
    name: template.name,
    category: version.category,
    version: version.version,
    liveVersion,
    latestVersion,
    ...version.contents.find(({ locale }) => locale === '')?.source,
    variables: version.variables.map(({ name: of, required, sample }) => ({ name: of, required, sample })),
    locales: Object.fromEntries(variants.map(({ locale, source }) => [locale, source])),
    createdAt: template.createdAt.toISOString(),
    updatedAt: template.updatedAt.toISOString(),
  };
}
