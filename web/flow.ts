import { minute, now, second } from '../lib/data/clock.ts';
import { isSigned, sign } from '../lib/security/encryption.ts';
import type { Browser } from './browser.ts';
import type { Form } from './define-page.ts';
import { type Html, html } from './html.ts';
import { texts } from './texts.ts';

/** Data that a form carries, such as the return URL. It is readable in the page. */
export type FlowData = Record<string, string | null>;

type Payload = { kind: string; issuedAt: number; data: FlowData };

const purpose = 'gateway.pages.flow';
const lifetime = 15 * minute;
/** Maximum difference between the clocks of two gateways. */
const clockSkew = 30 * second;

/**
 * Creates the CSRF token of a form. It proves that the platform recently rendered a form of this kind for this browser.
 * Another site cannot forge one, and every gateway can verify it without stored state.
 */
export function openFlow(browser: Browser, kind: string, data: FlowData): string {
  const payload: Payload = { kind, issuedAt: now().getTime(), data };
  const text = Buffer.from(JSON.stringify(payload)).toString('base64url');
  return `${text}.${sign(purpose, `${browser.requireId()} ${text}`)}`;
}

/** Reads the data of a token; null when it is of another kind or browser, modified, or older than 15 minutes. */
export function readFlow({ id }: Browser, kind: string, token: string): FlowData | null {
  const [text = '', signature = '', ...rest] = token.split('.');
  if (id === null || rest.length > 0) return null;
  if (!isSigned(purpose, `${id} ${text}`, signature)) return null;
  const payload = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Payload;
  const age = now().getTime() - payload.issuedAt;
  return payload.kind === kind && age >= -clockSkew && age <= lifetime ? payload.data : null;
}

/** The message for a form without a valid token of this kind; null when it has one. */
export function flowProblem(browser: Browser, kind: string, form: Form): string | null {
  if (readFlow(browser, kind, form.flow ?? '') !== null) return null;
  return browser.id === null ? texts().forms.noCookie : texts().forms.openTooLong;
}

/** The token as a field of its form. */
export function flowField(token: string): Html {
  return html`<input type="hidden" name="flow" value="${token}">`;
}
