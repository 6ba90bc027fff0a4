import { randomBytes } from 'node:crypto';
import { day, fromNow, minute, now, second } from '../../lib/clock.ts';
import { isSigned, sign } from '../../lib/signature.ts';
import { readCookie, setCookie } from '../cookies.ts';
import type { GatewayRequest, GatewayResponse } from '../exchange.ts';
import type { Form } from './form.ts';
import { type Html, html } from './html.ts';

/** The data that a form carries, such as the address to return to. It is readable in the page. */
export type FlowData = Record<string, string | null>;

type Payload = { kind: string; issuedAt: number; data: FlowData };

const purpose = 'gateway.pages.flow';
const lifetime = 15 * minute;
/** Longer than the lifetime of any mailed link that is compared with the browser that requested it. */
const browserLifetime = 30 * day;
/** How far the clocks of two gateways may differ. */
const clockSkew = 30 * second;
const browserPattern = /^[A-Za-z0-9_-]{22}$/;

const named = new WeakMap<GatewayRequest, string>();

/** The random id of this browser, 128 bits, from its cookie; created and set if missing. It holds no personal data. */
export function browserOf(request: GatewayRequest, response: GatewayResponse): string {
  const known = named.get(request) ?? knownBrowser(request);
  if (known !== undefined) return known;
  const browser = randomBytes(16).toString('base64url');
  named.set(request, browser);
  setCookie(response, 'browser', browser, fromNow(browserLifetime));
  return browser;
}

/**
 * The CSRF token of a form. It proves that the platform showed a form of this kind to this browser recently. Another
 * site cannot forge one, and any gateway of the pool can verify it, because it needs no stored state.
 */
export function openFlow(request: GatewayRequest, response: GatewayResponse, kind: string, data: FlowData): string {
  const payload: Payload = { kind, issuedAt: now().getTime(), data };
  const text = Buffer.from(JSON.stringify(payload)).toString('base64url');
  return `${text}.${sign(purpose, `${browserOf(request, response)} ${text}`)}`;
}

/** The data of a token; null when it is of another kind or browser, modified, or older than 15 minutes. */
export function readFlow(request: GatewayRequest, kind: string, token: string): FlowData | null {
  const browser = knownBrowser(request);
  const [text = '', signature = '', ...rest] = token.split('.');
  if (browser === undefined || rest.length > 0) return null;
  if (!isSigned(purpose, `${browser} ${text}`, signature)) return null;
  const payload = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Payload;
  const age = now().getTime() - payload.issuedAt;
  return payload.kind === kind && age >= -clockSkew && age <= lifetime ? payload.data : null;
}

/** The message for a form without a valid token of this kind; null when it has one. */
export function flowProblem(request: GatewayRequest, kind: string, form: Form): string | null {
  if (readFlow(request, kind, form.flow ?? '') !== null) return null;
  return knownBrowser(request) === undefined
    ? 'Your browser did not send our cookie. Allow cookies for this page and try again.'
    : 'This page was open for too long. Try again.';
}

/** The token as a field of its form. */
export function flowField(token: string): Html {
  return html`<input type="hidden" name="flow" value="${token}">`;
}

function knownBrowser(request: GatewayRequest): string | undefined {
  const value = readCookie(request, 'browser');
  return value !== undefined && browserPattern.test(value) ? value : undefined;
}
