import type { EventEmitter } from 'node:events';
import type { Logger } from 'moleculer';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { asApiError } from '../../lib/database-errors.ts';
import { isError } from '../../lib/errors.ts';
import { endPlatformSession } from './logout.ts';

type Refusal = { error?: string; error_description?: string };

/** Completes what a provider answers, and writes down what fails in it. */
export function watch(provider: Provider, logger: Logger): void {
  const failures = new WeakMap<object, unknown>();
  provider.use(async (koa, next) => {
    const ctx = koa as unknown as KoaContextWithOIDC;
    await next();
    await endPlatformSession(ctx);
    nameUnauthorized(ctx);
    if (isUnavailable(failures.get(ctx))) showUnavailable(ctx);
  });
  provider.on('server_error', (ctx, error) => {
    failures.set(ctx, error);
    if (!isUnavailable(error)) logger.error('The OpenID provider failed', { error });
  });
  // Koa's own event, for what fails on the way of an answer.
  (provider as EventEmitter).on('error', (error) => logger.error('The OpenID provider failed', { error }));
}

/** The error that RFC 6749 section 5.2 has for a grant that the client may not use; the provider gives a general one. */
function nameUnauthorized(ctx: KoaContextWithOIDC): void {
  const body = ctx.body as Refusal | undefined;
  if (body?.error_description !== 'requested grant type is not allowed for this client') return;
  ctx.body = { ...body, error: 'unauthorized_client' };
}

function isUnavailable(error: unknown): boolean {
  return error !== undefined && isError(asApiError(error), 'UNAVAILABLE');
}

/** A part of the platform that does not answer is no fault of ours, and a client should try again. */
function showUnavailable(ctx: KoaContextWithOIDC): void {
  if (ctx.status !== 500) return;
  ctx.status = 503;
  ctx.set('Retry-After', '1');
  const isJson = (ctx.body as Refusal | undefined)?.error === 'server_error';
  if (isJson) ctx.body = { error: 'temporarily_unavailable', error_description: 'try again shortly' };
}
