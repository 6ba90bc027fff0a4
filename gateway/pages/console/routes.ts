import { billingRoutes } from './billing.ts';
import { cancelRoutes } from './cancel.ts';

/** The pages on which people look after their organizations. */
export const consoleRoutes = {
  ...billingRoutes,
  ...cancelRoutes,
};
