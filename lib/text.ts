import { z } from 'zod';

/** A single-line text as people type it, which may be empty: trimmed, bounded, without control characters. */
export const optionalLine = (maxLength: number) =>
  z
    .string()
    .trim()
    .max(maxLength, `Must be at most ${maxLength} characters.`)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'Must not contain control characters.');

/** A non-empty single-line text. The pattern documents this in the API document: white space alone is empty. */
export const singleLine = (maxLength: number, message = 'Required.') => optionalLine(maxLength).regex(/[^\s]/, message);

/** The line boundaries of UTS 18 section 1.6: programs of Windows write CR LF, word processors U+000B and U+2028. */
const lineBreak = /\r\n|[\v\f\r\u0085\u2028\u2029]/g;

/**
 * A text that may have several lines, or be empty: trimmed, bounded, without other control characters. Every line break
 * becomes one line feed.
 */
export const optionalLines = (maxLength: number) =>
  z
    .string()
    .overwrite((text) => text.replace(lineBreak, '\n'))
    .trim()
    .max(maxLength, `Must be at most ${maxLength} characters.`)
    .regex(/^(?:[^\p{Cc}\p{Cs}]|[\t-\r\u0085])*$/u, 'Must not contain control characters except line breaks and tabs.');
