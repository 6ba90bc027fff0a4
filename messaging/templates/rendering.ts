import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { createBatcher } from '../../lib/concurrency/batcher.ts';
import { inputError } from '../../lib/contract/errors.ts';
import { nativeCollection } from '../../lib/data/collection.ts';
import { limits, pickLocale, type RenderedContent, samplesOf, type Values } from './content.ts';
import type { TemplateDocument, TemplateVersionDocument } from './documents.ts';
import type { TemplateKind } from './kind.ts';
import { isSafeAddress } from './safe-addresses.ts';
import { inThread } from './thread.ts';
import type { Turn } from './turns.ts';

/** The values of variables in a request, by name. */
export const variablesInput = z
  .record(
    z.string().max(50),
    z
      .string()
      .max(limits.value, `Must be at most ${limits.value} characters.`)
      .regex(/^[^\0\p{Cs}]*$/u, 'Must not contain NUL.'),
  )
  .refine(
    (values) => Object.values(values).reduce((sum, { length }) => sum + length, 0) <= limits.values,
    `Variables must have at most ${limits.values} characters in total.`,
  )
  .describe('The values of the variables by name.');

type Given = Record<string, string>;

/**
 * Returns the version that new messages of a template use. Versions are immutable, so recently used ones are cached.
 *
 * @throws INPUT_INVALID naming `body.templateId` when the template does not exist or no version is published.
 */
export async function liveVersion(
  kind: TemplateKind,
  orgId: string,
  templateId: string,
): Promise<TemplateVersionDocument> {
  const template = await findLive(`${kind.service} ${orgId}`, { kind, orgId, templateId });
  const problem = (message: string) => inputError([{ path: 'body.templateId', message }]);
  if (!template || template.deletedAt) throw problem('The template does not exist.');
  if (template.liveVersion === null) throw problem('The template has no published version.');
  const version = await versionOf(kind, { orgId, templateId, version: template.liveVersion });
  if (!version) throw problem('The template does not exist.');
  return version;
}

type TemplateRequest = { kind: TemplateKind; orgId: string; templateId: string };
type Live = Pick<TemplateDocument, '_id' | 'liveVersion' | 'deletedAt'>;

const maxBatchSize = 200;

/**
 * Reads the published version of templates; null for an unknown one. Concurrent calls of an organization share one
 * query. The result is not cached, so that publishing and deleting take effect immediately on every node.
 */
const findLive = createBatcher(maxBatchSize, async (wanted: TemplateRequest[]): Promise<(Live | null)[]> => {
  const [first] = wanted;
  if (!first) return [];
  const ids = [...new Set(wanted.map(({ templateId }) => templateId))];
  const found = await nativeCollection<TemplateDocument>(first.kind.templates)
    .find({ orgId: first.orgId, _id: { $in: ids } }, { projection: { liveVersion: 1, deletedAt: 1 } })
    .toArray();
  const byId = new Map(found.map((template) => [template._id, template]));
  return wanted.map(({ templateId }) => byId.get(templateId) ?? null);
});

const versions = new LRUCache<string, TemplateVersionDocument>({ max: 200 });

type VersionName = { orgId: string; templateId: string; version: number };

/** Reads a version by its number; null when it does not exist. */
export async function versionOf(kind: TemplateKind, name: VersionName): Promise<TemplateVersionDocument | null> {
  const key = `${kind.service} ${name.orgId} ${name.templateId} ${name.version}`;
  const version = versions.get(key) ?? (await kind.versions.findOne(name).lean<TemplateVersionDocument>());
  if (version) versions.set(key, version);
  return version;
}

/**
 * Returns the values for a message: the declared variables of the version, nil for an optional one that is missing.
 *
 * @throws INPUT_INVALID naming each missing variable and each link whose scheme is not http(s).
 */
export function requireVariables({ variables, contents }: TemplateVersionDocument, values: Given): Values {
  const addresses = new Set(contents.flatMap(({ compiled }) => compiled.addressVariables));
  const problems = variables.flatMap(({ name, required }) => {
    const path = `body.variables.${name}`;
    const value = valueIn(values, name);
    if (value === undefined) return required ? [{ path, message: 'Required by the template.' }] : [];
    const isLink = addresses.has(name) && !isSafeAddress(value);
    return isLink ? [{ path, message: 'Must be an http or https address: the template links to it.' }] : [];
  });
  if (problems.length > 0) throw inputError(problems);
  return Object.fromEntries(variables.map(({ name }) => [name, valueIn(values, name) ?? null]));
}

const valueIn = (values: Given, name: string): string | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;

/** The values for a preview or a test: the given ones, and {@link samplesOf} for the others. */
export function sampleVariables(
  { variables }: TemplateVersionDocument,
  values: Given = {},
  withoutOptional = false,
): Values {
  const samples = samplesOf(variables, withoutOptional);
  return Object.fromEntries(variables.map(({ name }) => [name, valueIn(values, name) ?? samples[name] ?? null]));
}

/**
 * Renders a version for a locale, in a worker thread. The returned `locale` is null for the default content.
 *
 * @throws TemplateError it cannot be rendered with these values.
 */
export async function renderVersion(
  turn: Turn,
  { contents }: Pick<TemplateVersionDocument, 'contents'>,
  { locale, variables }: { locale?: string | undefined; variables: Values },
): Promise<RenderedContent & { locale: string | null }> {
  const picked = pickLocale(
    contents.map((content) => content.locale),
    locale,
  );
  const content = contents.find((one) => one.locale === picked)?.compiled;
  if (!content) throw new Error('The template version has no default content.');
  const rendered = await inThread(turn, { kind: 'render', content, variables });
  return { ...rendered, locale: picked || null };
}
