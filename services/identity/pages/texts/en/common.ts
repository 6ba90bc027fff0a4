/** The fields that several pages have. */
export const fields = {
  email: 'Email address',
  emailMissing: 'Enter your email address.',
  password: 'Password',
  currentPassword: 'Current password',
  currentPasswordMissing: 'Enter your current password.',
  newPassword: 'New password',
  newPasswordHint: 'At least 8 characters. Several words in a row are easy to remember and hard to guess.',
  firstName: 'First name',
  lastName: 'Last name',
  kind: 'Type',
};

/** The buttons that several pages have. */
export const buttons = {
  add: 'Add',
  save: 'Save',
  remove: 'Remove',
  changePassword: 'Change password',
};

/** The accessible name of one of several equal buttons or links, with the item that it is for. */
export const nameOfButton = (button: string, item: string) => `${button}: ${item}`;

/** The roles of a member of an organization. */
export const roles = { owner: 'owner', admin: 'admin', member: 'member' };

/** The gallery of components, for development. */
export const gallery = { title: 'Components' };
