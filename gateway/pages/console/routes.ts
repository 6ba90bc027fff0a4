import { billingRoutes } from './billing.ts';
import { cancelRoutes } from './cancel.ts';

/** The pages of an organization. */
export const consoleRoutes = {
  ...billingRoutes,
  ...cancelRoutes,
};
