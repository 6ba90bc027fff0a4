import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import { now } from '../../../lib/clock.ts';
import { personName } from '../../../lib/public-names.ts';
import { type Profile, profileFields, type UserDocument } from '../../../models/identity/user.ts';
import { changeUser } from '../users/change-user.ts';
import { exampleUser, toUserResponse, userOutput } from './user-output.ts';

const maxNameLength = 100;
const maxUrlLength = 2048;
const earliestBirthDate = '1900-01-01';

const name = personName(maxNameLength).nullable();

const birthDate = z
  .string()
  .refine(isPastDate, `Must be a calendar date as YYYY-MM-DD, from ${earliestBirthDate} to today.`)
  .nullable();

const avatarUrl = z
  .string()
  .max(maxUrlLength, `Must be at most ${maxUrlLength} characters.`)
  .refine(isPublicUrl, 'Must be an http or https address of an image, without user name and password.')
  .nullable();

/** The profile input: null clears a field, and an absent one stays as it is. */
const profileInput = z
  .strictObject({
    firstName: name,
    middleName: name,
    lastName: name,
    preferredName: name,
    birthDate,
    gender: name,
    displayName: name,
    avatarUrl,
  } satisfies Record<keyof Profile, z.ZodType>)
  .partial();

/** PATCH /identity/me: changes the profile fields in the body; a body without fields changes nothing. */
export const updateMe = defineAction({
  rest: 'PATCH /identity/me',
  summary: 'Change your profile',
  permission: 'session',
  input: { body: profileInput },
  output: userOutput,
  errors: ['CONFLICT'],
  example: {
    body: { firstName: 'Ada', middleName: 'King', lastName: 'Lovelace', preferredName: 'Ada' },
    output: { ...exampleUser, middleName: 'King', preferredName: 'Ada', updatedAt: '2026-03-05T14:00:00.000Z' },
  },
  async handler({ body, caller, ctx }) {
    const { before, after } = await changeUser(caller.id, (user) => profileChange(user, body));
    const fields = profileFields.filter((field) => before[field] !== after[field]);
    if (fields.length > 0) {
      const target = { type: 'user', id: caller.id };
      await recordAuditEvent(ctx, { action: 'user.updated', userId: caller.id, target, after: { fields } });
    }
    return toUserResponse(after, caller);
  },
});

function profileChange(user: UserDocument, sent: z.output<typeof profileInput>): Partial<Profile> {
  const changed = Object.entries(sent).filter(([field, value]) => user[field as keyof Profile] !== value);
  return Object.fromEntries(changed);
}

function isPastDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const instant = new Date(`${text}T00:00:00.000Z`);
  // The 31st of a short month is read as a day of the next one.
  if (Number.isNaN(instant.getTime()) || !instant.toISOString().startsWith(text)) return false;
  return text >= earliestBirthDate && instant <= now();
}

function isPublicUrl(text: string): boolean {
  // The parser would drop or convert these characters, and the stored text would differ from the checked one.
  if (/[\s\\\p{Cc}\p{Cs}]/u.test(text)) return false;
  const url = URL.parse(text);
  if (!url || !/^https?:\/\//i.test(text)) return false;
  return url.username === '' && url.password === '';
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.me.update': typeof updateMe;
  }
}
