import type { ErrorDetail } from '../lib/contract/errors.ts';
import { type Html, html } from './html.ts';
import { renderIcon } from './icons.ts';
import { renderBanner } from './states.ts';
import { texts } from './texts.ts';

/** The error messages of fields, by name. */
export type FieldErrors = Record<string, string>;

export type Field = {
  name: string;
  label: string;
  type?: 'text' | 'email' | 'password' | 'tel' | 'url' | 'date' | 'color';
  /** Number of visible lines of a multi-line field. */
  lines?: number;
  autocomplete: string;
  inputmode?: 'text' | 'email' | 'tel' | 'url' | 'numeric';
  value?: string | null;
  hint?: Html | string;
  isRequired?: boolean;
  /** Read-only; shown, also for password managers. */
  isFixed?: boolean;
  maxLength?: number;
  /** Gets the initial focus, unless a field has an error, which then gets it. */
  isFirst?: boolean;
};

/** The fields, one below the other. The first one with an error has the focus. */
export function renderFields(fields: Field[], errors: FieldErrors = {}): Html[] {
  const focused = fields.find(({ name }) => errors[name] !== undefined) ?? fields.find(({ isFirst }) => isFirst);
  return fields.map((field) => renderField(field, errors[field.name], field === focused));
}

function renderField(field: Field, error: string | undefined, isFocused: boolean): Html {
  const { name, label, isRequired = false, hint } = field;
  return html`<div class="field">
<label for="${name}">${label}${!isRequired && html` <span class="opt">${texts().forms.optional}</span>`}</label>
${renderFieldError(name, error)}
${renderControl(field, [
  isRequired ? html` required=""` : null,
  error ? html` aria-invalid="true"` : null,
  describedBy(name, Boolean(hint), error !== undefined),
  field.isFixed ? html` readonly=""` : null,
  isFocused ? html` autofocus=""` : null,
])}
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
</div>`;
}

/** The message of a field, to which the field refers as `name-error`. */
export function renderFieldError(name: string, error: string | undefined): Html | null {
  return error ? html`<p class="error" id="${name}-error">${renderIcon('alert', 'xs')}${error}</p>` : null;
}

function renderControl(field: Field, state: (Html | null)[]): Html {
  const { name, type = 'text', lines, autocomplete, inputmode, value, maxLength } = field;
  const isPassword = type === 'password';
  const limit = maxLength ? html` maxlength="${maxLength}"` : null;
  if (lines !== undefined) {
    return html`<textarea class="input" id="${name}" name="${name}" rows="${lines}" autocomplete="${autocomplete}"${limit}${state}>
${value}</textarea>`;
  }
  return html`<input class="input" id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}"${[
    !isPassword && value ? html` value="${value}"` : null,
    inputmode ? html` inputmode="${inputmode}"` : null,
    limit,
    type === 'email' || isPassword ? html` autocapitalize="none" spellcheck="false"` : null,
    ...state,
  ]}>`;
}

/** A box to tick; the field is sent with the value `on` when it is ticked. */
export function renderCheck({ name, label, isChecked }: { name: string; label: string; isChecked: boolean }): Html {
  return html`<label class="check"><input id="${name}" name="${name}" type="checkbox"${isChecked && html` checked`}><span>${label}</span></label>`;
}

export type Choice = {
  name: string;
  label: string;
  autocomplete?: string;
  options: readonly (readonly [value: string, label: string])[];
};

/** A select element. */
export function renderChoice(choice: Choice, chosen: string | null | undefined, error?: string): Html {
  const { name, label, autocomplete, options } = choice;
  return html`<div class="field">
<label for="${name}">${label}</label>
${renderFieldError(name, error)}
<span class="select"><select class="input" id="${name}" name="${name}"${autocomplete && html` autocomplete="${autocomplete}"`}${error && html` aria-invalid="true"`}${describedBy(name, false, error !== undefined)}>
${options.map(
  ([value, words]) =>
    html`<option value="${value}"${value === (chosen ?? '') && html` selected`}>${words}</option>
`,
)}</select></span>
</div>`;
}

export type Options = {
  name: string;
  label: string;
  options: readonly { value: string; label: string; hint?: string }[];
};

/** Radio buttons, each with a sentence on what it means. */
export function renderOptions({ name, label, options }: Options, chosen: string, error?: string): Html {
  return html`<fieldset class="field"><legend>${label}</legend>
${renderFieldError(name, error)}
${options.map(
  ({ value, label: words, hint }) =>
    html`<label class="check"><input type="radio" name="${name}" value="${value}"${value === chosen && html` checked`}><span>${words}</span>${hint && html`<small class="hint">${hint}</small>`}</label>
`,
)}</fieldset>`;
}

function describedBy(name: string, hasHint: boolean, hasError: boolean): Html | null {
  const ids = [hasHint && `${name}-hint`, hasError && `${name}-error`].filter(Boolean);
  return ids.length === 0 ? null : html` aria-describedby="${ids.join(' ')}"`;
}

/**
 * Renders the problems of a form, which screen readers announce immediately. The message of a field is only shown at
 * the field; the first such field has the focus.
 */
export function renderProblems(problems: (string | null | undefined)[], errors: FieldErrors = {}): Html | null {
  const general = problems.filter((problem) => problem !== null && problem !== undefined);
  const marked = Object.keys(errors).length;
  if (general.length === 0 && marked === 0) return null;
  const words = html`${general.map((problem) => html`<p>${problem}</p>`)}
${marked > 0 && html`<p>${texts().forms.checkMarked(marked)}</p>`}`;
  return renderBanner({ tone: 'bad', icon: 'bad', words, role: 'alert' });
}

/** Renders a notice of success, which screen readers announce politely. */
export function renderNotice(words: string | null | undefined): Html | null {
  return words ? renderBanner({ tone: 'good', icon: 'ok', words: html`<p>${words}</p>`, role: 'status' }) : null;
}

/** Maps the messages of a refusal to fields: `body.email` is the field `email`. Only includes fields of the page. */
export function errorsByField(details: ErrorDetail[], names: readonly string[]): FieldErrors {
  const errors: FieldErrors = {};
  const { detail } = texts().refusals;
  for (const { path, message } of details) {
    const name = path.split('.')[1] ?? '';
    if (names.includes(name)) errors[name] ??= detail(message);
  }
  return errors;
}

const example: Field[] = [
  { name: 'example-email', label: 'Email address', type: 'email', autocomplete: 'off', isRequired: true },
  {
    name: 'example-password',
    label: 'Password',
    type: 'password',
    autocomplete: 'off',
    hint: 'At least 8 characters.',
  },
  { name: 'example-phone', label: 'Telephone', type: 'tel', autocomplete: 'off', value: '+49 30 1234' },
  { name: 'example-address', label: 'Picture', type: 'url', autocomplete: 'off' },
  { name: 'example-day', label: 'Date of birth', type: 'date', autocomplete: 'off' },
  { name: 'example-colour', label: 'Colour', type: 'color', autocomplete: 'off', value: '#0b57d0' },
  { name: 'example-lines', label: 'Greeting', lines: 3, autocomplete: 'off', value: 'Hello!' },
  { name: 'example-fixed', label: 'Account', autocomplete: 'off', value: 'ada@example.com', isFixed: true },
  { name: 'example-wrong', label: 'First name', autocomplete: 'off', value: '7', isRequired: true },
];
const exampleErrors = { 'example-wrong': 'Names have letters.' };
const exampleChoice = {
  name: 'example-kind',
  label: 'Kind',
  options: [
    ['home', 'Home'],
    ['work', 'Work'],
  ],
} as const;
const exampleOptions = {
  name: 'example-format',
  label: 'Format',
  options: [
    { value: 'html', label: 'HTML', hint: 'Formatted, with a version in plain text.' },
    { value: 'text', label: 'Text', hint: 'Plain text alone.' },
  ],
};

/** How they look, for the gallery. */
export const examples = {
  Notice: () => renderNotice('Your profile is saved.'),
  Problems: () => renderProblems(['The plan has changed meanwhile.'], exampleErrors),
  Fields: () => html`${renderFields(example, exampleErrors)}`,
  Choice: () => renderChoice(exampleChoice, 'work'),
  Options: () => renderOptions(exampleOptions, 'html'),
  'Box to tick': () => renderCheck({ name: 'example-check', label: 'Show the widget', isChecked: true }),
};
