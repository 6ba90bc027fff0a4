import { call } from '../../../../lib/contract/context.ts';
import { cutText } from '../../../../lib/format/graphemes.ts';
import { type Refusal, refusalOf } from '../../../../web/attempt.ts';
import { renderConfirmedForm } from '../../../../web/confirm.ts';
import { type FieldErrors, renderFields } from '../../../../web/fields.ts';
import { renderForm } from '../../../../web/form-page.ts';
import { type Html, html } from '../../../../web/html.ts';
import type { OrganizationVisit } from '../../../../web/organization-page.ts';
import type { Section } from '../../../../web/sections.ts';
import { renderEmpty } from '../../../../web/table.ts';
import { maxText } from '../../conversations/messages.ts';
import { maxReplyName } from '../../saved-replies.ts';
import { repliesOf, type SavedReply } from '../inbox/inbox-page.ts';
import { texts } from '../texts.ts';
import { hiddenFields, type SiteForm, websiteHref } from './websites-page.ts';

/** The fields of the form; the page has other fields with the names of the input. */
export const replyFields = ['replyId', 'replyName', 'replyText'] as const;
type ReplyFields = Record<(typeof replyFields)[number], string>;

/** Adds a saved reply, or changes the one that the form names. */
export async function saveReply(
  { ctx }: OrganizationVisit,
  { replyId, replyName: name, replyText: text }: ReplyFields,
): Promise<Refusal | null> {
  const refusal = await refusalOf(['name', 'text'], () =>
    replyId === ''
      ? call(ctx, 'connect.replies.create', { body: { name, text } })
      : call(ctx, 'connect.replies.update', { path: { replyId }, body: { name, text } }),
  );
  if (!refusal) return null;
  const { name: replyName, text: replyText } = refusal.errors;
  return { ...refusal, errors: { ...(replyName && { replyName }), ...(replyText && { replyText }) } };
}

/**
 * Returns the section with the saved replies, and the form of a new one or of the one that the URL or the form names.
 * `form`: null for users who may not change them.
 */
export async function repliesSection(
  visit: OrganizationVisit,
  form: SiteForm | null,
  errors: FieldErrors = {},
): Promise<Section> {
  const t = texts().websites.replies;
  const replies = await repliesOf(visit);
  const chosenId = visit.form.replyId ?? visit.query.replyId;
  const chosen = replies.find(({ replyId }) => replyId === chosenId) ?? null;
  const content = html`${replies.length === 0 ? renderEmpty(t.none) : html`<ul class="items">${replies.map((reply) => renderReply(visit, reply, form))}</ul>`}
${form && renderSaving(visit, form, { chosen, errors })}`;
  return { id: 'replies', title: t.title, words: t.words, content };
}

function renderReply(visit: OrganizationVisit, { replyId, name, text }: SavedReply, form: SiteForm | null): Html {
  const t = texts().websites.replies;
  const change = form && `${websiteHref(visit, form.siteId, { replyId })}#replies`;
  return html`<li><p><bdi>${name}</bdi></p><p class="hint clip"><bdi>${cutText(text.replace(/\s+/g, ' '), 140)}</bdi></p>
${
  form &&
  html`<div class="acts"><a class="btn sm" href="${change}"><span aria-hidden="true">${t.change}</span><span class="vh">${t.changeName(name)}</span></a>
${renderConfirmedForm({
  id: `remove-${replyId}`,
  action: `${form.path}/replies/remove`,
  flow: form.flow,
  fields: html`${hiddenFields(form)}<input type="hidden" name="replyId" value="${replyId}">`,
  submit: html`<span aria-hidden="true">${t.remove}</span><span class="vh">${t.removeName(name)}</span>`,
  question: t.question(name),
  consequence: t.consequence,
  confirm: t.confirm,
})}</div>`
}</li>`;
}

function renderSaving(
  { form: typed }: OrganizationVisit,
  form: SiteForm,
  { chosen, errors }: { chosen: SavedReply | null; errors: FieldErrors },
): Html {
  const t = texts().websites.replies;
  const fields = [
    {
      name: 'replyName',
      label: t.name,
      autocomplete: 'off',
      isRequired: true,
      maxLength: maxReplyName,
      value: typed.replyName ?? chosen?.name ?? '',
    },
    {
      name: 'replyText',
      label: t.text,
      autocomplete: 'off',
      isRequired: true,
      lines: 3,
      maxLength: maxText,
      value: typed.replyText ?? chosen?.text ?? '',
    },
  ];
  return renderForm({
    action: `${form.path}/replies`,
    flow: form.flow,
    fields: [
      hiddenFields(form),
      chosen && html`<input type="hidden" name="replyId" value="${chosen.replyId}">`,
      renderFields(fields, errors),
    ],
    submit: chosen ? t.save(chosen.name) : t.add,
  });
}
