import { z } from 'zod';
import { nameInput, subjectInput } from '../assignments/subjects.ts';

/** A question: whether somebody holds a permission. Any text may stand there; what is unknown is denied. */
export const question = { ...subjectInput, permission: nameInput };

/** A revision that a write answered; the check is to see at least that. */
export const minRevision = z.int().min(0).optional();

export const checkInput = z.strictObject({ ...question, minRevision });
