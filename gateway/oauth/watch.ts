import type { EventEmitter } from 'node:events';
import type { Logger } from 'moleculer';
import type { errors, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { isError } from '../../lib/contract/errors.ts';
import { renderError } from '../../lib/contract/render-error.ts';
import { asApiError } from '../../lib/data/database-errors.ts';
import { renderErrorPage } from '../../web/error-page.ts';
import { confirmBeforeLeaving } from './leaving.ts';
import { completeLogout, renderPageIn } from './pages.ts';
import { currentExchange } from './request.ts';

/** An error of OAuth, or of the catalogue, which has a `message`. */
type Refusal = { error?: string; error_description?: string; message?: string };

/** Completes the answers of a provider, and logs its failures. */
export function watch(provider: Provider, logger: Logger): void {
  const failures = new WeakMap<object, unknown>();
  const refusals = new WeakMap<object, errors.OIDCProviderError>();
  provider.use(async (koa, next) => {
    const ctx = koa as unknown as KoaContextWithOIDC;
    await next();
    await completeLogout(ctx);
    await confirmBeforeLeaving(ctx, refusals.get(ctx));
    nameUnauthorized(ctx);
    hideUnissued(ctx);
    const failure = failures.get(ctx) ?? (await refusalOfAddress());
    if (isUnavailable(failure)) renderUnavailable(ctx);
    if (isError(failure, 'RATE_LIMITED')) renderRefusal(ctx, failure);
    if (isError(failure, 'ORGANIZATION_SUSPENDED')) renderSuspended(ctx, failure);
    recordError(ctx, refusals.get(ctx));
  });
  provider.on('authorization.error', (ctx, error) => void refusals.set(ctx, error));
  provider.on('server_error', (ctx, error) => {
    failures.set(ctx, error);
    if (!isExpected(error)) logger.error('The OpenID provider failed', { error });
  });
  // Koa's error event, for failures while an answer is sent.
  (provider as EventEmitter).on('error', (error) => logger.error('The OpenID provider failed', { error }));
}

/**
 * Sets the error of RFC 6749 section 5.2 for a grant type that the client may not use; the provider's is too general.
 */
function nameUnauthorized(ctx: KoaContextWithOIDC): void {
  const body = ctx.body as Refusal | undefined;
  if (body?.error_description !== 'requested grant type is not allowed for this client') return;
  ctx.body = { ...body, error: 'unauthorized_client' };
}

/** Removes `sid` from the announced claims. ID tokens do not carry it, because clients are not notified of logouts. */
function hideUnissued(ctx: KoaContextWithOIDC): void {
  const body = ctx.body as { claims_supported?: string[] } | undefined;
  if (ctx.oidc?.route !== 'discovery' || !body?.claims_supported) return;
  ctx.body = { ...body, claims_supported: body.claims_supported.filter((claim) => claim !== 'sid') };
}

/** Records the error of an answer, or the one that a page shows, for the log of the client's organization. */
function recordError({ status, body }: KoaContextWithOIDC, shown: Refusal | undefined): void {
  if (status < 400) return;
  const answer = typeof body === 'string' ? shown : (body as Refusal | undefined);
  if (!answer?.error) return;
  const { error, error_description: description, message = description ?? '' } = answer;
  currentExchange().request.answeredError = { error, message };
}

/** Counts an unauthenticated request by its address. Returns the error; null within the limit. */
async function refusalOfAddress(): Promise<unknown> {
  try {
    await currentExchange().meter.countAddress();
    return null;
  } catch (error) {
    return error;
  }
}

/** Whether an error is one that clients cause, or that passes. */
function isExpected(error: unknown): boolean {
  return isUnavailable(error) || isError(error, 'RATE_LIMITED') || isError(error, 'ORGANIZATION_SUSPENDED');
}

/** Browsers get a page, and programs the error of the catalogue. */
function renderSuspended(ctx: KoaContextWithOIDC, error: unknown): void {
  const { request } = currentExchange();
  if (ctx.oidc.route === 'token') {
    renderRefusal(ctx, error);
    return;
  }
  const rendered = renderError(error, request.requestId);
  request.answeredError = rendered.body;
  renderPageIn(ctx, renderErrorPage(rendered));
}

function renderRefusal(ctx: KoaContextWithOIDC, error: unknown): void {
  const { status, headers, body } = renderError(error, currentExchange().request.requestId);
  ctx.remove('WWW-Authenticate');
  ctx.status = status;
  ctx.set(headers);
  ctx.type = 'application/json; charset=utf-8';
  ctx.body = body;
}

function isUnavailable(error: unknown): boolean {
  return error != null && isError(asApiError(error), 'UNAVAILABLE');
}

/** Renders UNAVAILABLE as a temporary error, so that the client retries. */
function renderUnavailable(ctx: KoaContextWithOIDC): void {
  if (ctx.status !== 500) return;
  ctx.status = 503;
  ctx.set('Retry-After', '1');
  const isJson = (ctx.body as Refusal | undefined)?.error === 'server_error';
  if (isJson) ctx.body = { error: 'temporarily_unavailable', error_description: 'try again shortly' };
}
