import { z } from 'zod';

/** A text for one line, as people type it, which may be empty: trimmed, bounded, without control characters. */
export const lineOrNothing = (maxLength: number) =>
  z
    .string()
    .trim()
    .max(maxLength, `Send at most ${maxLength} characters.`)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'Send text without control characters.');

/** A text for one line that says something. */
export const lineOfText = (maxLength: number) => lineOrNothing(maxLength).min(1, 'Send a text that is not empty.');

/** A text that may have several lines, or be empty: trimmed, bounded, without other control characters. */
export const linesOrNothing = (maxLength: number) =>
  z
    .string()
    .trim()
    .max(maxLength, `Send at most ${maxLength} characters.`)
    .regex(/^(?:[^\p{Cc}\p{Cs}]|[\n\t])*$/u, 'Send text without control characters but line breaks and tabs.');
