/** The claims about a user that each scope grants (OpenID Connect Core 5.4). */
export const claimsOfScope: Readonly<Record<string, string[]>> = {
  openid: ['sub'],
  profile: [
    ...['name', 'given_name', 'middle_name', 'family_name', 'nickname'],
    ...['picture', 'gender', 'birthdate', 'updated_at'],
  ],
  email: ['email', 'email_verified'],
};

/**
 * The claims of an ID token in addition to userinfo, for clients that read nothing else. The others, such as the birth
 * date, are available from userinfo only: ID tokens appear in URLs (`id_token_hint`) and are kept in logs and sessions.
 */
const claimsOfIdToken = ['name', 'picture', 'email', 'email_verified'];

/** The user's claims that an ID token may have. The provider omits claims whose scope was not granted. */
export function idTokenClaims(claims: Readonly<Record<string, string | number | boolean>>) {
  return Object.fromEntries(Object.entries(claims).filter(([name]) => claimsOfIdToken.includes(name)));
}
