import { z } from 'zod';

/** A text for one line, as people type it, which may be empty: trimmed, bounded, without control characters. */
export const lineOrNothing = (lengthMax: number) =>
  z
    .string()
    .trim()
    .max(lengthMax, `Send at most ${lengthMax} characters.`)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'Send text without control characters.');

/** A text for one line that says something. */
export const lineOfText = (lengthMax: number) => lineOrNothing(lengthMax).min(1, 'Send a text that is not empty.');

/** A text that may have several lines, or be empty: trimmed, bounded, without other control characters. */
export const linesOrNothing = (lengthMax: number) =>
  z
    .string()
    .trim()
    .max(lengthMax, `Send at most ${lengthMax} characters.`)
    .regex(/^(?:[^\p{Cc}\p{Cs}]|[\n\t])*$/u, 'Send text without control characters but line breaks and tabs.');
