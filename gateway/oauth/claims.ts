/** The claims about a user that each scope grants (OpenID Connect Core 5.4). */
export const claimsOfScope: Readonly<Record<string, string[]>> = {
  openid: ['sub'],
  profile: [
    ...['name', 'given_name', 'middle_name', 'family_name', 'nickname'],
    ...['picture', 'gender', 'birthdate', 'locale', 'updated_at'],
  ],
  email: ['email', 'email_verified'],
};
