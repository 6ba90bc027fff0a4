import { accountPages } from './account/actions.ts';
import { contactConfirmationPages } from './contact-confirmation.ts';
import { galleryPages } from './gallery.ts';
import { invitationPages } from './invitations.ts';
import { loginPages } from './login.ts';
import { logoutPages } from './logout.ts';
import { recoveryPages } from './recovery.ts';
import { registrationPages } from './registration.ts';
import { leavePages } from './return-to.ts';

/** The pages on which people log in and look after their account. */
export const pageActions = {
  ...loginPages,
  ...logoutPages,
  ...leavePages,
  ...registrationPages,
  ...recoveryPages,
  ...contactConfirmationPages,
  ...invitationPages,
  ...accountPages,
  ...galleryPages,
};
