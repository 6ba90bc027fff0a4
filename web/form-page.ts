import type { Refusal } from './attempt.ts';
import { renderNotice, renderProblems } from './fields.ts';
import { flowField } from './flow.ts';
import { type Content, type Html, html } from './html.ts';
import { type Page, type PageAnswer, renderPage } from './page.ts';
import { texts } from './texts.ts';

export type FormPage = {
  title: string;
  /** A sentence or two above the form. */
  lead?: Content;
  notice?: string | null | undefined;
  refusal?: Refusal | null | undefined;
  form: FormParts;
  /** Links below the form. */
  links?: Content;
  /** A sentence with a link below the sheet: to the other way in. */
  under?: Content;
  formsLeave?: boolean;
  organization?: Page['organization'];
};

export type FormParts = {
  action: string;
  flow: string;
  fields?: Content;
  submit: string;
  /** Set for an irreversible action. */
  isDangerous?: boolean;
  /** Set where another act of the page comes first: a page has one primary button. */
  isSecond?: boolean;
};

/** Renders a page with one form. A refusal is shown at the top, and sets the status. */
export function renderFormPage(page: FormPage): PageAnswer {
  const { title, lead, notice, refusal, form, links, under, organization, formsLeave = false } = page;
  const body = html`<div><h1>${title}</h1>${lead && html`<p class="lede">${lead}</p>`}</div>
${renderNotice(notice)}
${refusal && renderProblems([refusal.problem], refusal.errors)}
${renderForm(form)}
${links && html`<div class="links">${links}</div>`}`;
  return renderPage({ ...headOf(title, refusal), body, under, organization, formsLeave });
}

/** Title, status and headers of a page, with or without a refusal. */
export function headOf(title: string, refusal: Refusal | null | undefined): Omit<Page, 'body'> {
  if (!refusal) return { title };
  const { status, headers = {} } = refusal;
  return { title: texts().forms.refusedTitle(title), status, headers };
}

/** Renders a form that the server and not the browser validates, so that all browsers show the same messages. */
export function renderForm({ action, flow, fields, submit, isDangerous = false, isSecond = false }: FormParts): Html {
  const look = isDangerous ? ' danger solid' : isSecond ? '' : ' primary';
  return html`<form method="post" action="${action}" class="form" novalidate>
${flowField(flow)}
${fields}
<div class="acts"><button type="submit" class="btn${look}">${submit}</button></div>
</form>`;
}
