import { z } from 'zod';
import { inputError } from '../../lib/contract/errors.ts';
import { oneOf } from '../../lib/contract/json-schema.ts';
import type { SubjectId } from './graph/changes.ts';

const maxNameLength = 256;

/** A name in an input: any text is accepted; an unknown name is valid. */
export const nameInput = z.string().min(1).max(maxNameLength);

/** For `.meta` of an object with {@link subjectInput}. */
export const oneSubject = oneOf('userId', 'applicationId');

/** The subject of an input and its organization. Exactly one of the two ids is given: {@link subjectOf}. */
export const subjectInput = {
  userId: nameInput
    .optional()
    .describe('The id of the member (`usr_…`). Exactly one of `userId` and `applicationId` is sent.'),
  applicationId: nameInput
    .optional()
    .describe('The id of the application (`app_…`). Exactly one of `userId` and `applicationId` is sent.'),
  context: z
    .strictObject({ orgId: nameInput.optional() })
    .optional()
    .describe('The organization; by default the one of the credential.'),
};

type Named = { userId?: string | undefined; applicationId?: string | undefined };

/** An id that no subject has. */
const nobody = '';

/**
 * The user or the application that an input names; an id that matches no subject where the text is not of that kind.
 *
 * @throws INPUT_INVALID unless it names exactly one of them.
 */
export function subjectOf({ userId, applicationId }: Named, path = 'body'): SubjectId {
  if (userId !== undefined && applicationId === undefined) return userId.startsWith('usr_') ? userId : nobody;
  if (applicationId !== undefined && userId === undefined) return isApplication(applicationId) ? applicationId : nobody;
  throw inputError([{ path: `${path}.userId`, message: 'Exactly one of userId and applicationId is required.' }]);
}

export function isApplication(subject: SubjectId): boolean {
  return subject.startsWith('app_');
}
