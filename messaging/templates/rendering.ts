import { z } from 'zod';
import { createBatcher } from '../../lib/batched.ts';
import { inputError } from '../../lib/errors.ts';
import { nativeCollection } from '../../lib/native-collection.ts';
import { limits, pickLocale, type RenderedContent, samplesOf, type Values } from './content.ts';
import type { TemplateDocument, TemplateVersionDocument } from './documents.ts';
import { isSafeAddress } from './html-addresses.ts';
import type { TemplateKind } from './kind.ts';
import { inThread } from './thread.ts';
import type { Turn } from './turns.ts';

/** The values of variables in a request: texts, by name. */
export const variablesInput = z
  .record(
    z.string().max(50),
    z
      .string()
      .max(limits.value, `Send at most ${limits.value} characters.`)
      .regex(/^[^\0\p{Cs}]*$/u, 'Send text without NUL.'),
  )
  .refine(
    (values) => Object.values(values).reduce((sum, { length }) => sum + length, 0) <= limits.values,
    `Send at most ${limits.values} characters in all variables together.`,
  );

type Given = Record<string, string>;

/**
 * The version that messages of a template get now. Versions never change, so those used last are remembered.
 *
 * @throws INPUT_INVALID naming `body.templateId` when there is no such template, or none of its versions is live.
 */
export async function liveVersion(
  kind: TemplateKind,
  orgId: string,
  templateId: string,
): Promise<TemplateVersionDocument> {
  const template = await findLive(`${kind.service} ${orgId}`, { kind, orgId, templateId });
  const problem = (message: string) => inputError([{ path: 'body.templateId', message }]);
  if (!template || template.deletedAt) throw problem('There is no such template.');
  if (template.liveVersion === null) throw problem('No version of the template is published.');
  const version = await versionOf(kind, { orgId, templateId, version: template.liveVersion });
  if (!version) throw problem('There is no such template.');
  return version;
}

type TemplateRequest = { kind: TemplateKind; orgId: string; templateId: string };
type Live = Pick<TemplateDocument, '_id' | 'liveVersion' | 'deletedAt'>;

const maxBatchSize = 200;

/**
 * What a template says of its versions now, null when there is none; concurrent calls of an organization share one
 * query. It is not remembered, so that what is published or deleted on any node is in force at once.
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

const remembered = new Map<string, TemplateVersionDocument>();
const maxRemembered = 200;

type VersionName = { orgId: string; templateId: string; version: number };

/** A version by its number; null when it does not exist any more. */
export async function versionOf(kind: TemplateKind, name: VersionName): Promise<TemplateVersionDocument | null> {
  const key = `${kind.service} ${name.orgId} ${name.templateId} ${name.version}`;
  const known = remembered.get(key);
  const version = known ?? (await kind.versions.findOne(name).lean<TemplateVersionDocument>());
  if (!version) return null;
  remembered.delete(key);
  remembered.set(key, version);
  const [oldest] = remembered.keys();
  if (remembered.size > maxRemembered && oldest !== undefined) remembered.delete(oldest);
  return version;
}

/**
 * The values that a message of a version gets: those of its own variables, nil where an optional one is not sent.
 *
 * @throws INPUT_INVALID naming each variable that is missing, or that would make a link of another scheme than http(s).
 */
export function requireVariables({ variables, contents }: TemplateVersionDocument, given: Given): Values {
  const addresses = new Set(contents.flatMap(({ compiled }) => compiled.addressVariables));
  const problems = variables.flatMap(({ name, required }) => {
    const path = `body.variables.${name}`;
    const value = valueIn(given, name);
    if (value === undefined)
      return required ? [{ path, message: 'Send this variable: the template requires it.' }] : [];
    const isLink = addresses.has(name) && !isSafeAddress(value);
    return isLink ? [{ path, message: 'Send an http or https address: the template links to it.' }] : [];
  });
  if (problems.length > 0) throw inputError(problems);
  return Object.fromEntries(variables.map(({ name }) => [name, valueIn(given, name) ?? null]));
}

const valueIn = (given: Given, name: string): string | undefined =>
  Object.hasOwn(given, name) ? given[name] : undefined;

/** The values for a preview or a test: those given, else the samples as {@link samplesOf} has them. */
export function sampleVariables(
  { variables }: TemplateVersionDocument,
  given: Given = {},
  withoutOptional = false,
): Values {
  const samples = samplesOf(variables, withoutOptional);
  return Object.fromEntries(variables.map(({ name }) => [name, valueIn(given, name) ?? samples[name] ?? null]));
}

/**
 * Renders a version for a locale, in a worker thread. `locale` of the answer is null for the default content.
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
  if (!content) throw new Error('A version of a template has no default content.');
  const rendered = await inThread(turn, { kind: 'render', content, variables });
  return { ...rendered, locale: picked || null };
}
