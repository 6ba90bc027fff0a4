import { accountRoutes } from './account/routes.ts';
import { checkoutRoutes } from './billing/checkout.ts';
import { consoleRoutes } from './console/routes.ts';
import { contactConfirmationRoutes } from './contact-confirmation.ts';
import { homeRoutes } from './home.ts';
import { invitationRoutes } from './invitations.ts';
import { loginRoutes } from './login.ts';
import { logoutRoutes } from './logout.ts';
import { recoveryRoutes } from './recovery.ts';
import { registrationRoutes } from './registration.ts';
import { leaveRoutes } from './return-to.ts';
import { styleRoutes } from './style.ts';

/** The server-rendered pages, without scripts: login, account and organizations. */
export const pageRoutes = {
  ...homeRoutes,
  ...styleRoutes,
  ...loginRoutes,
  ...logoutRoutes,
  ...leaveRoutes,
  ...registrationRoutes,
  ...recoveryRoutes,
  ...contactConfirmationRoutes,
  ...invitationRoutes,
  ...accountRoutes,
  ...checkoutRoutes,
  ...consoleRoutes,
};
