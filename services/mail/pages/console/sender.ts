import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { type Refusal, refusalOf } from '../../../../web/attempt.ts';
import { type Field, renderFields } from '../../../../web/fields.ts';
import { flowField } from '../../../../web/flow.ts';
import { type Html, html } from '../../../../web/html.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  rejectChange,
  renderAreaTabs,
  renderOrganizationPage,
  renderReadOnly,
} from '../../../../web/organization-page.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pickFields } from '../../../../web/pick.ts';
import { flashMessage, openUserFlow } from '../../../../web/user-page.ts';
import { texts } from './texts.ts';

const formKind = 'mail sender';
const names = ['fromName', 'from', 'replyTo'] as const;
type Values = Record<(typeof names)[number], string>;

/** The sender of the organization's mail. */
export const senderPages = {
  'pages.console.sender.show': organizationPage('sender', {
    rest: 'GET',
    summary: 'Show the sender of the mail of an organization',
    handler: async (visit) => renderSender(visit, valuesOf(await call(visit.ctx, 'mail.settings.read', {}))),
  }),
  'pages.console.sender.save': organizationPage('sender', {
    rest: 'POST',
    summary: 'Save the sender of the mail of an organization',
    handler: save,
  }),
};

function valuesOf({ fromName, from, replyTo }: CallOutput<'mail.settings.read'>): Values {
  return { fromName, from, replyTo: replyTo ?? '' };
}

async function save(visit: OrganizationVisit): Promise<PageAnswer> {
  const typed = pickFields(visit.form, ...names);
  const refusal =
    rejectChange(visit, formKind, texts().sender.lacks) ??
    (await refusalOf(names, () => call(visit.ctx, 'mail.settings.write', { body: bodyOf(visit, typed) })));
  if (refusal) return renderSender(visit, typed, refusal);
  return redirectTo(pathOf(visit, 'sender', [], { done: 'saved' }));
}

/** The name of the organization is its default: it changes with the organization. */
function bodyOf({ organization }: OrganizationVisit, { fromName, from, replyTo }: Values) {
  const own = fromName.trim() === organization.name ? '' : fromName;
  return { fromName: own.trim() || null, from: from.trim() || null, replyTo: replyTo.trim() || null };
}

function renderSender(visit: OrganizationVisit, values: Values, refusal?: Refusal): PageAnswer {
  const t = texts().sender;
  const isFixed = !visit.mayChange;
  const address = { type: 'email', autocomplete: 'off', maxLength: 254, isFixed } as const;
  const fromName = { name: 'fromName', label: t.fromName, hint: t.fromNameHint, autocomplete: 'off', isFixed };
  const sender: Field[] = [
    { ...fromName, value: values.fromName, maxLength: 100 },
    { ...address, name: 'from', label: t.from, hint: t.fromHint, value: values.from },
  ];
  const answers: Field = {
    ...address,
    name: 'replyTo',
    label: t.replyTo,
    hint: t.replyToHint,
    value: values.replyTo,
  };
  return renderOrganizationPage(visit, {
    title: t.title,
    lead: t.lead,
    notice: flashMessage(visit, { saved: t.saved }),
    refusal,
    body: html`${renderAreaTabs(visit)}${renderReadOnly(visit)}
<form method="post" action="${pathOf(visit, 'sender')}" class="form-rows" novalidate>
${visit.mayChange && flowField(openUserFlow(visit, formKind))}
${renderRow('h-sender', t.names, t.namesWords, renderFields(sender, refusal?.errors))}
${renderRow('h-answers', t.answers, t.answersWords, renderFields([answers], refusal?.errors))}
${visit.mayChange && html`<div class="save"><button class="btn primary">${t.submit}</button></div>`}
</form>`,
  });
}

function renderRow(id: string, title: string, words: string, fields: Html[]): Html {
  return html`<section class="form-row stacked" aria-labelledby="${id}"><div><h2 id="${id}">${title}</h2><p>${words}</p></div><div class="form">${fields}</div></section>`;
}
