import type { CallInput } from '../../../lib/contract/context.ts';
import type { Form } from '../../../web/define-page.ts';
import { type Field, type FieldErrors, renderCheck, renderFields } from '../../../web/fields.ts';
import { type Html, html } from '../../../web/html.ts';
import { pickFields } from '../../../web/pick.ts';
import type { Bucket } from './files-page.ts';
import { texts } from './texts.ts';

const textNames = ['allowedMimeTypes', 'maxObjectBytes', 'cacheControl', 'corsOrigins', 'expiry'] as const;

/** The choices of a bucket as its form has them, in texts. */
export type BucketForm = Record<(typeof textNames)[number], string> & { public: boolean };

/** The names of the fields, which are the names of the endpoint's fields. */
export const choiceNames = ['public', ...textNames] as const;

export const emptyForm: BucketForm = {
  public: false,
  allowedMimeTypes: '',
  maxObjectBytes: '',
  cacheControl: '',
  corsOrigins: '*',
  expiry: '',
};

const megabyte = 1_000_000;

/** The form of an existing bucket. Sizes are in megabytes, of which six decimals are bytes. */
export function formOf(bucket: Bucket): BucketForm {
  const { allowedMimeTypes, maxObjectBytes, cacheControl, corsOrigins, expiry } = bucket;
  return {
    public: bucket.public,
    allowedMimeTypes: (allowedMimeTypes ?? []).join('\n'),
    maxObjectBytes: maxObjectBytes === null ? '' : megabytesOf(maxObjectBytes),
    cacheControl: cacheControl ?? '',
    corsOrigins: corsOrigins.join('\n'),
    expiry: expiry.map(({ days, prefix }) => `${days} ${prefix}`.trimEnd()).join('\n'),
  };
}

/** Reads the choices of a posted form as they were typed. */
export function pickChoices(form: Form): BucketForm {
  const { public: isPublic, ...typed } = pickFields(form, ...choiceNames);
  return { ...typed, public: isPublic === 'on' };
}

type Choices = Required<CallInput<'storage.buckets.update'>['body']>;

/** The input of the endpoints. Only what has no form there is an error here: the endpoint judges the rest. */
export function readChoices(typed: BucketForm): { values: Choices; errors: FieldErrors } {
  const t = texts().buckets.form;
  const types = wordsOf(typed.allowedMimeTypes);
  const origins = wordsOf(typed.corsOrigins);
  const bytes = bytesOf(typed.maxObjectBytes);
  const rules = linesOf(typed.expiry).map((line) => /^(\d{1,9})(?:\s+(\S.*))?$/.exec(line));
  const errors: FieldErrors = {};
  if (Number.isNaN(bytes)) errors.maxObjectBytes = t.maxObjectBytesWrong;
  if (!origins.every(isOrigin)) errors.corsOrigins = t.originsWrong;
  if (rules.includes(null)) errors.expiry = t.expiryWrong;
  const values = {
    public: typed.public,
    allowedMimeTypes: types.length === 0 ? null : types,
    maxObjectBytes: bytes,
    cacheControl: typed.cacheControl.trim() || null,
    corsOrigins: origins,
    expiry: rules.map((rule) => ({ days: Number(rule?.[1]), prefix: rule?.[2] ?? '' })),
  };
  return { values, errors };
}

const isOrigin = (text: string): boolean => text === '*' || (/^https?:/.test(text) && URL.parse(text)?.origin === text);

const megabytesOf = (bytes: number): string => String(bytes / megabyte).replace('.', texts().buckets.form.decimalMark);

function bytesOf(megabytes: string): number | null {
  const { decimalMark } = texts().buckets.form;
  const typed = megabytes.trim();
  if (typed === '') return null;
  // A point groups digits where a comma is the decimal mark: 1.500.
  const text = decimalMark === '.' ? typed : typed.replace('.', ' ').replace(decimalMark, '.');
  return /^\d{1,9}(?:\.\d{1,6})?$/.test(text) ? Math.round(Number(text) * megabyte) : Number.NaN;
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '');

/** Renders the fields of a bucket's choices, after `name` if there is one. */
export function renderChoices(typed: BucketForm, errors: FieldErrors = {}, name?: Field): Html {
  const t = texts().buckets.form;
  const off = { autocomplete: 'off' } as const;
  const [first, ...others] = renderFields(
    [
      ...(name ? [name] : []),
      { ...off, name: 'allowedMimeTypes', label: t.types, hint: t.typesHint, lines: 3, value: typed.allowedMimeTypes },
      {
        ...off,
        name: 'maxObjectBytes',
        label: t.size,
        hint: t.sizeHint,
        inputmode: 'text',
        value: typed.maxObjectBytes,
      },
      { ...off, name: 'cacheControl', label: t.cache, hint: t.cacheHint, maxLength: 200, value: typed.cacheControl },
      { ...off, name: 'corsOrigins', label: t.origins, hint: t.originsHint, lines: 2, value: typed.corsOrigins },
      { ...off, name: 'expiry', label: t.expiry, hint: t.expiryHint, lines: 2, value: typed.expiry },
    ],
    errors,
  );
  const access = html`<div class="field">${renderCheck({ name: 'public', label: t.public, isChecked: typed.public })}<p class="hint">${t.publicHint}</p></div>`;
  return name ? html`${first}${access}${others}` : html`${access}${first}${others}`;
}
