import type { HttpListener } from '../http/dispatch.ts';
import { applyRateLimit, limitAddress } from '../http/rate-limit.ts';
import { clientNetwork, type HttpRequest, type HttpResponse, readCookie } from '../http/request.ts';
import { pageContextOf, redirect, sendPage } from '../http/send-page.ts';
import { sendsMail } from '../lib/clients/mail.ts';
import { type CallContext, call } from '../lib/contract/context.ts';
import { errorCode } from '../lib/contract/errors.ts';
import { settings } from '../lib/settings/settings.ts';
import { renderCode } from '../web/code.ts';
import { type Html, html } from '../web/html.ts';
import { type IconName, renderIcon } from '../web/icons.ts';
import { brand, type PageAnswer, renderPage } from '../web/page.ts';
import { runInPageContext } from '../web/page-context.ts';
import { renderOtherLanguages } from '../web/shell.ts';
import { highlight } from './docs/highlight.ts';
import { texts } from './texts.ts';

/** The addresses that a program needs first. */
export function platformAddresses() {
  const { PUBLIC_URL, STORAGE_URL, BRAND_NAME } = settings;
  return {
    name: BRAND_NAME,
    console: `${PUBLIC_URL}/console`,
    docs: `${PUBLIC_URL}/docs`,
    openapi: `${PUBLIC_URL}/openapi.json`,
    openid: `${PUBLIC_URL}/oauth2/.well-known/openid-configuration`,
    storage: STORAGE_URL,
    health: `${PUBLIC_URL}/health/ready`,
  };
}

/**
 * Sends the page at the platform's address, or redirects a user who is logged in to the console. Rate limits count by
 * address.
 *
 * @throws RATE_LIMITED
 */
export async function sendFrontPage(
  { tools }: HttpListener,
  request: HttpRequest,
  response: HttpResponse,
): Promise<void> {
  applyRateLimit(response, await limitAddress(tools.limit, clientNetwork(request)));
  if (await isLoggedIn(tools, request)) return redirect(response, '/console');
  const closed = await whyClosed(request.ctx);
  sendPage(
    response,
    runInPageContext(pageContextOf(request), () => renderFrontPage(closed)),
  );
}

/** Why no account can be created on this page; null where one can. */
type Closed = 'invitation' | 'mail' | null;

/** An identity service that does not answer counts as open: its page says what is wrong. */
async function whyClosed(ctx: CallContext): Promise<Closed> {
  const [{ mode }, isMailOn] = await Promise.all([
    call(ctx, 'identity.accounts.registration-mode', { body: {} }).catch(() => ({ mode: 'open' })),
    sendsMail(ctx),
  ]);
  if (mode === 'invitation') return 'invitation';
  return isMailOn ? null : 'mail';
}

async function isLoggedIn({ authenticator }: HttpListener['tools'], request: HttpRequest): Promise<boolean> {
  const session = readCookie(request, 'session');
  if (session === undefined) return false;
  try {
    await authenticator.authenticate(request.ctx, { authorization: undefined, session });
    return true;
  } catch (error) {
    if (errorCode(error) === null) throw error;
    return false;
  }
}

const logInPath = '/self-service/login/browser';
const registerPath = '/self-service/registration/browser';

function renderFrontPage(closed: Closed): PageAnswer {
  const t = texts().front;
  return renderPage({
    title: t.title,
    layout: 'front',
    body: html`<header><a class="brandmark" href="/">${brand}</a><nav aria-label="${t.pages}"><a class="btn plain sm" href="/docs">${t.docs}</a><a class="btn sm" href="${logInPath}">${t.logIn}</a></nav></header>
<main id="main">
<div class="hero">${renderWords(closed)}
${renderRequest()}</div>
<nav class="doors" aria-label="${t.start}">${doors.map(renderDoor)}</nav>
<section class="sec first" aria-labelledby="h-services"><div class="sec-head"><h2 id="h-services">${t.services.title}</h2></div>
<ul class="svc">${Object.entries(t.services.list).map(renderService)}</ul></section>
</main>
${renderOtherLanguages()}`,
  });
}

function renderWords(closed: Closed): Html {
  const t = texts().front;
  return html`<div><h1>${t.heading}</h1>
<p class="lede">${t.lede(settings.BRAND_NAME)}</p>
<div class="acts"><a class="btn primary lg" href="${logInPath}">${t.logIn}${renderIcon('arrow')}</a>${closed === null && html`<a class="btn lg" href="${registerPath}">${t.register}</a>`}</div>
${closed !== null && html`<p class="hint after">${t.closed[closed]}</p>`}</div>`;
}

/** A request that works without a key, with its answer. */
function renderRequest(): Html {
  const { request, answer, needsNoKey } = texts().front;
  const curl = `curl -sS ${settings.PUBLIC_URL}/`;
  const json = JSON.stringify(platformAddresses(), null, 2);
  return html`<div class="try">${renderCode({ label: request, text: curl, shown: highlight(curl, 'sh') })}
${renderCode({ label: answer, text: json, shown: highlight(json, 'json') })}
<p class="hint">${needsNoKey}</p></div>`;
}

type Door = { key: keyof ReturnType<typeof texts>['front']['doors']; href: string; icon: IconName };

const doors: readonly Door[] = [
  { key: 'console', href: '/console', icon: 'overview' },
  { key: 'docs', href: '/docs', icon: 'docs' },
  { key: 'reference', href: '/docs/api', icon: 'terminal' },
  { key: 'openapi', href: '/openapi.json', icon: 'code' },
  { key: 'openid', href: '/oauth2/.well-known/openid-configuration', icon: 'passkey' },
];

function renderDoor({ key, href, icon }: Door): Html {
  const { name, words } = texts().front.doors[key];
  return html`<a href="${href}">${renderIcon(icon)}<b>${name}</b><span class="quiet">${words}</span><code>${href}</code></a>
`;
}

function renderService([tag, words]: [tag: string, words: string]): Html {
  return html`<li><a href="/docs/api/${tag}">${tag}</a><p class="quiet">${words}</p></li>
`;
}
