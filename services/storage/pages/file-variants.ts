import { z } from 'zod';
import { type Refusal, refuse } from '../../../web/attempt.ts';
import { renderCode } from '../../../web/code.ts';
import { renderChoice, renderFields } from '../../../web/fields.ts';
import { withQuery } from '../../../web/filters.ts';
import { type Html, html } from '../../../web/html.ts';
import { singleValues } from '../../../web/list-query.ts';
import type { OrganizationVisit } from '../../../web/organization-page.ts';
import { fileNameOf } from '../content/object-key.ts';
import { fits, isTransformable, outputFormats, rejectLargeSides, transformQuery } from '../images/transform-query.ts';
import { filePath, type StoredFile } from './files-page.ts';
import { texts } from './texts.ts';

const names = ['w', 'h', 'fit', 'q', 'f'] as const;
type Values = Partial<Record<(typeof names)[number], string>>;

const presets = {
  original: {},
  thumb: { w: '160', h: '160', fit: 'cover', f: 'webp' },
  card: { w: '640', h: '480', fit: 'cover', f: 'webp' },
  social: { w: '1200', h: '630', fit: 'cover', f: 'jpeg' },
} as const satisfies Record<string, Values>;

/** The variant of an image that the query of the page names. */
export type Variant = {
  values: Values;
  /** The public address of the variant; null for the original. */
  address: string | null;
  refusal: Refusal | null;
};

const parameters = z.object(transformQuery).superRefine(rejectLargeSides);

/** Reads the variant in the query. It has an address if the file is an image of which variants are made. */
export function variantOf({ query }: OrganizationVisit, file: StoredFile): Variant {
  const values = singleValues(query, names);
  const { error } = parameters.safeParse(values);
  if (error) {
    const { wrong } = texts().file.variants;
    const errors = names.filter((name) => error.issues.some(({ path }) => path[0] === name));
    return {
      values,
      address: null,
      refusal: refuse(Object.fromEntries(errors.map((name) => [name, wrong[name]]))),
    };
  }
  const isMade = hasVariants(file) && Object.keys(values).length > 0;
  return { values, address: isMade ? withQuery(file.url, values) : null, refusal: null };
}

const hasVariants = ({ public: isPublic, mimeType }: StoredFile): boolean => isPublic && isTransformable(mimeType);

/** Renders the variants of an image, with the address of the chosen one; null for other files. */
export function renderVariants(visit: OrganizationVisit, file: StoredFile, variant: Variant): Html | null {
  const t = texts().file.variants;
  if (!isTransformable(file.mimeType)) return null;
  const head = html`<div class="sec-head"><h2 id="h-variants">${t.title}</h2></div>`;
  if (!file.public) {
    return html`<section class="sec" aria-labelledby="h-variants">${head}<p class="hint">${t.private}</p></section>`;
  }
  const { values } = variant;
  const address = variant.address ?? file.url;
  const isSame = (preset: Values): boolean => names.every((name) => preset[name] === values[name]);
  const links = Object.entries(presets).map(
    ([name, preset]) =>
      html`<a href="${filePath(visit, file, [], preset)}"${isSame(preset) && html` aria-current="true"`}>${t.presets[name as keyof typeof presets]}</a>`,
  );
  const tag = String(html`<img src="${address}" alt="">`);
  return html`<section class="sec" aria-labelledby="h-variants">${head}<p class="hint">${t.words}</p>
<nav class="seg full" aria-label="${t.label}">${links}</nav>
${renderBuilder(visit, file, variant)}
${renderCode({ label: t.url, text: address }, { label: t.tag, text: tag })}</section>`;
}

/** A GET form: the address of the page holds the variant. */
function renderBuilder(visit: OrganizationVisit, file: StoredFile, { values, refusal }: Variant): Html {
  const t = texts().file.variants;
  const number = (name: 'w' | 'h' | 'q', label: string) =>
    ({ name, label, autocomplete: 'off', inputmode: 'numeric', maxLength: 4, value: values[name] ?? '' }) as const;
  const choice = (name: 'fit' | 'f', label: string, options: readonly string[]) =>
    renderChoice(
      { name, label, options: [['', t.unset], ...options.map((option) => [option, option] as const)] },
      values[name] ?? '',
      refusal?.errors[name],
    );
  const [path = ''] = filePath(visit, file).split('?');
  return html`<form method="get" action="${path}" class="builder" aria-label="${fileNameOf(file.key)}" novalidate>
<input type="hidden" name="key" value="${file.key}">
${renderFields([number('w', t.width), number('h', t.height), number('q', t.quality)], refusal?.errors)}
${choice('fit', t.fit, fits)}
${choice('f', t.format, [...outputFormats, 'auto'])}
<div class="field"><button class="btn">${t.submit}</button></div>
</form>`;
}
