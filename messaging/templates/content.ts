import { z } from 'zod';

export const categories = ['transactional', 'marketing'] as const;
export type Category = (typeof categories)[number];

/** A value of JSON whose texts may be templates. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/**
 * What a message says, as templates: which of the parts there are is decided by the service. HTML is given as `html` or
 * `mjml`; `text` is made from the HTML when it is not given. `options` are for the providers of channels.
 */
export type Content = { subject?: string; html?: string; mjml?: string; text?: string; options?: Json };

export type Variable = { name: string; required: boolean; sample: string };

/** The values that a content is rendered with, by name; null for an optional variable without a value, which is nil. */
export type Values = Record<string, string | null>;

/** The samples of variables. An optional one without a sample is nil, and with `withoutOptional` every optional one. */
export function samplesOf(variables: Variable[], withoutOptional = false): Values {
  const isNil = ({ required, sample }: Variable): boolean => !required && (withoutOptional || sample === '');
  return Object.fromEntries(variables.map((one) => [one.name, isNil(one) ? null : one.sample]));
}

/** A content ready to be rendered. `addressVariables`: those at whose place a link or an image begins. */
export type CompiledContent = {
  subject?: string;
  html?: string;
  text?: string;
  options?: Json;
  addressVariables: string[];
};

export type RenderedContent = { subject?: string; html?: string; text?: string; options?: Json };

/** The limits of templates, in characters unless they say otherwise. */
export const limits = {
  source: 200_000,
  subject: 300,
  text: 50_000,
  variables: 50,
  sample: 2000,
  locales: 20,
  /** Of one template. Messages that were accepted still use any of them. */
  versions: 500,
  /** Of a value that is sent. */
  value: 10_000,
  /** Of all values together. */
  values: 60_000,
  /** Of the request, in bytes. */
  bodyBytes: 512 * 1024,
} as const;

const withoutNul = (maxLength: number) =>
  z
    .string()
    .min(1, 'Send a text that is not empty.')
    .max(maxLength, `Send at most ${maxLength} characters.`)
    .regex(/^(?:[^\p{Cc}\p{Cs}]|[\n\r\t])*$/u, 'Send text without control characters.');

export const subjectPart = withoutNul(limits.subject).regex(/^[^\r\n]*$/, 'Send one line.');
export const htmlPart = withoutNul(limits.source);
export const textPart = withoutNul(limits.text);

const variableName = z
  .string()
  .regex(/^[a-zA-Z][a-zA-Z0-9_]{0,49}$/, 'Send a name of 1 to 50 letters, digits and underscores, a letter first.');

export const variablesPart = z
  .array(
    z.strictObject({
      name: variableName,
      required: z.boolean().default(true),
      /** The value in previews and tests. */
      sample: z.string().max(limits.sample).default(''),
    }),
  )
  .max(limits.variables)
  .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, 'Name each variable once.');

/** A language tag as in BCP 47, such as `de` or `de-AT`. */
export const localeTag = z
  .string()
  .regex(/^[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}|\d{3}))?$/, 'Send a language tag such as de or de-AT.');

/** The variant for a locale: `de-AT`, else `de`, else the default, which is named by an empty text. */
export function pickLocale(available: Iterable<string>, wanted: string | undefined): string {
  const tags = new Set(available);
  for (let tag = wanted ?? ''; tag !== ''; tag = tag.slice(0, Math.max(0, tag.lastIndexOf('-')))) {
    if (tags.has(tag)) return tag;
  }
  return '';
}
