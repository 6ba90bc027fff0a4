import { fail } from '../../lib/errors.ts';
import type { GatewayRequest, GatewayResponse } from '../exchange.ts';
import { sendError } from '../render-error.ts';
import { redirect } from './page.ts';

/** Redirects a browser at the platform's address to the account page. Other clients get 404. */
export const homeRoutes = {
  'GET /': ({ headers, requestId }: GatewayRequest, response: GatewayResponse): void => {
    if (headers.accept?.includes('text/html')) redirect(response, '/account');
    else sendError(response, fail('ROUTE_NOT_FOUND'), requestId);
  },
};
