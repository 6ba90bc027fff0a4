import { addressesRoutes } from './addresses.ts';
import { applicationsRoutes } from './applications.ts';
import { contactsRoutes } from './contacts.ts';
import { dataRoutes } from './data.ts';
import { loginEmailRoutes } from './login-email.ts';
import { passwordRoutes } from './password.ts';
import { profileRoutes } from './profile.ts';
import { sessionsRoutes } from './sessions.ts';

/** The account pages. */
export const accountRoutes = {
  ...profileRoutes,
  ...passwordRoutes,
  ...contactsRoutes,
  ...loginEmailRoutes,
  ...addressesRoutes,
  ...sessionsRoutes,
  ...applicationsRoutes,
  ...dataRoutes,
};
