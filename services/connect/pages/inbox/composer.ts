import { randomUUID } from 'node:crypto';
import type { Refusal } from '../../../../web/attempt.ts';
import { flowField } from '../../../../web/flow.ts';
import { type Html, html } from '../../../../web/html.ts';
import { maxBytes } from '../../attachments/attachments.ts';
import { maxAttachments, maxText } from '../../conversations/messages.ts';
import { texts } from '../texts.ts';
import { type InboxVisit, inboxHref } from './inbox-page.ts';

/** The input of a rejected form. */
export type Typed = { kind: string; text: string };

/** A paper clip icon, 24 by 24. */
const clip = 'M8 12.5l6.5-6.5a3 3 0 0 1 4.2 4.2l-8.4 8.5a5 5 0 0 1-7-7.1l8-8';

type ComposerParts = { conversationId: string; flow: string; typed: Typed; refusal: Refusal | null };

/** Renders the form of an answer or a note, and the templates that its script needs for pending ones. */
export function renderComposer(visit: InboxVisit, { conversationId, flow, typed, refusal }: ComposerParts): Html {
  const { compose, files, live, you, note } = texts().inbox;
  const { kind, text } = typed;
  const error = refusal?.errors.text;
  const choice = (value: string, name: string) =>
    html`<label><input type="radio" name="kind" value="${value}"${(kind === 'note') === (value === 'note') && html` checked`}>${name}</label>`;
  return html`<form method="post" action="${inboxHref(visit, conversationId, {}, '/messages')}" class="composer" id="composer" novalidate>
${flowField(flow)}<input type="hidden" name="orgId" value="${visit.orgId}"><input type="hidden" name="echoId" value="${randomUUID()}">
<fieldset class="switch"><legend class="spoken">${compose.kind}</legend>${choice('reply', compose.reply)}${choice('note', compose.note)}</fieldset>
${error && html`<p class="error" id="text-error">${error}</p>`}
<ul id="chosen" class="chosen" aria-label="${files.chosen}" data-most="${maxAttachments}" data-uploading="${files.uploading}" data-failed="${files.failed}" data-wait="${files.wait}" data-remove-first="${files.removeFirst}" data-too-many="${files.tooMany(maxAttachments)}" data-empty="${files.empty}" data-largest="${maxBytes}" data-too-large="${files.tooLarge('10 MB')}" data-remove="${files.remove('{name}')}" hidden></ul>
<div class="row"><label class="attach" title="${files.attach}" hidden><span class="spoken">${files.attach}</span><svg viewBox="0 0 24 24" aria-hidden="true"><path d="${clip}"/></svg><input type="file" id="files" multiple></label><textarea id="text" name="text" rows="2" maxlength="${maxText}" aria-label="${compose.text}" placeholder="${compose.placeholder}" dir="auto"${error && html` aria-invalid="true" aria-describedby="text-error"`}>
${text}</textarea>
<button>${compose.send}</button></div>
<p class="hint keys" hidden>${compose.hint}</p></form>
<template id="chosen-file"><li><bdi class="name"></bdi> <span class="state" role="status"></span><button type="button" class="quiet">×</button></li></template>
<template id="draft"><article class="message team pending" data-own><p class="author">${you} <span class="tag" hidden>${note}</span></p>
<div class="bubble" dir="auto"></div><ul class="files"></ul><p class="meta"><span data-sending>${live.sending}</span><span data-failed hidden>${live.failed} <button type="button">${live.again}</button></span></p></article></template>`;
}
