import { el } from './dom.ts';
import type { Written } from './log.ts';
import type { Texts } from './texts.ts';

/** Minimal format of an email address; the platform validates the rest. */
const address = /^[^\s@.]+(?:\.[^\s@.]+)*@[^\s@.]+(?:\.[^\s@.]+)+\.?$/;

/** Creates the contact fields, for a visitor whom no agent can answer now. */
export function createContact(texts: Texts) {
  const name = el('input', { id: 'name', type: 'text', autocomplete: 'name', maxlength: '100' });
  const email = el('input', {
    id: 'email',
    type: 'email',
    autocomplete: 'email',
    inputmode: 'email',
    maxlength: '254',
  });
  const error = el('p', { class: 'error', id: 'email-error', role: 'alert' });
  const element = el(
    'fieldset',
    { class: 'contact' },
    el('legend', {}, texts.contactLead),
    labelled(texts.name, name, texts),
    labelled(texts.email, email, texts),
    error,
  );
  element.hidden = true;
  email.oninput = () => complain(false);

  function complain(isWrong: boolean): void {
    error.textContent = isWrong ? texts.emailWrong : '';
    email.toggleAttribute('aria-invalid', isWrong);
    if (isWrong) {
      email.setAttribute('aria-invalid', 'true');
      email.setAttribute('aria-describedby', 'email-error');
    } else email.removeAttribute('aria-describedby');
  }

  return {
    element,
    focus: () => name.focus(),
    isWanted: () => !element.hidden && name.value === '' && email.value === '',
    show(isShown: boolean) {
      element.hidden = !isShown;
    },
    /** Reads the fields; null when they are invalid, with a message at the field. */
    read(): Omit<Written, 'text'> | null {
      if (element.hidden) return {};
      const fields = { name: name.value.trim(), email: email.value.trim() };
      const isWrong = fields.email !== '' && !address.test(fields.email);
      complain(isWrong);
      if (isWrong) {
        email.focus();
        return null;
      }
      return { ...(fields.name && { name: fields.name }), ...(fields.email && { email: fields.email }) };
    },
  };
}

function labelled(words: string, field: HTMLInputElement, { optional }: Texts): HTMLElement {
  return el('label', { for: field.id }, `${words} `, el('span', { class: 'hint' }, optional), field);
}
