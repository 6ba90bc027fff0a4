import { z } from 'zod';

export const categories = ['transactional', 'marketing'] as const;
export type Category = (typeof categories)[number];

/** A JSON value whose strings may be templates. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/**
 * The content of a message, as templates. The service decides which parts exist. HTML is either `html` or `mjml`; a
 * missing `text` is derived from it. `options` are for the providers of channels.
 */
export type Content = { subject?: string; html?: string; mjml?: string; text?: string; options?: Json };

export type Variable = { name: string; required: boolean; sample: string };

/** The values of variables by name; null (nil in Liquid) for an optional variable without a value. */
export type Values = Record<string, string | null>;

/**
 * Returns the samples of variables. An optional variable without a sample is nil; with `withoutOptional`, all optional
 * ones are.
 */
export function samplesOf(variables: Variable[], withoutOptional = false): Values {
  const isNil = ({ required, sample }: Variable): boolean => !required && (withoutOptional || sample === '');
  return Object.fromEntries(variables.map((one) => [one.name, isNil(one) ? null : one.sample]));
}

/** A content ready for rendering. `addressVariables`: the variables that a link or image address begins with. */
export type CompiledContent = {
  subject?: string;
  html?: string;
  text?: string;
  options?: Json;
  addressVariables: string[];
};

export type RenderedContent = { subject?: string; html?: string; text?: string; options?: Json };

/** The limits of templates, in characters unless stated otherwise. */
export const limits = {
  source: 200_000,
  subject: 300,
  text: 50_000,
  variables: 50,
  sample: 2000,
  locales: 20,
  /** Versions per template. Accepted messages may still use any of them. */
  versions: 500,
  /** Characters of a value in a request. */
  value: 10_000,
  /** Characters of all values in total. */
  values: 60_000,
  /** Bytes of the request body. */
  bodyBytes: 512 * 1024,
} as const;

const withoutNul = (maxLength: number) =>
  z
    .string()
    .min(1, 'Required.')
    .max(maxLength, `Must be at most ${maxLength} characters.`)
    .regex(/^(?:[^\p{Cc}\p{Cs}]|[\n\r\t])*$/u, 'Must not contain control characters.');

export const subjectPart = withoutNul(limits.subject).regex(/^[^\r\n]*$/, 'Must be a single line.');
export const htmlPart = withoutNul(limits.source);
export const textPart = withoutNul(limits.text);

const variableName = z
  .string()
  .regex(/^[a-zA-Z][a-zA-Z0-9_]{0,49}$/, 'Must be 1 to 50 letters, digits and underscores, beginning with a letter.');

export const variablesPart = z
  .array(
    z
      .strictObject({
        name: variableName.describe('The name in the template: 1 to 50 letters, digits and underscores.'),
        required: z.boolean().default(true).describe('Whether a message cannot be sent without a value.'),
        sample: z.string().max(limits.sample).default('').describe('The value for previews and tests.'),
      })
      .meta({ id: 'TemplateVariableInput' }),
  )
  .max(limits.variables)
  .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, 'Variable names must be unique.');

/** A variable in API responses. */
export const variableOutput = z
  .strictObject({
    name: z.string().describe('The name in the template.'),
    required: z.boolean().describe('Whether a message cannot be sent without a value.'),
    sample: z.string().describe('The value for previews and tests.'),
  })
  .meta({ id: 'TemplateVariable' });

/** A language tag as in BCP 47, such as `de` or `de-AT`. */
export const localeTag = z
  .string()
  .regex(/^[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}|\d{3}))?$/, 'Must be a language tag such as de or de-AT.');

/** Returns the best match for a locale: `de-AT`, then `de`, then the default, whose name is empty. */
export function pickLocale(available: Iterable<string>, locale: string | undefined): string {
  const tags = new Set(available);
  for (let tag = locale ?? ''; tag !== ''; tag = tag.slice(0, Math.max(0, tag.lastIndexOf('-')))) {
    if (tags.has(tag)) return tag;
  }
  return '';
}
