import { createContact } from './contact.ts';
import { el, iconButton } from './dom.ts';
import type { Written } from './log.ts';
import type { Texts } from './texts.ts';

type Composer = {
  form: HTMLFormElement;
  focus: () => void;
  /** Shows or hides the visitor's contact fields. */
  showContact: (isShown: boolean) => void;
  setEnabled: (isEnabled: boolean) => void;
};

type Acts = { send: (written: Written) => void; type: () => void };

const sendPath = 'M5 12h14M13 6l6 6-6 6';
const maxText = 5000;

/** Creates the form for messages: Enter sends, Shift and Enter insert a line break. */
export function createComposer(texts: Texts, acts: Acts): Composer {
  const field = createField(texts);
  const send = iconButton(texts.send, sendPath, { type: 'submit', class: 'send' });
  const contact = createContact(texts);
  const form = el(
    'form',
    { class: 'composer', novalidate: '' },
    contact.element,
    el('div', { class: 'row' }, field, send),
  );

  function submit(): void {
    const text = field.value.trim();
    const contactFields = text === '' ? null : contact.read();
    if (contactFields === null) return;
    field.value = '';
    grow(field);
    acts.send({ text, ...contactFields });
    field.focus();
  }

  form.onsubmit = (event) => {
    event.preventDefault();
    submit();
  };
  field.onkeydown = (event) => {
    // Key code 229 belongs to an IME composition in browsers that report its end too early.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    submit();
  };
  field.oninput = () => {
    grow(field);
    if (field.value.trim() !== '') acts.type();
  };
  return {
    form,
    focus: () => (contact.isWanted() ? contact.focus() : field.focus()),
    showContact: contact.show,
    setEnabled(isEnabled) {
      field.disabled = !isEnabled;
      send.disabled = !isEnabled;
    },
  };
}

function createField({ placeholder, message }: Texts): HTMLTextAreaElement {
  const limits = { rows: '1', maxlength: String(maxText) };
  return el('textarea', { ...limits, placeholder, 'aria-label': message, dir: 'auto', enterkeyhint: 'send' });
}

function grow(field: HTMLTextAreaElement): void {
  field.style.height = 'auto';
  field.style.height = `${field.scrollHeight + 2}px`;
}
