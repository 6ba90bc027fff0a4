import { apiError, inputError } from '../../lib/contract/errors.ts';
import { now } from '../../lib/data/clock.ts';
import { insertIfAbsent } from '../../lib/data/collection.ts';
import type { Problem } from './compile.ts';
import type { Category, Content, Variable } from './content.ts';
import { type LocaleContent, type TemplateDocument, type TemplateVersionDocument, versionId } from './documents.ts';
import type { TemplateKind } from './kind.ts';
import { TemplateError } from './liquid.ts';
import { inThread } from './thread.ts';
import type { Turn } from './turns.ts';

/** The source of a version, as its author wrote it. */
export type Draft = { category: Category; variables: Variable[]; content: Content; locales: Record<string, Content> };

/** Reads a template; throws NOT_FOUND, also for another organization's or a deleted one. */
export async function findTemplate(kind: TemplateKind, orgId: string, templateId: string): Promise<TemplateDocument> {
  const found = await kind.templates.findOne({ orgId, _id: templateId }).lean<TemplateDocument>();
  if (!found || found.deletedAt) throw apiError('NOT_FOUND', { message: 'No template has this id.' });
  return found;
}

/** Reads a version of a template, the latest by default. Throws NOT_FOUND. */
export async function findVersion(
  kind: TemplateKind,
  { orgId, _id, latestVersion }: TemplateDocument,
  version: number = latestVersion,
): Promise<TemplateVersionDocument> {
  const found = await kind.versions.findOne({ orgId, templateId: _id, version }).lean<TemplateVersionDocument>();
  if (!found) throw apiError('NOT_FOUND', { message: 'The template has no version with this number.' });
  return found;
}

/** The source of a version, to derive the next one from. */
export function draftOf({ category, variables, contents }: TemplateVersionDocument): Draft {
  const sources = new Map(contents.map(({ locale, source }) => [locale, source]));
  const content = sources.get('') ?? {};
  sources.delete('');
  return { category, variables, content, locales: Object.fromEntries(sources) };
}

/** Compiles all contents of a draft. Throws INPUT_INVALID naming each invalid part. */
export async function compileDraft(kind: TemplateKind, turn: Turn, draft: Draft): Promise<LocaleContent[]> {
  const contents = [['', draft.content] as const, ...Object.entries(draft.locales)];
  const compiled: LocaleContent[] = [];
  const problems: Problem[] = [];
  for (const [locale, source] of contents) {
    const place = locale === '' ? 'body' : `body.locales.${locale}`;
    const found = await compileOne(kind, turn, { source, variables: draft.variables });
    if (Array.isArray(found))
      problems.push(...found.map(({ path, message }) => ({ path: `${place}.${path}`, message })));
    else compiled.push({ locale, source, compiled: found });
  }
  if (problems.length > 0) throw inputError(problems);
  return compiled;
}

async function compileOne(
  kind: TemplateKind,
  turn: Turn,
  { source, variables }: { source: Content; variables: Variable[] },
): Promise<LocaleContent['compiled'] | Problem[]> {
  const missing = kind.required.filter((part) => source[part] === undefined);
  const wrong = missing.map((path) => ({ path, message: 'Required.' }));
  const problems = [...wrong, ...(wrong.length === 0 ? (kind.check?.(source) ?? []) : [])];
  if (problems.length > 0) return problems;
  const work = { kind: 'compile' as const, content: source, variables, builtIn: kind.builtIn };
  try {
    const result = await inThread(turn, work);
    return 'problems' in result ? result.problems : result.compiled;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return [{ path: (['mjml', 'html', 'text'] as const).find((part) => source[part]) ?? '', message: error.message }];
  }
}

/** Stores a version under its number; false when the number is taken. */
export function insertVersion(
  kind: TemplateKind,
  { orgId, _id: templateId }: Pick<TemplateDocument, '_id' | 'orgId'>,
  version: number,
  { category, variables }: Draft,
  contents: LocaleContent[],
): Promise<boolean> {
  return insertIfAbsent<TemplateVersionDocument>(kind.versions, {
    _id: versionId(templateId, version),
    orgId,
    templateId,
    version,
    category,
    variables,
    contents,
    createdAt: now(),
  });
}
