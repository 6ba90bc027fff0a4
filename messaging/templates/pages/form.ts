import type { ErrorDetail } from '../../../lib/contract/errors.ts';
import { type Refusal, refusalOf, withRenamedProblems } from '../../../web/attempt.ts';
import type { Form } from '../../../web/define-page.ts';
import { pickFields } from '../../../web/pick.ts';
import { texts as shared } from '../../../web/texts.ts';
import { type Category, type Content, limits, type Variable } from '../content.ts';
import type { EditorKind, Parts, Template, Typed } from './editor-kind.ts';
import { nameOfLocale } from './locale-names.ts';
import { texts } from './texts.ts';

/** The fields of an editor that are not of the content. */
const ownFields = ['version', 'locale', 'name', 'category', 'samples', 'act'] as const;
const rowNumbers = Array.from({ length: limits.variables }, (_, index) => index);
const rowFields = rowNumbers.flatMap((index) => [nameField(index), sampleField(index), requiredField(index)]);

export function nameField(index: number): string {
  return `variable-${index}`;
}
export function sampleField(index: number): string {
  return `sample-${index}`;
}
export function requiredField(index: number): string {
  return `required-${index}`;
}

/** A posted editor: its fields as typed, and what they mean. */
export type Posted = {
  typed: Typed;
  /** The language whose content is edited; empty for the default content. */
  locale: string;
  name: string;
  category: Category;
  parts: Parts;
  variables: Variable[];
  /** The row of the form in which each of the variables is. */
  rows: number[];
  withoutOptional: boolean;
  isPublished: boolean;
};

/**
 * Reads a posted editor. Rows without a name are ignored.
 *
 * @throws INPUT_INVALID for a field that the form does not have.
 */
export function readEditor(kind: EditorKind, form: Form): Posted {
  const typed = pickFields(form, ...ownFields, ...kind.fields, ...rowFields);
  const rows = rowNumbers.filter((index) => (typed[nameField(index)] ?? '').trim() !== '');
  return {
    typed,
    locale: typed.locale ?? '',
    name: typed.name ?? '',
    category: typed.category as Category,
    parts: kind.partsOf(typed),
    variables: rows.map((index) => ({
      name: (typed[nameField(index)] ?? '').trim(),
      required: typed[requiredField(index)] === 'on',
      sample: typed[sampleField(index)] ?? '',
    })),
    rows,
    withoutOptional: typed.samples === 'required',
    isPublished: typed.act === 'publish',
  };
}

/** The values of an editor's fields for a stored template and one of its languages. */
export function typedOf(kind: EditorKind, template: Template, locale: string): Typed {
  const content: Content = (locale === '' ? template : template.locales[locale]) ?? template;
  const rows = template.variables.flatMap(({ name, sample, required }, index) => [
    [nameField(index), name],
    [sampleField(index), sample],
    ...(required ? [[requiredField(index), 'on']] : []),
  ]);
  return {
    ...kind.typedOf(content),
    ...Object.fromEntries(rows),
    version: String(template.latestVersion),
    locale,
    name: template.name,
    category: template.category,
  };
}

/** The differences of a posted editor to the template, as the endpoint accepts them. */
export function changesOf(kind: EditorKind, template: Template, posted: Posted) {
  const { typed, name, category, parts, variables, locale } = posted;
  const stored = typedOf(kind, template, locale);
  const isNew = locale !== '' && template.locales[locale] === undefined;
  const isSame = !isNew && kind.fields.every((field) => (typed[field] ?? '') === (stored[field] ?? ''));
  const content = locale === '' ? parts : { locales: { [locale]: withoutNull(parts) } };
  return {
    ...(name !== template.name && { name }),
    ...(category !== template.category && { category }),
    ...(JSON.stringify(variables) !== JSON.stringify(template.variables) && { variables }),
    ...(!isSame && content),
  };
}

/** The content of a language is replaced as a whole. */
function withoutNull(parts: Parts): Content {
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== null));
}

/** The refusal of a call with a posted editor, with each problem at the field that holds the part; null on success. */
export async function refusalAtFields(
  kind: EditorKind,
  posted: Posted,
  work: () => Promise<unknown>,
): Promise<Refusal | null> {
  const names = [...ownFields, ...kind.fields, ...rowFields, 'variables'];
  return await refusalOf(names, () => withRenamedProblems((detail) => atField(kind, posted, names, detail), work));
}

function atField(
  kind: EditorKind,
  posted: Posted,
  names: readonly string[],
  { path, message: reason }: ErrorDetail,
): ErrorDetail {
  const [, locale, part = ''] = /^body\.(?:draft\.)?(?:locales\.([\w-]+)\.?)?(.*)$/.exec(path) ?? [];
  const t = texts().editor;
  const message = shared().refusals.detail(t.problem(reason));
  // A change of the variables may break the content of another language.
  if (locale !== undefined && locale !== posted.locale) {
    return { path: '', message: t.elsewhere(nameOfLocale(locale), part, message) };
  }
  const field = fieldOf(kind, posted, part);
  return names.includes(field)
    ? { path: `body.${field}`, message }
    : { path: '', message: part === '' ? message : t.unnamed(part, message) };
}

function fieldOf(kind: EditorKind, { rows }: Posted, part: string): string {
  const [, index, what] = /^variables\.(\d+)\.(\w+)$/.exec(part) ?? [];
  const row = rows[Number(index)];
  if (row !== undefined) return what === 'sample' ? sampleField(row) : nameField(row);
  const owner = Object.keys(kind.fieldOf).find((one) => part === one || part.startsWith(`${one}.`));
  return owner === undefined ? (part.split('.')[0] ?? '') : (kind.fieldOf[owner] ?? '');
}
