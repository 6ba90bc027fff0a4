import { flowField } from './flow.ts';
import { type Content, type Html, html } from './html.ts';
import { useScript } from './script.ts';
import { texts } from './texts.ts';

export type ConfirmedForm = {
  /** Unique on the page. */
  id: string;
  action: string;
  flow: string;
  fields?: Content;
  submit: Content;
  /** The dialog title: a question. */
  question: string;
  /** The consequence of confirming. */
  consequence: string;
  /** Label of the confirm button; it repeats the verb of the question. */
  confirm: string;
  /** Whether the action can be undone or repeated. The buttons are not red then. */
  isMild?: boolean;
};

/** Renders a form for an irreversible action, with a confirmation dialog. Without scripts it is submitted directly. */
export function renderConfirmedForm(form: ConfirmedForm): Html {
  const { id, action, flow, fields, submit, question, consequence, confirm, isMild = false } = form;
  return html`<form method="post" action="${action}" data-confirm="${id}">${flowField(flow)}
${fields}
<button class="btn ${isMild ? 'sm' : 'danger'}">${submit}</button></form>
<dialog id="${id}" aria-labelledby="${id}-question"><form method="dialog">
<header><div><h2 id="${id}-question">${question}</h2><p>${consequence}</p></div></header>
<footer><button class="btn" autofocus>${texts().dialog.cancel}</button><button value="confirm" class="btn ${isMild ? 'primary' : 'danger solid'}">${confirm}</button></footer>
</form></dialog>
${useScript('confirm')}`;
}

/** How it looks, for the gallery. */
export const examples = {
  'Form with a confirmation': () =>
    renderConfirmedForm({
      id: 'example-confirm',
      action: '/dev/gallery',
      flow: '',
      submit: 'End all other sessions',
      question: 'End all other sessions?',
      consequence: 'Every other browser is logged out.',
      confirm: 'End them',
    }),
  'Form with a mild confirmation': () =>
    renderConfirmedForm({
      id: 'example-mild',
      action: '/dev/gallery',
      flow: '',
      submit: 'Replace secret',
      question: 'Replace the secret?',
      consequence: 'The previous one works for another 24 hours.',
      confirm: 'Replace secret',
      isMild: true,
    }),
};
