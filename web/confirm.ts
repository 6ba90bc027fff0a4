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
};

/** Renders a form for an irreversible action, with a confirmation dialog. Without scripts it is submitted directly. */
export function renderConfirmedForm(form: ConfirmedForm): Html {
  const { id, action, flow, fields, submit, question, consequence, confirm } = form;
  return html`<form method="post" action="${action}" data-confirm="${id}">${flowField(flow)}
${fields}
<button class="quiet danger">${submit}</button></form>
<dialog id="${id}" aria-labelledby="${id}-question"><h2 id="${id}-question">${question}</h2>
<p>${consequence}</p>
<form method="dialog" class="acts"><button value="confirm" class="danger">${confirm}</button>
<button class="quiet" autofocus>${texts().dialog.cancel}</button></form></dialog>
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
};
