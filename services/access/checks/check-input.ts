import { z } from 'zod';
import { nameInput, oneSubject, subjectInput } from '../assignments/subjects.ts';

/** A check: whether a subject holds a permission. Any text is accepted; what is unknown is denied. */
export const question = { ...subjectInput, permission: nameInput };

/** A revision returned by a write; the check waits for at least this revision. */
export const minRevision = z.int().min(0).optional();

export const checkInput = z.strictObject({ ...question, minRevision }).meta(oneSubject);

export const decisionOutput = z.strictObject({ allowed: z.boolean() }).meta({ id: 'AccessDecision' });
