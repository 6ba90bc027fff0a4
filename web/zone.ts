import { type ConfirmedForm, renderConfirmedForm } from './confirm.ts';
import { type FieldErrors, renderFields } from './fields.ts';
import { renderForm } from './form-page.ts';
import { type Content, type Html, html } from './html.ts';

/** An act that ends something, or gives or takes trust. */
export type ZoneAct = {
  title: Content;
  words?: Content;
  /** The button of an act that a dialog confirms. */
  confirmed?: ConfirmedForm;
  /** Content below the words: consequences, or a form with fields. */
  below?: Content;
};

/** Renders acts with a red rim, each with its consequence. */
export function renderZone(acts: readonly ZoneAct[]): Html {
  return html`<ul class="zone">${acts.map(
    ({ title, words, confirmed, below }) =>
      html`<li><div><b>${title}</b>${words && html`<p>${words}</p>`}${below}</div>${confirmed && renderConfirmedForm(confirmed)}</li>
`,
  )}</ul>`;
}

/** Renders acts as the last section of a page, under a heading if the page has other sections. */
export function renderZoneSection(heading: { id: string; title: string } | null, acts: readonly ZoneAct[]): Html {
  if (!heading) return html`<section class="sec">${renderZone(acts)}</section>`;
  const { id, title } = heading;
  return html`<section class="sec" aria-labelledby="${id}"><div class="sec-head"><h2 id="${id}">${title}</h2></div>
${renderZone(acts)}</section>`;
}

export type TypedForm = {
  action: string;
  flow: string;
  /** Says what to type, such as the name of the thing that is deleted. */
  label: string;
  submit: string;
  errors?: FieldErrors | undefined;
};

/** Renders a form that is confirmed by typing a name into the field `confirm`, for what cannot be undone. */
export function renderTypedForm({ action, flow, label, submit, errors }: TypedForm): Html {
  const field = { name: 'confirm', label, autocomplete: 'off', isRequired: true, maxLength: 63 };
  return renderForm({ action, flow, fields: renderFields([field], errors), submit, isDangerous: true });
}

/** How they look, for the gallery. */
export const examples = {
  'Danger zone': () =>
    renderZoneSection({ id: 'example-zone', title: 'Danger zone' }, [
      {
        title: 'Revoke this key',
        words: 'Requests with it are refused within a second.',
        confirmed: {
          id: 'example-revoke',
          action: '/dev/gallery',
          flow: '',
          submit: 'Revoke key',
          question: 'Revoke this key?',
          consequence: 'Requests with it are refused within a second.',
          confirm: 'Revoke key',
        },
      },
      {
        title: 'Delete bucket',
        words: 'Deletes the bucket with 12 files. This cannot be undone.',
        below: renderTypedForm({
          action: '/dev/gallery',
          flow: '',
          label: 'Type invoices to confirm',
          submit: 'Delete bucket',
        }),
      },
    ]),
};
