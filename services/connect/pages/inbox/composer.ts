import { randomUUID } from 'node:crypto';
import type { Refusal } from '../../../../web/attempt.ts';
import { flowField } from '../../../../web/flow.ts';
import { type Html, html } from '../../../../web/html.ts';
import { maxText } from '../../conversations/messages.ts';
import { texts } from '../texts.ts';
import { type InboxVisit, inboxHref } from './inbox-page.ts';

/** What was typed before a refusal. */
export type Typed = { kind: string; text: string };

type ComposerParts = { conversationId: string; flow: string; typed: Typed; refusal: Refusal | null };

/** The form of an answer or a note, which look different, and what its script needs for those on their way. */
export function showComposer(visit: InboxVisit, { conversationId, flow, typed, refusal }: ComposerParts): Html {
  const { compose, live, you, note } = texts().inbox;
  const { kind, text } = typed;
  const error = refusal?.errors.text;
  const choice = (value: string, name: string) =>
    html`<label><input type="radio" name="kind" value="${value}"${(kind === 'note') === (value === 'note') && html` checked`}>${name}</label>`;
  return html`<form method="post" action="${inboxHref(visit, conversationId, {}, '/messages')}" class="composer" id="composer" novalidate>
${flowField(flow)}<input type="hidden" name="orgId" value="${visit.orgId}"><input type="hidden" name="echoId" value="${randomUUID()}">
<fieldset class="switch"><legend class="spoken">${compose.kind}</legend>${choice('reply', compose.reply)}${choice('note', compose.note)}</fieldset>
${error && html`<p class="error" id="text-error">${error}</p>`}
<div class="row"><textarea id="text" name="text" rows="2" maxlength="${maxText}" aria-label="${compose.text}" placeholder="${compose.placeholder}" dir="auto"${error && html` aria-invalid="true" aria-describedby="text-error"`}>
${text}</textarea>
<button>${compose.send}</button></div>
<p class="hint keys" hidden>${compose.hint}</p></form>
<template id="draft"><article class="message team pending" data-own><p class="author">${you} <span class="tag" hidden>${note}</span></p>
<div class="bubble" dir="auto"></div><p class="meta"><span data-sending>${live.sending}</span><span data-failed hidden>${live.failed} <button type="button">${live.again}</button></span></p></article></template>`;
}
